//go:build !linux

package dbfile

import (
	"math"
	"os"
)

// networkDisk knows no network file system on this operating system.
func networkDisk(string) string { return "" }

// readOnlyDisk knows no such disk on this operating system.
func readOnlyDisk(string) bool { return false }

// FreeBytes does not know the free space on this operating system.
func FreeBytes(string) int64 { return math.MaxInt64 }

// TempFolder returns a folder whose free space is not known either.
func TempFolder() string { return os.TempDir() }

func allocate(f *os.File, size int64) error { return writeZeros(f, size) }
