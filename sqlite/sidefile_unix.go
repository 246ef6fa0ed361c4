//go:build unix

package sqlite

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow makes the system refuse a symbolic link, and not wait for the other
// end of a pipe.
const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// checkOwner refuses a file that has another name, or another owner than this
// user, the database's owner, and root.
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

// mayWrite asks the system whether this user may write a file or a folder.
func mayWrite(name string) error { return unix.Access(name, unix.W_OK) }

// giveToOwner gives a file of root to the owner of the database, who could not open
// it otherwise, as SQLite does with its own files.
func giveToOwner(f *os.File, info fs.FileInfo, database string) {
	if of, ok := info.Sys().(*syscall.Stat_t); !ok || os.Geteuid() != 0 || of.Uid != 0 {
		return
	}
	db, err := os.Lstat(database)
	if err != nil {
		return // it is made next, by root
	}
	if of, ok := db.Sys().(*syscall.Stat_t); ok && of.Uid != 0 {
		_ = f.Chown(int(of.Uid), int(of.Gid)) // else that user is told whose it is
	}
}
