package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// diskFree is what this user may still write on the folder's disk, in bytes.
func diskFree(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return int64(free), err
}

// mayWrite reports that nothing marks a file or a folder as read-only.
func mayWrite(name string) bool {
	info, err := os.Stat(name)
	return err != nil || info.IsDir() || info.Mode().Perm()&0o200 != 0
}
