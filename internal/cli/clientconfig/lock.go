package clientconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// lockPatience is how long a process waits for its turn to edit a client's file.
const lockPatience = 10 * time.Second

// errHeld says that another process has a lock.
var errHeld = errors.New("held")

// Lock waits until no other process edits a file, for at most 10 s. The lock is on a second
// file beside it, because the file itself will be replaced. unlock removes the second one. The
// file need not exist, and its folder must. Errors: [ErrBusy], [ErrInvalid] and those of
// package os.
func Lock(name string) (unlock func(), err error) {
	lock := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".scratchpad-lock")
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(lockPatience); ; <-tick.C {
		f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
		if err != nil && runtime.GOOS == "windows" && time.Now().Before(deadline) {
			continue // Windows frees the name of a removed file a little later
		}
		if err != nil {
			return func() {}, withoutLock(lock, err)
		}
		err = lockFile(f)
		if err == nil && sameFile(f, lock) {
			return func() { unlockAndRemove(f, lock) }, nil
		}
		f.Close()
		switch {
		case err != nil && !errors.Is(err, errHeld):
			return nil, fmt.Errorf("%s cannot be locked: %w", lock, err)
		case time.Now().After(deadline):
			return nil, fail(ErrBusy, "another process has been editing %s for %v; try again", name, lockPatience)
		}
	}
}

// withoutLock returns nil if no lock is needed, because no file can be replaced in a
// folder that cannot be written. Otherwise the error says what to do about a lock file
// that cannot be opened.
func withoutLock(lock string, err error) error {
	if isReadOnly(err) {
		return nil
	}
	if _, missing := os.Lstat(lock); missing == nil {
		return fail(ErrInvalid, "%s is left from another user or an earlier edit and cannot be opened (%v); remove it",
			lock, err)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return fmt.Errorf("%s cannot be made: %w", lock, err)
}

// sameFile reports whether the name is still that of the file. Another process may
// have removed it between the opening and the lock.
func sameFile(f *os.File, name string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(name)
	return err == nil && os.SameFile(ours, theirs)
}
