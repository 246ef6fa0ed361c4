//go:build !linux

package sqlite

import "os"

// networkDisk cannot tell here.
func networkDisk(string) string { return "" }

// freeBytes cannot tell here.
func freeBytes(string) int64 { return -1 }

func allocate(f *os.File, size int64) error { return writeZeros(f, size) }

func fileSizeLimited() bool { return false }
