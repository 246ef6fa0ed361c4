package dbfile

import (
	"os"
	"path/filepath"
)

const (
	reserveBytes = 4 << 20
	reserveSpare = 8 << 20 // free space on the disk at which the reserve is made again
)

// Reserve is disk space that is given up when the disk is full. A deletion, which needs
// space for the write-ahead log, can then go through.
type Reserve struct{ path string }

// ReserveOf returns the reserve of the database at a path. It may not exist yet.
func ReserveOf(path string) Reserve { return Reserve{path} }

func (r Reserve) name() string { return r.path + reserveEnd }

// Fill makes the reserve if it is missing and the disk has room for it and more. It
// reports whether the reserve is there. Errors are not returned: they matter only when
// the reserve is needed.
func (r Reserve) Fill() bool {
	if r.whole() {
		return true
	}
	if free := FreeBytes(filepath.Dir(r.path)); free < reserveSpare {
		return false
	}
	return r.Restore()
}

// Restore is Fill for a disk that may be full but for the reserve.
func (r Reserve) Restore() bool {
	if r.whole() {
		return true
	}
	f, err := openSide(r.path, reserveEnd, os.O_CREATE)
	if err != nil {
		return false
	}
	defer f.Close()
	if allocate(f, reserveBytes) != nil {
		f.Truncate(0)
		return false
	}
	return true
}

func (r Reserve) whole() bool {
	info, err := os.Lstat(r.name())
	return err == nil && info.Mode().IsRegular() && info.Size() == reserveBytes
}

// Release gives the space back to the disk and reports whether there was any.
func (r Reserve) Release() bool {
	f, err := openSide(r.path, reserveEnd, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && info.Size() > 0 && f.Truncate(0) == nil
}

func writeZeros(f *os.File, size int64) error {
	zeros := make([]byte, 64<<10)
	for at := int64(0); at < size; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros, at); err != nil {
			return err
		}
	}
	return nil
}
