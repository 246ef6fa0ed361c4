package dbfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The ends of the names of SQLite's own files beside a database, and of ours.
const (
	Log     = "-wal"     // SQLite's write-ahead log
	Index   = "-shm"     // SQLite's index of the log, shared between processes
	Journal = "-journal" // SQLite's rollback journal, which a database in WAL mode has no use for

	queueEnd   = "-turn"    // whose turn to write is next
	writeEnd   = "-write"   // who may write
	reserveEnd = "-reserve" // space that is given up when the disk is full
)

var sideEnds = []string{Log, Index, Journal, queueEnd, writeEnd, reserveEnd}

// Files returns the path of a database, followed by the names of the files that may
// stand beside it.
func Files(path string) []string {
	files := []string{path}
	for _, end := range sideEnds {
		files = append(files, path+end)
	}
	return files
}

// Resolve returns the absolute path of a database that is there or is to be made. It
// returns [store.ErrInvalid] for a name of [CheckName], a missing folder, and a
// network file system.
func Resolve(path string) (abs string, err error) {
	if abs, err = filepath.Abs(path); err != nil {
		return "", store.Errorf(store.ErrInvalid, "%v", err)
	}
	if err := CheckName(abs); err != nil {
		return "", err
	}
	dir := filepath.Dir(abs)
	if name := networkDisk(dir); name != "" {
		return "", store.Errorf(store.ErrInvalid,
			"%s is on a network file system (%s), which does not keep the locks that SQLite needs; use a local "+
				"disk, or a PostgreSQL server for several machines", dir, name)
	}
	return abs, nil
}

// CheckName returns [store.ErrInvalid] for a name that a file beside another
// database could have, and for a path in a folder that does not exist.
func CheckName(path string) error {
	for _, end := range sideEnds {
		if strings.HasSuffix(path, end) {
			return store.Errorf(store.ErrInvalid,
				"a name that ends in %s is for a file beside a database; give another name", end)
		}
	}
	if name := filepath.Base(path); strings.HasSuffix(name, partEnd) && strings.Contains(name, newMark) {
		return store.Errorf(store.ErrInvalid, "a name with %s that ends in %s is for a database that is being made; "+
			"give another name", newMark, partEnd)
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return store.Errorf(store.ErrInvalid, "there is no folder %s; create it", dir)
	}
	return nil
}

// IsNew reports whether a database is still to be made at the path: only a missing
// file and a file of 0 bytes are new. It refuses anything but a regular file with one
// name, and a missing database whose log holds data.
func IsNew(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return isNewWithoutLog(path)
	}
	if err != nil {
		return false, WithKind(err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return false, store.Errorf(store.ErrInvalid, "it is a symbolic link; give the file itself")
	case info.IsDir():
		return false, store.Errorf(store.ErrInvalid, "it is a folder; give a file in it")
	case !info.Mode().IsRegular():
		return false, store.Errorf(store.ErrInvalid, "it is not a regular file")
	case info.Size() == 0:
		return isNewWithoutLog(path)
	}
	_, names, err := stat(path)
	if names > 1 { // writes under two names destroy the database
		return false, store.Errorf(store.ErrInvalid, "it has %d names (hard links), and SQLite would keep a log for "+
			"each; find them with find -samefile and remove the others, or copy the file", names)
	}
	return false, WithKind(err)
}

// isNewWithoutLog refuses to begin a new database where SQLite would throw away the
// write-ahead log of a lost one. Another process may have made the database after the
// caller looked, and written to its log.
func isNewWithoutLog(path string) (bool, error) {
	if log, err := os.Stat(path + Log); err != nil || log.Size() == 0 {
		return true, nil
	}
	if info, err := os.Lstat(path); err == nil && info.Size() > 0 {
		return IsNew(path)
	}
	return false, store.Errorf(store.ErrCorrupt,
		"it is empty or missing, but %s holds data of it: put the database back beside that file; or stop every "+
			"process that uses the database, move that file away, and restore the database from a backup",
		filepath.Base(path)+Log)
}

// IsWhole reports whether the database file alone is the whole database: no log and no
// journal holds a part of it.
func IsWhole(path string) bool {
	for _, end := range []string{Log, Journal} {
		info, err := os.Lstat(path + end)
		if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// CheckWritable returns [store.ErrReadOnly] if this user may not write the
// database, unless it is new, or may not write in its folder.
func CheckWritable(path string, isNew bool) error {
	if err := mayWrite(filepath.Dir(path)); err != nil {
		return store.Errorf(store.ErrReadOnly, "this user may not write in its folder (%v); the folder must be "+
			"writable, because SQLite makes files there", err)
	}
	if isNew {
		return nil
	}
	if err := mayWrite(path); err != nil {
		return store.Errorf(store.ErrReadOnly, "this user may not write it (%v); give the file to this user, or run "+
			"as its owner", err)
	}
	return nil
}
