package sqlite

import (
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	// The log must stay below 64 MiB. SQLite's own checkpoints are off: they run inside a
	// commit, and if the disk fails to confirm one, SQLite does not say so. The writer runs
	// them after it has answered a group. A PASSIVE checkpoint copies pages of the log into
	// the database but does not empty the log. A later commit starts the log again from its
	// beginning when no reader is in it, but overlapping readers can delay that for ever.
	//
	// checkpointPages is how many pages in the log start a PASSIVE checkpoint. On a full disk
	// the reserve has room for them.
	checkpointPages = 900
	longLog         = (16 << 20) / engine.PageBytes // pages, with which the writer waits for readers to leave the log
	logWait         = 100 * time.Millisecond        // the longest wait for the readers
	minPause        = 100 * time.Millisecond        // before the next wait, if a reader did not leave;
	maxPause        = 5 * time.Second               // doubled each time up to here, since each wait delays every writer
)

// checkpoint takes the turn, copies the write-ahead log into the database and empties it.
// If readers are in the way, the writer tries again later.
func (w *writer) checkpoint() {
	if w.whyBroken() != nil && !w.lost {
		w.dirty = false
		return
	}
	if err := w.takeTurn(); err != nil {
		w.log.Warn("the write-ahead log could not be folded into the database", "err", err)
		return
	}
	defer w.giveTurn()
	whole, err := w.truncateLog(0)
	if engine.IsFull(err) && w.releaseReserve() {
		w.tookReserve = true
		whole, err = w.truncateLog(0)
	}
	if whole && w.tookReserve { // the empty log gives back what the checkpoint took
		w.tookReserve = !w.reserve.Restore()
	}
	if err != nil {
		w.log.Warn("the write-ahead log could not be folded into the database; it is kept and tried again", "err", err)
	}
	w.dirty = !whole
	w.reserve.Fill()
	w.lookForScrub()
}

// boundLog keeps the write-ahead log short, also if there is always some reader in it. It
// can do nothing against a single reader that stays for long.
func (w *writer) boundLog() {
	l, err := w.c.Checkpoint("NOOP")
	switch {
	case err != nil:
	case l.Pages >= longLog && !time.Now().Before(w.emptyAt):
		err = w.emptyLog()
	case l.Pages-l.Copied >= checkpointPages:
		_, err = w.runCheckpoint("PASSIVE")
	}
	if err != nil && !w.checkpointFailed {
		w.log.Warn("the write-ahead log grows; it could not be folded into the database", "err", err)
	}
	w.checkpointFailed = err != nil
}

// emptyLog waits for the readers and empties the log. If they do not leave, the next try
// comes after a pause, which gets longer each time.
func (w *writer) emptyLog() error {
	whole, err := w.truncateLog(logWait)
	if whole {
		w.emptyPause = 0
		return nil
	}
	w.emptyPause = min(max(2*w.emptyPause, minPause), maxPause)
	w.emptyAt = time.Now().Add(w.emptyPause)
	return err
}

// truncateLog runs a TRUNCATE checkpoint that waits at most the given time for readers. It
// reports whether the log is empty.
func (w *writer) truncateLog(wait time.Duration) (whole bool, err error) {
	if err := w.c.Pragma(fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())); err != nil {
		return false, err
	}
	l, err := w.runCheckpoint("TRUNCATE")
	if back := w.c.Pragma(busyTimeout); err == nil {
		err = back
	}
	return err == nil && !l.Busy, err
}

// runCheckpoint runs a checkpoint. If the disk fails to confirm it, the store becomes read-only.
func (w *writer) runCheckpoint(mode string) (engine.LogState, error) {
	w.meter.checkpoint.begin()
	l, err := w.c.Checkpoint(mode)
	w.meter.checkpoint.end()
	if engine.IsFsync(err) {
		w.checkpointLost.Store(true)
		w.fail(store.Errorf(store.ErrReadOnly, "the disk failed to confirm a checkpoint (%s); check the disk and "+
			"start this process again", dbfile.Plain(err)))
	}
	return l, err
}

// releaseReserve releases the reserve of a full disk. It reports whether there was one.
func (w *writer) releaseReserve() bool {
	w.refillAt = time.Now().Add(idleAfter)
	return w.reserve.Release()
}

// refillReserve makes the reserve again, some time after it was released. A writer that is
// never idle does so too.
func (w *writer) refillReserve() {
	switch now := time.Now(); {
	case w.refillAt.IsZero() || now.Before(w.refillAt):
	case w.reserve.Fill():
		w.refillAt = time.Time{}
	default:
		w.refillAt = now.Add(idleAfter)
	}
}
