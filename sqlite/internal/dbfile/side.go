package dbfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// openSide opens a file beside the database for reading and writing, and makes it if
// flag is os.O_CREATE. Anybody who may write in the folder could have put something
// else there. So a link, a file with a second name and a file of another user are
// refused with [store.ErrInvalid]. The file may belong to this user, to the owner
// of the database, or to root.
func openSide(database, end string, flag int) (*os.File, error) {
	name := database + end
	info, err := os.Lstat(name)
	switch {
	case err == nil:
		if err := checkSide(info, database); err != nil {
			return nil, sideError(name, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, WithKind(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|flag|noFollow, 0o600)
	if err != nil {
		return nil, WithKind(err)
	}
	info, err = f.Stat()
	if err == nil {
		err = checkSide(info, database) // the file may have been replaced since Lstat
	}
	if err != nil {
		f.Close()
		return nil, sideError(name, err)
	}
	giveToOwner(f, info, database)
	return f, nil
}

// CheckSides returns [store.ErrInvalid] if a file beside the database is not the
// file that its name says: a link, a folder, or, of our own files, one of another user.
// It opens nothing.
func CheckSides(path string) error {
	for _, end := range sideEnds {
		name := path + end
		info, err := os.Lstat(name)
		if err != nil {
			continue // the file is made when it is needed
		}
		switch end {
		case queueEnd, writeEnd, reserveEnd:
			err = checkSide(info, path)
		default: // SQLite's own; any user of the database may have made them
			err = checkRegular(info)
		}
		if err != nil {
			return sideError(name, err)
		}
	}
	return nil
}

// CheckNoSides returns [store.ErrInvalid] if a file stands beside the path that
// SQLite or this package would take for a part of a new database there.
func CheckNoSides(path string) error {
	for _, name := range Files(path)[1:] {
		switch _, err := os.Lstat(name); {
		case err == nil:
			return store.Errorf(store.ErrInvalid,
				"%s is there, belongs to another database and would ruin the backup; give a new name, or remove "+
					"that file if no process uses it", filepath.Base(name))
		case !errors.Is(err, fs.ErrNotExist):
			return WithKind(err)
		}
	}
	return nil
}

func sideError(name string, err error) error {
	return store.Errorf(store.ErrInvalid, "%s %v; it is not scratchpad's: stop every process that uses the "+
		"database, and move that file away; scratchpad makes a new one", filepath.Base(name), err)
}

// checkSide returns what is wrong with one of our own files beside the database.
func checkSide(info fs.FileInfo, database string) error {
	if err := checkRegular(info); err != nil {
		return err
	}
	return checkOwner(info, database)
}

func checkRegular(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("is a symbolic link")
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	}
	return nil
}
