//go:build unix

package dbfile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow makes the system refuse a symbolic link. Opening a pipe then does not wait
// for its other end.
const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// checkOwner returns an error for a file that has a second name, or that belongs
// neither to this user, nor to the database's owner, nor to root.
func checkOwner(info fs.FileInfo, database string) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return nil
	case s.Nlink > 1:
		return fmt.Errorf("has %d names (hard links)", s.Nlink)
	case s.Uid == uint32(os.Geteuid()), s.Uid == 0:
		return nil
	}
	if db, err := os.Lstat(database); err == nil {
		if of, ok := db.Sys().(*syscall.Stat_t); ok && of.Uid == s.Uid {
			return nil
		}
	}
	return fmt.Errorf("belongs to another user (uid %d)", s.Uid)
}

// mayWrite asks the system whether this user may write a file or in a folder.
func mayWrite(name string) error { return unix.Access(name, unix.W_OK) }

// giveToOwner gives a file that root made to the owner of the database, who could not
// open it otherwise. SQLite does the same with its own files.
func giveToOwner(f *os.File, info fs.FileInfo, database string) {
	if of, ok := info.Sys().(*syscall.Stat_t); !ok || os.Geteuid() != 0 || of.Uid != 0 {
		return
	}
	db, err := os.Lstat(database)
	if err != nil {
		return // root makes the database next, and owns it too
	}
	if of, ok := db.Sys().(*syscall.Stat_t); ok && of.Uid != 0 {
		_ = f.Chown(int(of.Uid), int(of.Gid)) // if it fails, openSide tells that user whose file it is
	}
}
