package dbfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Opened are the database and the write-ahead log that a connection has open. If
// another program removes, renames or replaces one of them, SQLite does not notice: it
// goes on writing to a file that nobody finds again. So the writer compares the files at
// the paths with these.
//
// All methods but Close are safe for concurrent use.
type Opened struct {
	path    string
	db, log ID
	logFile *os.File // open a second time, to sync it
}

// lostError says that a file is not at its path any more.
type lostError struct{ what string }

func (e *lostError) Error() string { return e.what }

// IsLost reports whether an error says that an open file is not at its path any more.
func IsLost(err error) bool {
	var lost *lostError
	return errors.As(err, &lost)
}

// IDOf returns which file stands at a path.
func IDOf(path string) (ID, error) {
	id, _, err := stat(path)
	return id, WithKind(err)
}

// NewOpened returns the files of a connection to the path that was opened after db was
// seen there. [IsLost] is true of the error if the file was replaced meanwhile. The
// caller holds the turn, so that no process of this package makes or removes a log
// meanwhile.
func NewOpened(path string, db ID) (*Opened, error) {
	log, _, err := stat(path + Log)
	if err != nil {
		return nil, &lostError{fmt.Sprintf("the write-ahead log cannot be looked at: %v", err)}
	}
	o := &Opened{path: path, db: db, log: log}
	if o.logFile, err = openLog(path + Log); err != nil {
		return nil, WithKind(err)
	}
	if _, err = o.Check(); err != nil {
		o.logFile.Close()
		return nil, err
	}
	return o, nil
}

// openLog opens the log a second time, to sync it. SQLite holds its locks on the
// database and on its index of the log, and none on the log. So closing this descriptor
// drops no lock.
func openLog(name string) (*os.File, error) {
	how := os.O_RDONLY // enough for a sync, except on Windows
	if onWindows {
		how = os.O_RDWR
	}
	return os.OpenFile(name, how|noFollow, 0)
}

// Path returns the path of the database.
func (o *Opened) Path() string { return o.path }

// Close closes what the Opened itself has open. It comes before the connection's own
// close, since Windows removes no file that is open.
func (o *Opened) Close() error { return o.logFile.Close() }

// Check compares the open files with those at the paths. [IsLost] is true of the error
// if they differ. Check also returns how many names the files have, the larger number.
func (o *Opened) Check() (names uint64, err error) {
	db, err := sameFile(o.path, "the database file", o.db)
	if err != nil {
		return 0, err
	}
	log, err := sameFile(o.path+Log, "the write-ahead log", o.log)
	return max(db, log), err
}

func sameFile(name, what string, want ID) (names uint64, err error) {
	id, names, err := stat(name)
	switch {
	case err == nil && id == want:
		return names, nil
	case err == nil:
		return 0, &lostError{fmt.Sprintf("%s was replaced while it was in use: another file is at %s now", what, name)}
	case errors.Is(err, fs.ErrNotExist):
		return 0, &lostError{fmt.Sprintf("%s was removed or renamed while it was in use: nothing is at %s now", what,
			name)}
	}
	return 0, &lostError{fmt.Sprintf("%s cannot be looked at: %v", what, err)}
}

// MayCheckpoint reports whether a checkpoint may copy the log into the open database after
// one of them was lost. It may not if another database has come to their paths, because the
// two may share the index of the log.
func (o *Opened) MayCheckpoint() bool {
	if _, err := sameFile(o.path, "", o.db); err == nil {
		return true
	}
	if _, err := sameFile(o.path+Log, "", o.log); err == nil {
		return true
	}
	_, _, err := stat(o.path + Log)
	return errors.Is(err, fs.ErrNotExist)
}

// SyncLog makes the log durable, and its name in the folder, unless the log is empty.
func (o *Opened) SyncLog() error {
	if info, err := o.logFile.Stat(); err == nil && info.Size() == 0 {
		return nil
	}
	if err := o.logFile.Sync(); err != nil {
		return err
	}
	return syncNames(filepath.Dir(o.path))
}
