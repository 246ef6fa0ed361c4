package sqlite

import (
	"database/sql/driver"
	"fmt"
	"os"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	// The write-ahead log is to stay below 64 MiB. SQLite folds it in by itself
	// at every commit that finds more than 1,000 pages, but begins it anew only
	// when no reader is in it, which overlapping readers can put off for good.
	logBytes = 16 << 20               // from here on, the writer waits for the readers
	logWait  = 100 * time.Millisecond // so long; they see the newest state, or end, meanwhile
	minPause = 100 * time.Millisecond // until it waits again, when one of them did not;
	maxPause = 5 * time.Second        // doubled each time, for one that stays costs every writer
)

// checkpoint folds the write-ahead log into the database and empties it, when
// it is this process's turn. Where readers are in the way, it is tried again.
func (w *writer) checkpoint() {
	if w.whyBroken() != nil {
		w.dirty = false
		return
	}
	if err := w.takeTurn(); err != nil {
		w.log.Warn("the write-ahead log could not be folded into the database", "err", err)
		return
	}
	defer w.giveTurn()
	whole, err := w.fold(0)
	if isFull(err) && w.releaseReserve(err) {
		whole, err = w.fold(0)
	}
	if err != nil {
		w.log.Warn("the write-ahead log could not be folded into the database; it is kept and tried again", "err", err)
	}
	w.dirty = !whole
	w.reserve.fill()
}

// boundLog keeps the write-ahead log from growing while there is always some
// reader in it. Against one that stays for long it can do nothing.
func (w *writer) boundLog() {
	if info, err := os.Stat(w.path + "-wal"); err != nil || info.Size() < logBytes || time.Now().Before(w.foldAt) {
		return
	}
	whole, err := w.fold(logWait)
	if err != nil {
		w.log.Warn("the write-ahead log grows; it could not be folded into the database", "err", err)
	}
	if whole {
		w.foldPause = 0
		return
	}
	w.foldPause = min(max(2*w.foldPause, minPause), maxPause)
	w.foldAt = time.Now().Add(w.foldPause)
}

// fold runs a checkpoint that waits for readers no longer than the time given,
// and reports whether they let it empty the log.
func (w *writer) fold(wait time.Duration) (whole bool, err error) {
	if err := w.c.pragma(fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())); err != nil {
		return false, err
	}
	busy, err := w.c.number("PRAGMA wal_checkpoint(TRUNCATE)")
	if back := w.c.pragma(busyTimeout); err == nil {
		err = back
	}
	if isFsync(err) {
		w.fail(fmt.Errorf("the disk failed to confirm a checkpoint (%v); look at the disk and start this process again: %w", err, workspace.ErrReadOnly))
	}
	return err == nil && busy == 0, err
}

// releaseReserve gives the reserve up where the error means a full disk. A
// limit of the process on the size of its files is none.
func (w *writer) releaseReserve(err error) bool {
	if codeOf(err)&0xff != codeFull && fileSizeLimited() {
		return false
	}
	w.refillAt = time.Now().Add(idleAfter)
	return w.reserve.release()
}

// refillReserve makes the reserve again, some time after it was released, also
// where the writer is never idle.
func (w *writer) refillReserve() {
	switch now := time.Now(); {
	case w.refillAt.IsZero() || now.Before(w.refillAt):
	case w.reserve.fill():
		w.refillAt = time.Time{}
	default:
		w.refillAt = now.Add(idleAfter)
	}
}

func (c *conn) pragma(text string) error {
	_, err := c.one(func([]driver.Value) error { return nil }, "PRAGMA "+text)
	return err
}
