//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package clientconfig

import "os"

const noFollow = 0

// isReadOnly reports whether a file could not be opened because its volume is read-only.
func isReadOnly(error) bool { return false }

// lockFile does nothing, because this system has no such locks.
func lockFile(*os.File) error { return nil }

func unlockAndRemove(f *os.File, name string) {
	os.Remove(name)
	f.Close()
}
