package dbfile

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const onWindows = runtime.GOOS == "windows"

// GiveName moves a finished file to a name that nothing has yet. It returns
// [store.ErrInvalid] if the name is taken, and never replaces another file.
func GiveName(temp, file string) error { return WithKind(moveNew(temp, file)) }

// claim is moveNew for a file system or an operating system that cannot do it in one step: an
// empty file takes the name first and is then replaced.
func claim(from, to string) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	mine, err := f.Stat()
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if now, err := os.Lstat(to); err != nil || !os.SameFile(mine, now) || now.Size() != 0 {
		return store.Errorf(store.ErrInvalid, "another program has taken the name meanwhile; give a new one")
	}
	if err := os.Rename(from, to); err != nil {
		os.Remove(to)
		return err
	}
	return nil
}

// GiveDatabaseName is GiveName for a database that was made new, which may also
// replace an empty file. Before that, it makes the content of the database durable. The
// caller holds the turn, and has closed the database.
func GiveDatabaseName(temp, path string) error {
	if err := SyncFile(temp); err != nil {
		return err
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

// GiveFreeName gives a finished copy of a database the name stem, or stem-2, stem-3 and
// so on if a file has that name or stands beside it. If one of these files is the same,
// it returns that file's name and leaves the copy where it is.
func GiveFreeName(temp, stem string) (name string, err error) {
	mine, err := sumOf(temp)
	for n := 2; err == nil; n++ {
		var other [sha256.Size]byte
		name = cmp.Or(name, stem)
		switch other, err = sumOf(name); {
		case err == nil && other == mine:
			return name, nil
		case errors.Is(err, fs.ErrNotExist) && CheckNoSides(name) == nil:
			return name, GiveName(temp, name)
		case errors.Is(err, fs.ErrNotExist):
			err = nil
		}
		name = fmt.Sprintf("%s-%d", stem, n)
	}
	return "", WithKind(err)
}

// sumOf returns the SHA-256 of a file, and zeros for what is not a regular file.
func sumOf(name string) (sum [sha256.Size]byte, err error) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return sum, err
	}
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
}
