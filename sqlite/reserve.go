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

type reserve struct{ name string } // DB-reserve

// fill makes the reserve where it is missing and the disk has room for it, and
// reports whether it is there. It is a precaution: what goes wrong in it is seen
// when the reserve is needed.
func (r reserve) fill() bool {
	if info, err := os.Stat(r.name); err == nil && info.Size() == reserveBytes {
		return true
	}
	free := freeBytes(filepath.Dir(r.name))
	if free >= 0 && free < reserveSpare {
		return false
	}
	f, err := os.OpenFile(r.name, os.O_RDWR|os.O_CREATE, 0o600)
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
	info, err := os.Stat(r.name)
	return err == nil && info.Size() > 0 && os.Truncate(r.name, 0) == nil
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
