//go:build !linux

package testkit

// TempInMemory does nothing here: see memory_linux.go.
func TempInMemory() (remove func()) { return func() {} }
