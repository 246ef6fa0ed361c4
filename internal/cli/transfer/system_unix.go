//go:build unix

package transfer

import (
	"errors"
	"os"
	"syscall"
)

// nonBlock lets no open wait for the writer of a pipe.
const nonBlock = syscall.O_NONBLOCK

// syncFolder waits until the names in a folder are on the disk. Some file systems cannot
// say that.
func syncFolder(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
