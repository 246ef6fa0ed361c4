package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// lockPatience is how long a process waits for its turn to edit a client's file.
const lockPatience = 10 * time.Second

// errHeld says that another process has a lock.
var errHeld = errors.New("held")

// lockBeside waits until no other process of this program edits a file. The lock is
// on a file beside it, for the file itself is replaced, and unlock removes that one.
func lockBeside(name string) (unlock func(), err error) {
	lock := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".scratchpad-lock")
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(lockPatience); ; <-tick.C {
		f, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
		if err != nil && runtime.GOOS == "windows" && time.Now().Before(deadline) {
			continue // the name of a file that was removed is not free at once
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
			return nil, fmt.Errorf("another scratchpad has been editing %s for %v; try again: %w", name, lockPatience, workspace.ErrBusy)
		}
	}
}

// withoutLock returns nil where no lock is needed: no file is replaced in a folder
// that cannot be written. Else it says what to do about a lock that does not open.
func withoutLock(lock string, err error) error {
	if isReadOnly(err) {
		return nil
	}
	if _, missing := os.Lstat(lock); missing == nil {
		return fmt.Errorf("%s, which another user or an earlier edit left, cannot be opened (%v); remove it: %w", lock, err, workspace.ErrInvalid)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return fmt.Errorf("%s cannot be made: %w", lock, err)
}

// sameFile reports whether the name still is the file: another process may have
// removed it between the opening and the lock.
func sameFile(f *os.File, name string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	theirs, err := os.Stat(name)
	return err == nil && os.SameFile(ours, theirs)
}
