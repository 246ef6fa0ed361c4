package dbfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const onWindows = runtime.GOOS == "windows"

// GiveName moves a finished file to a name that nothing has yet. It returns
// [store.ErrInvalid] if the name is taken, and never replaces another file. When it
// returns, the file has that name alone. So a sync of the folder makes durable that it has no
// second one, with which it would be refused.
func GiveName(temp, file string) error { return giveName(moveNew, temp, file) }

// giveName links or moves the file to its name. If the file system knows no links, an
// empty file takes the name first and is then replaced.
func giveName(link func(from, to string) error, temp, file string) error {
	err := link(temp, file)
	if err == nil {
		if err = os.Remove(temp); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(WithKind(err), os.Remove(file))
	}
	if !noLinks(err) {
		return WithKind(err)
	}
	claim, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return WithKind(err)
	}
	mine, err := claim.Stat()
	if err = errors.Join(err, claim.Close()); err != nil {
		return WithKind(err)
	}
	if now, err := os.Lstat(file); err != nil || !os.SameFile(mine, now) || now.Size() != 0 {
		return store.Errorf(store.ErrInvalid, "another program has taken the name meanwhile; give a new one")
	}
	if err := os.Rename(temp, file); err != nil {
		return errors.Join(WithKind(err), os.Remove(file))
	}
	return nil
}

// noLinks reports whether an error of [os.Link] says that the file system knows no
// links.
func noLinks(err error) bool {
	const invalidFunction = syscall.Errno(1) // of Windows, on FAT
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) || onWindows &&
		errors.Is(err, invalidFunction)
}

// GiveDatabaseName is GiveName for a database that was made new, which may also
// replace an empty file. Before that, it makes the content of the database durable. It
// returns [store.ErrStorageFull] if the disk has no room left to open the database, so
// that none gets its name that nobody can open. The caller holds the turn, and has closed
// the database.
func GiveDatabaseName(temp, path string) error {
	if err := finish(temp); err != nil {
		return WithKind(err)
	}
	err := moveNew(temp, path)
	if err == nil {
		return nil
	}
	if info, statErr := os.Lstat(path); statErr == nil && info.Size() != 0 {
		return WithKind(err)
	}
	return WithKind(os.Rename(temp, path))
}

// openRoom is what the first connection to a database takes of the disk: 32 KiB for
// SQLite's index of the log, and blocks for the folder.
const openRoom = 64 << 10

// finish makes the content of a file durable. It needs openRoom more for a moment.
func finish(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(make([]byte, openRoom), info.Size()); err != nil {
		return err
	}
	if err := f.Truncate(info.Size()); err != nil {
		return err
	}
	return f.Sync()
}

// GiveFreeName gives a finished copy of a database the name stem, or stem-2, stem-3 and
// so on if a file has that name or stands beside it. If one of these files is the same
// to the byte, it returns that file's name and leaves the copy where it is.
func GiveFreeName(temp, stem string) (name string, err error) {
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		if same, err := sameContent(temp, name); same || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return name, WithKind(err)
		} else if err == nil || CheckNoSides(name) != nil {
			continue
		}
		return name, GiveName(temp, name)
	}
}

// sameContent compares two files byte for byte. It reports false if the other one is
// not a regular file.
func sameContent(one, other string) (bool, error) {
	info, err := os.Lstat(other)
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	var files [2]*os.File
	for i, name := range []string{one, other} {
		if files[i], err = os.Open(name); err != nil {
			return false, err
		}
		defer files[i].Close()
	}
	if size, err := files[0].Stat(); err != nil || size.Size() != info.Size() {
		return false, err
	}
	var buffers [2][64 << 10]byte
	for {
		var n [2]int
		for i := range files {
			if n[i], err = io.ReadFull(files[i], buffers[i][:]); err != nil && err != io.EOF &&
				err != io.ErrUnexpectedEOF {
				return false, err
			}
		}
		if n[0] != n[1] || !bytes.Equal(buffers[0][:n[0]], buffers[1][:n[1]]) {
			return false, nil
		}
		if n[0] < len(buffers[0]) {
			return true, nil
		}
	}
}
