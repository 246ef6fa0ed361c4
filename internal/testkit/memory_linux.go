package testkit

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

const (
	memory     = "/dev/shm"
	memoryRoom = 2 << 30 // bytes that must be free there
	tmpfs      = 0x01021994
)

// TempInMemory puts the temporary files of a package's tests in memory where there is room,
// because a test that writes many files waits for the disk. With SCRATCHPAD_TEST=full they
// stay on the disk, and for a benchmark too, which measures it. It returns a function that
// removes what is left of them.
func TempInMemory() (remove func()) {
	nothing := func() {}
	var s syscall.Statfs_t
	isBench := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg+"=", "-test.bench=") })
	if Full() || isBench || syscall.Statfs(memory, &s) != nil || int64(s.Type) != tmpfs ||
		int64(s.Bavail)*int64(s.Bsize) < memoryRoom {
		return nothing
	}
	dir, err := os.MkdirTemp(memory, "scratchpad-test-")
	if err != nil {
		return nothing
	}
	// A test may start a process of another user.
	if os.Chmod(dir, os.ModeSticky|0o777) != nil || os.Setenv("TMPDIR", dir) != nil {
		os.RemoveAll(dir)
		return nothing
	}
	return func() { os.RemoveAll(dir) }
}
