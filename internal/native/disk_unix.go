//go:build linux || darwin

package native

import "golang.org/x/sys/unix"

// FreeBytes returns how many bytes this user may still write on the disk of a folder.
func FreeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// MayWrite reports whether this user may write a file or in a folder. Where the
// system cannot tell, it reports true.
func MayWrite(name string) bool { return unix.Access(name, unix.W_OK) == nil }
