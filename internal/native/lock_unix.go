//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package native

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noFollow makes the system refuse a symbolic link. Opening a pipe then does not wait for
// its other end.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// names returns how many names a file has.
func names(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}

func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errHeld
		default:
			return err
		}
	}
}
