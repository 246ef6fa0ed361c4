//go:build unix

package clientconfig

import (
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another one, if this user may.
func keepOwner(f *os.File, like os.FileInfo) {
	if stat, ok := like.Sys().(*syscall.Stat_t); ok {
		f.Chown(int(stat.Uid), int(stat.Gid))
	}
}
