package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// openSide opens a file beside the database for reading and writing, and makes
// it if flag is os.O_CREATE. Whoever may write in the folder could have put
// something else there, so a link, a file with another name and a file of
// another user are refused with [workspace.ErrInvalid]. A file may belong to
// this user, to the owner of the database, or to root.
func openSide(database, end string, flag int) (*os.File, error) {
	name := database + end
	info, err := os.Lstat(name)
	switch {
	case err == nil:
		if err := checkSide(info, database); err != nil {
			return nil, sideError(name, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fileError(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|flag|noFollow, 0o600)
	if err != nil {
		return nil, fileError(err)
	}
	info, err = f.Stat()
	if err == nil {
		err = checkSide(info, database) // it may be another one than that of the first look
	}
	if err != nil {
		f.Close()
		return nil, sideError(name, err)
	}
	giveToOwner(f, info, database)
	return f, nil
}

// CheckFiles refuses what stands beside the database at a path under the names of its
// side files and is none of them, as [Open] does, with [workspace.ErrInvalid]. It opens
// nothing.
func CheckFiles(path string) error {
	for _, end := range sideFiles {
		name := path + end
		info, err := os.Lstat(name)
		if err != nil {
			continue // it is made when it is needed
		}
		switch end {
		case "-turn", "-write", "-reserve":
			err = checkSide(info, path)
		default: // SQLite's own; any user of the database may make them
			err = checkRegular(info)
		}
		if err != nil {
			return sideError(name, err)
		}
	}
	return nil
}

func sideError(name string, err error) error {
	return fmt.Errorf("%s %v; it is not scratchpad's: move it away while no process uses the database, and a new one is made: %w",
		filepath.Base(name), err, workspace.ErrInvalid)
}

// checkSide returns what is wrong with a file beside the database.
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
		return errors.New("is no regular file")
	}
	return nil
}

// checkWritable refuses a database that this user may only read, before anything
// is made beside it.
func checkWritable(path string, isNew bool) error {
	if err := mayWrite(filepath.Dir(path)); err != nil {
		return fmt.Errorf("this user may not write in its folder (%v); the folder must be writable, for SQLite makes files there: %w", err, workspace.ErrReadOnly)
	}
	if isNew {
		return nil
	}
	if err := mayWrite(path); err != nil {
		return fmt.Errorf("this user may not write it (%v); give the file to this user, or run as its owner: %w", err, workspace.ErrReadOnly)
	}
	return nil
}
