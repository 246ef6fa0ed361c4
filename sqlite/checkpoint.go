package sqlite

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"modernc.org/sqlite"
)

const (
	// SQLite's own checkpoints are switched off: they come in a commit, and it
	// tells nobody when the disk fails to confirm one. The writer folds the log
	// itself, after the answers of a group. Folding does not empty the log: a later
	// commit begins it anew when no reader is in it, which overlapping readers can
	// put off for good. The log is to stay below 64 MiB.
	foldPages = 1000                   // not yet folded: from here on, the writer folds what it can
	longLog   = (16 << 20) / pageBytes // pages: from here on, it waits for the readers
	logWait   = 100 * time.Millisecond // so long; they see the newest state, or end, meanwhile
	minPause  = 100 * time.Millisecond // until it tries again, when one of them did not;
	maxPause  = 5 * time.Second        // doubled each time, for one that stays costs every writer

	pageBytes = 4096
)

// checkpoint folds the write-ahead log into the database and empties it, when
// it is this process's turn. Where readers are in the way, it is tried again.
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
	whole, err := w.fold(0)
	if isFull(err) && w.releaseReserve(err) {
		whole, err = w.fold(0)
	}
	if err != nil {
		w.log.Warn("the write-ahead log could not be folded into the database; it is kept and tried again", "err", err)
	}
	w.dirty = !whole
	w.reserve.Fill()
}

// boundLog keeps the write-ahead log from growing, also while there is always
// some reader in it. Against one that stays for long it can do nothing.
func (w *writer) boundLog() {
	l, err := w.c.walCheckpoint("NOOP")
	switch {
	case err != nil:
	case l.pages >= longLog && !time.Now().Before(w.foldAt):
		err = w.emptyLog()
	case l.pages-l.folded >= foldPages:
		_, err = w.foldNow("PASSIVE")
	}
	if err != nil && !w.foldFailed {
		w.log.Warn("the write-ahead log grows; it could not be folded into the database", "err", err)
	}
	w.foldFailed = err != nil
}

// emptyLog waits for the readers, and for longer and longer until it does so
// again when they do not let it empty the log.
func (w *writer) emptyLog() error {
	whole, err := w.fold(logWait)
	if whole {
		w.foldPause = 0
		return nil
	}
	w.foldPause = min(max(2*w.foldPause, minPause), maxPause)
	w.foldAt = time.Now().Add(w.foldPause)
	return err
}

// fold runs a checkpoint that waits for readers no longer than the time given,
// and reports whether they let it empty the log.
func (w *writer) fold(wait time.Duration) (whole bool, err error) {
	if err := w.c.pragma(fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())); err != nil {
		return false, err
	}
	l, err := w.foldNow("TRUNCATE")
	if back := w.c.pragma(busyTimeout); err == nil {
		err = back
	}
	return err == nil && !l.busy, err
}

// foldNow runs a checkpoint. Where the disk fails to confirm it, nothing is
// written any more.
func (w *writer) foldNow(mode string) (logState, error) {
	l, err := w.c.walCheckpoint(mode)
	if isFsync(err) {
		w.foldLost = true
		w.fail(fmt.Errorf("the disk failed to confirm a checkpoint (%v); look at the disk and start this process again: %w", err, workspace.ErrReadOnly))
	}
	return l, err
}

// logState is what a checkpoint says of the write-ahead log.
type logState struct {
	busy   bool // another process or a reader was in the way
	pages  int64
	folded int64 // of them, pages that are in the database too
}

// walCheckpoint runs a checkpoint in one of SQLite's modes. NOOP only looks:
// https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
func (c *conn) walCheckpoint(mode string) (l logState, err error) {
	_, err = c.one(func(row []driver.Value) error {
		f := fields{row: row}
		l.busy = f.int() != 0
		l.pages = f.int()
		l.folded = f.int()
		return f.err("answer", "wal_checkpoint")
	}, "PRAGMA wal_checkpoint("+mode+")")
	return l, err
}

// keepLog lets the log stay as it is when the connection closes, which would fold
// the rest of it and remove it. Where the disk failed to confirm a checkpoint,
// pages that an earlier one wrote to the database may be lost as well. The next
// process begins without a record of what was folded, and folds all of the log
// once more.
func (c *conn) keepLog() error {
	if err := c.pragma("journal_size_limit(-1)"); err != nil {
		return err
	}
	_, err := c.dc.(sqlite.FileControl).FileControlPersistWAL("main", 1)
	return translate(err)
}

// releaseReserve gives the reserve up where the error means a full disk. A
// limit of the process on the size of its files is none.
func (w *writer) releaseReserve(err error) bool {
	if codeOf(err)&0xff != codeFull && dbfile.FileSizeLimited() {
		return false
	}
	w.refillAt = time.Now().Add(idleAfter)
	return w.reserve.Release()
}

// refillReserve makes the reserve again, some time after it was released, also
// where the writer is never idle.
func (w *writer) refillReserve() {
	switch now := time.Now(); {
	case w.refillAt.IsZero() || now.Before(w.refillAt):
	case w.reserve.Fill():
		w.refillAt = time.Time{}
	default:
		w.refillAt = now.Add(idleAfter)
	}
}

func (c *conn) pragma(text string) error {
	_, err := c.one(func([]driver.Value) error { return nil }, "PRAGMA "+text)
	return err
}
