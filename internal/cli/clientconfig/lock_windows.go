package clientconfig

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// isReadOnly reports whether a file could not be opened because its volume is read-only.
func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

func lockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errHeld
	}
	return err
}

// unlockAndRemove closes the file first, because an open file cannot be removed.
func unlockAndRemove(f *os.File, name string) {
	f.Close()
	os.Remove(name)
}
