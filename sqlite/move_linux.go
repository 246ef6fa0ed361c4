package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// moveNew gives a file a name that nothing has yet, in one step: a file with two
// names never shows, not even after a power cut. Where the file system cannot do
// that, the file gets the second name and keeps the first.
func moveNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, errors.ErrUnsupported):
		return os.Link(from, to)
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
