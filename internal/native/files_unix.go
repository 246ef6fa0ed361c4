//go:build unix

package native

import (
	"math"

	"golang.org/x/sys/unix"
)

// MaxFiles returns how many files and connections the process may have open.
func MaxFiles() int {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil || uint64(l.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(l.Cur)
}
