//go:build !linux

package dbfile

// moveNew gives a file a name that nothing has yet.
func moveNew(from, to string) error { return claim(from, to) }
