//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package main

import "os"

const noFollow = 0

// isReadOnly reports whether a file could not be opened because its volume is read-only.
func isReadOnly(error) bool { return false }

// lockFile cannot lock here.
func lockFile(*os.File) error { return nil }

func unlockAndRemove(f *os.File, name string) {
	os.Remove(name)
	f.Close()
}
