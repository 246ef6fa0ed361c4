package native

import (
	"os"

	"golang.org/x/sys/windows"
)

// FreeBytes returns how many bytes this user may still write on the disk of a folder.
func FreeBytes(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return int64(free), err
}

// MayWrite reports whether nothing marks a file as read-only. Of a folder it reports
// true.
func MayWrite(name string) bool {
	info, err := os.Stat(name)
	return err != nil || info.IsDir() || info.Mode().Perm()&0o200 != 0
}
