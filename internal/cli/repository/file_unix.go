//go:build unix

package repository

import (
	"os"
	"syscall"
)

// noFollow makes the system refuse a link, and open a pipe without waiting for its other end.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// owned reports whether a folder belongs to the user of this process.
func owned(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
