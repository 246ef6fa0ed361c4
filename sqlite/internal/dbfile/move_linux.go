package dbfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// moveNew gives a file a name that nothing has yet. It does so in one step, so that the
// file never has two names, not even after a power cut. If the file system cannot do
// that, the file gets a second name and keeps the first.
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
