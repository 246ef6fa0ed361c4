package native

import (
	"errors"
	"os"
)

// errHeld says that another process holds a lock.
var errHeld = errors.New("another process holds the lock")

// TryLock takes the lock of a file, which it makes if there is none. held says that another
// process has the lock. The lock ends with unlock or with the process. The file stays.
func TryLock(name string) (unlock func(), held bool, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return func() {}, false, err
	}
	if err := lock(f); err != nil {
		f.Close()
		if errors.Is(err, errHeld) {
			return func() {}, true, nil
		}
		return func() {}, false, err
	}
	return func() { f.Close() }, false, nil
}
