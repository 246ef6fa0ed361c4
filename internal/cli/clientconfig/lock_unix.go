//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package clientconfig

import (
	"errors"
	"os"
	"syscall"
)

// noFollow keeps a link in place of a lock file from being followed.
const noFollow = syscall.O_NOFOLLOW

// isReadOnly reports whether a file could not be opened because its volume is read-only.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		default:
			return err
		}
	}
}

// unlockAndRemove removes the file first. A process that waits for the lock then sees
// that the name is gone or another file's, and tries again.
func unlockAndRemove(f *os.File, name string) {
	os.Remove(name)
	f.Close()
}
