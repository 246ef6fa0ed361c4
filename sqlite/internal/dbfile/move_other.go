//go:build !linux

package dbfile

import "os"

// moveNew gives a file a second name that nothing has yet. It keeps the first.
func moveNew(from, to string) error { return os.Link(from, to) }
