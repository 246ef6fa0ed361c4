//go:build unix

package dbfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func lockFile(f *os.File) error   { return flock(f, unix.LOCK_EX) }
func unlockFile(f *os.File) error { return flock(f, unix.LOCK_UN) }

// flock waits as long as it takes. A signal does not end the wait.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return Wrap(WithKind(err), "lock %s", f.Name())
		}
	}
}
