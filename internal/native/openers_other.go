//go:build !linux

package native

import "errors"

// Openers cannot tell on this system.
func Openers(...string) (found []Process, hidden int, err error) {
	return nil, 0, errors.ErrUnsupported
}
