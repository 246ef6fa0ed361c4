package dbfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

func lockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), WithKind(err))
	}
	return nil
}

func unlockFile(f *os.File) error {
	err := windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
	if err != nil {
		return fmt.Errorf("unlock %s: %w", f.Name(), WithKind(err))
	}
	return nil
}
