package sqlite

import (
	"os"
	"path/filepath"
)

// The reserve is disk space that is given up when the disk is full, so that a
// deletion, which needs space for the write-ahead log, can go through.
const (
	reserveBytes = 4 << 20
	reserveSpare = 8 << 20 // free space at which the reserve is made again
)

type reserve struct{ path string } // the database's

func (r reserve) name() string { return r.path + "-reserve" }

// open opens the reserve, and makes it if flag is os.O_CREATE.
func (r reserve) open(flag int) (*os.File, error) { return openSide(r.path, "-reserve", flag) }

// fill makes the reserve where it is missing and the disk has room for it, and
// reports whether it is there. It is a precaution: what goes wrong in it is seen
// when the reserve is needed.
func (r reserve) fill() bool {
	if info, err := os.Lstat(r.name()); err == nil && info.Mode().IsRegular() && info.Size() == reserveBytes {
		return true
	}
	free := freeBytes(filepath.Dir(r.path))
	if free >= 0 && free < reserveSpare {
		return false
	}
	f, err := r.open(os.O_CREATE)
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

// release gives the space back to the disk and reports whether there was any.
func (r reserve) release() bool {
	f, err := r.open(0)
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
