package dbfile

import (
	"os"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	writeRoom = 2 << 20 // free space that a large write needs: a file of the default limit, and its index pages
	headBytes = 512     // the least bytes of a database
)

// Ready returns nil if the open files are at their paths, and their disk takes writes. It
// opens nothing, and takes some microseconds. Its errors name no path; the error that
// [errors.Unwrap] returns may.
//
// Free space counts without the reserve, which is for deletions.
func (o *Opened) Ready() error {
	names, err := o.Check()
	switch {
	case err != nil:
		return store.CausedBy(err, store.ErrReadOnly, "a file of the database was removed, renamed or replaced; "+
			"stop the server, put the right file in its place, and start it again")
	case names > 1:
		return store.Errorf(store.ErrReadOnly, "a file of the database has a second name (hard link); remove the "+
			"second name")
	}
	if info, err := os.Lstat(o.path); err == nil && info.Size() < headBytes {
		return store.Errorf(store.ErrCorrupt, "the database was cut off; stop the server, and restore the database "+
			"from a backup")
	}
	dir := filepath.Dir(o.path)
	if readOnlyDisk(dir) {
		return store.Errorf(store.ErrReadOnly, "the disk is read-only; make it writable")
	}
	if free := FreeBytes(dir); free < writeRoom {
		return store.Errorf(store.ErrStorageFull, "the disk is full; make room on it")
	}
	return nil
}

// LogTime returns when the write-ahead log was last written to, and the zero time if it
// cannot be looked at.
func LogTime(path string) (t time.Time) {
	if info, err := os.Lstat(path + Log); err == nil {
		t = info.ModTime()
	}
	return t
}

// Bytes returns the size of a file, and 0 if it cannot be looked at.
func Bytes(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
