//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func lockFile(f *os.File) error   { return flock(f, unix.LOCK_EX) }
func unlockFile(f *os.File) error { return flock(f, unix.LOCK_UN) }

// flock waits as long as it takes: a signal does not end it.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("lock %s: %w", f.Name(), fileError(err))
		}
	}
}
