package dbfile

import (
	"errors"
	"os"
	"syscall"
)

// SyncFile makes the content of a file durable that no connection has open.
func SyncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return WithKind(err)
	}
	defer f.Close()
	return WithKind(f.Sync())
}

// SyncFolder makes a new name in a folder durable.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return WithKind(err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !onWindows {
		return WithKind(err)
	}
	return nil
}

// syncNames is SyncFolder as SQLite does it: a folder that this user may not open, or
// that the file system cannot sync, is left out.
func syncNames(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); errors.Is(err, syscall.EIO) {
		return err
	}
	return nil
}
