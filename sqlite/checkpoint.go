package sqlite

import (
	"database/sql/driver"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// checkpoint folds the write-ahead log into the database and empties it, when
// it is this process's turn. Where readers are in the way, what can be done is.
func (w *writer) checkpoint() {
	w.dirty = false
	if w.broken.Load() != nil || w.turn.take() != nil {
		return
	}
	defer w.giveTurn()
	err := w.fold()
	if isFull(err) && w.releaseReserve(err) {
		err = w.fold()
	}
	if err != nil {
		w.log.Warn("the write-ahead log could not be folded into the database; it is kept and tried again", "err", err)
	}
	w.reserve.fill()
}

// fold runs a checkpoint without waiting for anybody.
func (w *writer) fold() error {
	if err := w.c.pragma("busy_timeout(0)"); err != nil {
		return err
	}
	_, err := w.c.one(func([]driver.Value) error { return nil }, "PRAGMA wal_checkpoint(TRUNCATE)")
	if back := w.c.pragma("busy_timeout(15000)"); err == nil {
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
