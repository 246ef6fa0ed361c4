package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// errHeld says that another process holds a lock.
var errHeld = errors.New("another process holds the lock")

// TryLock takes the lock of a file, which it makes if there is none. held says that another
// process has the lock. The lock ends with unlock or with the process. The file stays.
func TryLock(name string) (unlock func(), held bool, err error) {
	f, err := openOwn(name)
	if err != nil {
		return func() {}, false, err
	}
	err = lock(f)
	if now, gone := os.Stat(name); err == nil && (gone != nil || !isOpen(f, now)) {
		err = errHeld // by nobody, but another process has removed the file or made it anew
	}
	if err != nil {
		f.Close()
		if errors.Is(err, errHeld) {
			return func() {}, true, nil
		}
		return func() {}, false, err
	}
	return func() { f.Close() }, false, nil
}

// ErrNotOwn says that there is something else in place of a file of ours. Anybody who may
// write in the folder can have put it there.
var ErrNotOwn = errors.New("is a link, or is no regular file; remove it")

// openOwn opens a file of ours, which it makes if there is none. It opens no link, and
// nothing else that is no regular file.
func openOwn(name string) (*os.File, error) {
	info, err := os.Lstat(name)
	if err == nil && !isOwn(info) {
		return nil, fmt.Errorf("%s %w", name, ErrNotOwn)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if now, err := os.Lstat(name); err != nil || !isOwn(now) || !isOpen(f, now) {
		f.Close()
		return nil, fmt.Errorf("%s %w", name, ErrNotOwn) // it was replaced since
	}
	return f, nil
}

// isOpen reports whether a file is the one that info describes.
func isOpen(f *os.File, info fs.FileInfo) bool {
	have, err := f.Stat()
	return err == nil && os.SameFile(have, info)
}

func isOwn(info fs.FileInfo) bool { return info.Mode().IsRegular() && names(info) == 1 }
