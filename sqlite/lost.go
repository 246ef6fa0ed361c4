package sqlite

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// begin begins a transaction. Before that it checks that the open files are still at
// their paths, and after it that the schema is the one that this version knows.
func (w *writer) begin() error {
	names, err := w.c.files.Check()
	if err != nil {
		return w.loseFiles(err)
	}
	if names > 1 { // nothing is lost yet, and the second name may be removed again
		return fmt.Errorf("the database or its write-ahead log has a second name (hard link), and a program that writes under that name would damage the database; remove the second name: %w", workspace.ErrReadOnly)
	}
	if _, err = w.c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err = w.c.fence(); err == nil {
		return nil
	}
	w.rollback()
	if codeOf(err) == 0 { // the fence's own error, not one of SQLite
		w.fail(err)
	}
	return err
}

const startAgain = "stop every process that uses the database, put the right file in its place (for a backup, first remove the files that end in -wal and -shm), and start again"

// loseFiles makes the store read-only until the process is started again, and returns
// why. It also folds the log into the database that is open. SQLite would leave the log
// behind, and the next database at that path would take its pages in; and if only the
// log was removed, nobody else has what is in it. The caller holds the turn.
func (w *writer) loseFiles(err error) error {
	why := fmt.Errorf("%v; %s: %w", err, startAgain, workspace.ErrReadOnly)
	w.fail(why)
	if w.lost = w.c.files.MayFold(); w.lost {
		whole, _ := w.fold(0) // tried again when the writer is idle, and when it ends
		w.dirty = !whole
	}
	return why
}

// lostFiles answers the group when a file was lost during its commit.
func (w *writer) lostFiles(err error) {
	_ = w.loseFiles(err) // later callers get this error
	w.answerUnknown(fmt.Errorf("%v; the write may be lost with it; %s: %w", err, startAgain, workspace.ErrOutcomeUnknown))
}

// dialOpened opens another connection to the database of a store that writes. It never
// opens a file that has taken the database's place.
func dialOpened(f *dbfile.Opened, pragmas ...string) (*conn, error) {
	if _, err := f.Check(); err != nil {
		return nil, unreadable(err)
	}
	c, err := dial(f.Path(), "rw", pragmas...)
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
	return fmt.Errorf("%w; %s: %w", err, startAgain, workspace.ErrCorrupt)
}
