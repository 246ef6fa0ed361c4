//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package main

import "os"

// lockFile cannot lock here.
func lockFile(*os.File) error { return nil }

func unlockAndRemove(f *os.File, name string) {
	os.Remove(name)
	f.Close()
}
