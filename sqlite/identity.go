package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// openFiles are the files that a connection has open. Whoever removes, renames
// or replaces one of them does not disturb SQLite, which goes on writing to a
// file that nobody finds again. So the writer compares what stands at the paths
// with these. It looks at names alone: if this process closed a descriptor of
// the database, the kernel would drop SQLite's locks.
type openFiles struct {
	path, logPath string
	db, log       fileID
	logFile       *os.File // to sync it
}

// lostError says that a file is not at its path any more.
type lostError struct{ what string }

func (e *lostError) Error() string { return e.what }

// openFilesOf returns the files of a connection to the path, dialled after db
// was seen there. The caller holds the turn, so that no process of this package
// makes or removes a log meanwhile.
func openFilesOf(path string, db fileID) (*openFiles, error) {
	log, _, err := statFile(path + "-wal")
	if err != nil {
		return nil, &lostError{fmt.Sprintf("the write-ahead log cannot be looked at: %v", err)}
	}
	f := &openFiles{path: path, logPath: path + "-wal", db: db, log: log}
	if f.logFile, err = openLog(f.logPath); err != nil {
		return nil, fileError(err)
	}
	if _, err = f.check(); err != nil {
		f.logFile.Close()
		return nil, err
	}
	return f, nil
}

// check returns a [lostError] when the open files are not those at the paths. It
// also returns the number of names that one of them has, the larger number.
func (f *openFiles) check() (names uint64, err error) {
	db, err := sameFile(f.path, "the database file", f.db)
	if err != nil {
		return 0, err
	}
	log, err := sameFile(f.logPath, "the write-ahead log", f.log)
	return max(db, log), err
}

func sameFile(name, what string, want fileID) (names uint64, err error) {
	id, names, err := statFile(name)
	switch {
	case err == nil && id == want:
		return names, nil
	case err == nil:
		return 0, &lostError{fmt.Sprintf("%s was replaced while it was in use: another file is at %s now", what, name)}
	case errors.Is(err, fs.ErrNotExist):
		return 0, &lostError{fmt.Sprintf("%s was removed or renamed while it was in use: nothing is at %s now", what, name)}
	}
	return 0, &lostError{fmt.Sprintf("%s cannot be looked at: %v", what, err)}
}

func isLost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost)
}

// begin begins a transaction, after checking that the open files are still at their
// paths. Then it checks that the schema is the one that this version knows.
func (w *writer) begin() error {
	names, err := w.c.files.check()
	if err != nil {
		return w.loseFiles(err)
	}
	if names > 1 { // nothing is lost yet, and the link may go again
		return fmt.Errorf("the database or its write-ahead log has a second name (hard link), and a program that writes under that name would damage the database; remove the second name: %w", workspace.ErrReadOnly)
	}
	if _, err = w.c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err = w.c.fence(); err == nil {
		return nil
	}
	w.rollback()
	if codeOf(err) == 0 { // not SQLite's own
		w.fail(err)
	}
	return err
}

const startAgain = "stop every process that uses the database, put the right file in its place (for a backup, first remove the files that end in -wal and -shm), and start again"

// loseFiles makes the store read-only until the process is started again, and
// returns why. The log is folded into the file that is open. SQLite would leave the
// log, and what is put in the database's place would then take its pages up; and
// where the log alone was removed, nobody else has what is in it. The caller holds
// the turn.
func (w *writer) loseFiles(err error) error {
	why := fmt.Errorf("%v; %s: %w", err, startAgain, workspace.ErrReadOnly)
	w.fail(why)
	if w.lost = w.c.files.mayFold(); w.lost {
		whole, _ := w.fold(0) // tried again when the writer is idle, and when it ends
		w.dirty = !whole
	}
	return why
}

// mayFold reports whether the log may be folded into the database that is open,
// after one of them was lost: not where another database has come to their paths,
// which may share the index of the log.
func (f *openFiles) mayFold() bool {
	if _, err := sameFile(f.path, "", f.db); err == nil {
		return true
	}
	if _, err := sameFile(f.logPath, "", f.log); err == nil {
		return true
	}
	_, _, err := statFile(f.logPath)
	return errors.Is(err, fs.ErrNotExist)
}

// lostFiles is the answer when a file was lost during a commit.
func (w *writer) lostFiles(err error) {
	_ = w.loseFiles(err) // which the next callers get
	w.answerUnknown(fmt.Errorf("%v; the write may be lost with it; %s: %w", err, startAgain, workspace.ErrOutcomeUnknown))
}

// dialOpened opens another connection to the database of a store that writes,
// and never to a file that has taken its place.
func dialOpened(f *openFiles, pragmas ...string) (*conn, error) {
	if _, err := f.check(); err != nil {
		return nil, unreadable(err)
	}
	c, err := dial(f.path, "rw", pragmas...)
	if err != nil {
		return nil, err
	}
	if _, err := f.check(); err != nil {
		c.close()
		return nil, unreadable(err)
	}
	return c, nil
}

// unreadable is a [lostError] for those who read.
func unreadable(err error) error {
	return fmt.Errorf("%w; %s: %w", err, startAgain, workspace.ErrCorrupt)
}

// checkNames refuses a database file that has another name. SQLite keeps a log
// for each name, so that writes under two names destroy the database.
func checkNames(path string) error {
	var names uint64
	for range 2 { // another process may just remove the name of a new database
		var id fileID
		var err error
		if id, names, err = statFile(path); err != nil {
			return fileError(err)
		}
		if names <= 1 || names <= 1+uint64(len(leftovers(path, id))) {
			return nil
		}
	}
	return fmt.Errorf("it has %d names (hard links), and SQLite would keep a log for each; find them with find -samefile and remove the others, or copy the file: %w",
		names, workspace.ErrInvalid)
}

// removeOtherNames removes the temporary names of a database whose creation was
// cut off after it got its own name. The caller holds the turn.
func removeOtherNames(path string) error {
	id, names, err := statFile(path)
	if err != nil {
		return fileError(err)
	}
	if names <= 1 {
		return nil
	}
	for _, name := range leftovers(path, id) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fileError(err)
		}
	}
	return nil
}

// leftovers returns the names that [create] gave to a file before it got its own.
func leftovers(path string, id fileID) (names []string) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !isPart(base, e) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		if other, _, err := statFile(name); err == nil && other == id {
			names = append(names, name)
		}
	}
	return names
}
