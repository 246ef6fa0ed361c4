//go:build !linux && !darwin && !windows

package native

import "errors"

// FreeBytes cannot tell on this system.
func FreeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }

// MayWrite cannot tell on this system.
func MayWrite(string) bool { return true }
