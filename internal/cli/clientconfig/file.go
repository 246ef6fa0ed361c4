package clientconfig

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// maxFile is how many bytes a client's file may have.
const maxFile = 16 << 20

// ReadFile returns the content of a client's file. It does not wait for the writer of a
// pipe, and does not read a device.
func ReadFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fail(ErrInvalid, "%s is not a regular file; move it away", onOneLine(name))
	case info.Size() > maxFile:
		return nil, fail(ErrInvalid, "%s has %d bytes, limit %d; edit it by hand", onOneLine(name), info.Size(),
			maxFile)
	}
	return os.ReadFile(name)
}

// onOneLine quotes a path that could be taken for several lines of a message.
func onOneLine(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return strconv.Quote(path)
	}
	return path
}

// FollowLink returns the file that a link leads to; the name itself if it is no link.
// Errors: [ErrInvalid].
func FollowLink(name string) (string, error) {
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return name, nil
	}
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", leadsNowhere(name, err)
	}
	return target, nil
}

func leadsNowhere(link string, err error) error {
	return fail(ErrInvalid, "%s is a link that leads nowhere: %v; remove it", onOneLine(link), err)
}

// Replace gives a file another content in one step. Without an old content it makes the file and its folders,
// without a new one it removes the file. Errors: [ErrChanged] if the file does not have the old content any
// more, and those of package os.
func Replace(name string, old, content []byte, mode fs.FileMode) error {
	if old == nil {
		return makeFile(name, mode, content)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".scratchpad-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	info, _ := os.Stat(name)
	if err := fill(f, content, mode, info); err != nil {
		return err
	}
	if now, err := ReadFile(name); err != nil || !bytes.Equal(now, old) {
		return changedMeanwhile(name)
	}
	if content == nil {
		return os.Remove(name)
	}
	return os.Rename(f.Name(), name)
}

func makeFile(name string, mode fs.FileMode, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return changedMeanwhile(name)
	}
	if err != nil {
		return err
	}
	if err := fill(f, content, mode, nil); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

func changedMeanwhile(name string) error {
	return fail(ErrChanged, "another program has changed %s meanwhile; run the command again", name)
}

// fill writes a file, syncs it to the disk and closes it. The owner is that of
// another file, unless like is nil.
func fill(f *os.File, content []byte, mode fs.FileMode, like os.FileInfo) error {
	_, err := f.Write(content)
	if like != nil {
		keepOwner(f, like)
	}
	return errors.Join(err, f.Chmod(mode.Perm()), f.Sync(), f.Close())
}
