package dbfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// moveNew gives a file a name that nothing has yet, in one step.
func moveNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, errors.ErrUnsupported):
		return claim(from, to)
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
