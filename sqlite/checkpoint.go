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
	logBytes = 32 << 20               // from here on, the writer waits for the readers
	logWait  = 200 * time.Millisecond // so long; they see the newest state, or end, meanwhile
)

// checkpoint folds the write-ahead log into the database and empties it, when
// it is this process's turn. Where readers are in the way, what can be done is.
func (w *writer) checkpoint() {
	w.dirty = false
	if w.broken.Load() != nil || w.turn.take() != nil {
		return
	}
	defer w.giveTurn()
	err := w.fold(0)
	if isFull(err) && w.releaseReserve(err) {
		err = w.fold(0)
	}
	if err != nil {
		w.log.Warn("the write-ahead log could not be folded into the database; it is kept and tried again", "err", err)
	}
	w.reserve.fill()
}

// boundLog keeps the write-ahead log from growing while readers never leave it.
func (w *writer) boundLog() {
	if info, err := os.Stat(w.path + "-wal"); err != nil || info.Size() < logBytes {
		return
	}
	if err := w.fold(logWait); err != nil {
		w.log.Warn("the write-ahead log grows; it could not be folded into the database", "err", err)
	}
}

// fold runs a checkpoint that waits for readers no longer than the time given.
func (w *writer) fold(wait time.Duration) error {
	if err := w.c.pragma(fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())); err != nil {
		return err
	}
	_, err := w.c.one(func([]driver.Value) error { return nil }, "PRAGMA wal_checkpoint(TRUNCATE)")
	if back := w.c.pragma(busyTimeout); err == nil {
		err = back
	}
	if isFsync(err) {
		w.fail(fmt.Errorf("the disk failed to confirm a checkpoint (%v); look at the disk and start this process again: %w", err, workspace.ErrReadOnly))
	}
	return err
}

// releaseReserve gives the reserve up where the error means a full disk. A
// limit of the process on the size of its files is none.
func (w *writer) releaseReserve(err error) bool {
	if codeOf(err)&0xff != codeFull && fileSizeLimited() {
		return false
	}
	return w.reserve.release()
}

func (c *conn) pragma(text string) error {
	_, err := c.one(func([]driver.Value) error { return nil }, "PRAGMA "+text)
	return err
}
