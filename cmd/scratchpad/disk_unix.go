//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// diskFree is what this user may still write on the folder's disk, in bytes.
func diskFree(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// mayWrite reports whether the system lets this user write a file or a folder.
// It touches nothing.
func mayWrite(name string) bool { return unix.Access(name, unix.W_OK) == nil }
