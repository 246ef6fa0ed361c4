package sqlite

import (
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const startAgain = "stop every process that uses the database, put the right file in its place (for a backup, first " +
	"remove the files that end in -wal and -shm), and start again"

// loseFiles makes the store read-only until the process is started again, and returns
// why. It also runs a last checkpoint on the database that is open. SQLite would leave
// the log behind, and the next database at that path would take its pages in; and if only
// the log was removed, nobody else has what is in it. The caller holds the turn.
func (w *writer) loseFiles(err error) error {
	why := store.Errorf(store.ErrReadOnly, "%s; %s", dbfile.Plain(err), startAgain)
	w.fail(why)
	if w.lost = w.c.files.MayCheckpoint(); w.lost {
		whole, _ := w.truncateLog(0) // tried again when the writer is idle, and when it ends
		w.dirty = !whole
	}
	return why
}

// lostFiles answers the group when a file was lost during its commit.
func (w *writer) lostFiles(err error) {
	_ = w.loseFiles(err) // later callers get this error
	w.answerUnknown(store.Errorf(store.ErrOutcomeUnknown, "%s; the write may be lost with it; %s", dbfile.Plain(err),
		startAgain))
}

// dialOpened opens another connection to the database of a store that writes. It never
// opens a file that has taken the database's place.
func dialOpened(f *dbfile.Opened, mode string, pragmas ...string) (*conn, error) {
	if _, err := f.Check(); err != nil {
		return nil, unreadable(err)
	}
	c, err := dial(f.Path(), mode, pragmas...)
	if err != nil {
		return nil, err
	}
	if _, err := f.Check(); err != nil {
		c.close()
		return nil, unreadable(err)
	}
	return c, nil
}

// unreadable turns the error about a lost file into the one that readers get.
// [dbfile.IsLost] is still true of it.
func unreadable(err error) error {
	return store.CausedBy(err, store.ErrCorrupt, "%s; %s", dbfile.Plain(err), startAgain)
}

// lostFsync answers a group whose commit the disk did not confirm. The page cache may now
// show data that the disk has lost. So the store takes no more writes until the process
// is started again.
func (w *writer) lostFsync(err error) {
	w.rollback()
	w.fail(store.Errorf(store.ErrReadOnly, "the disk failed to confirm a write (%s); check the disk, start this "+
		"process again, and check the last writes", dbfile.Plain(err)))
	w.answerUnknown(store.Errorf(store.ErrOutcomeUnknown,
		"the disk failed to confirm the write (%s); it may or may not be stored", dbfile.Plain(err)))
}

// answerUnknown tells the callers of the group that their outcome is unknown.
func (w *writer) answerUnknown(unknown error) {
	for _, j := range w.group {
		j.err, j.panicked, j.exited = unknown, false, false
		w.meter.answered(false)
		close(j.done)
	}
	w.group = nil
}

// fail makes the store read-only, and refuses the functions that wait.
func (w *writer) fail(err error) {
	w.mu.Lock()
	first := w.broken == nil
	if first {
		w.broken = err
	}
	w.mu.Unlock()
	if first {
		w.log.Error("the store is read-only", "cause", err)
	}
	w.refuse(err)
}

// whyBroken returns why the store is read-only, and nil if it is not.
func (w *writer) whyBroken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}
