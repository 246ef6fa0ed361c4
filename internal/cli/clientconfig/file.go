package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A Result says what [Change.Write] has done.
type Result struct {
	File    string   // the file, or the one that a link led to
	Backup  string   // the copy of the file as it was; "" if its content has not changed, or it is new
	Changed []string // what has changed in the file, a sentence each; none has the value of a variable
}

// editFile replaces the content of a file by the result of edit.
func editFile(name string, edit func(old []byte) ([]byte, error)) (r Result, err error) {
	r.File = name
	if r.File, err = FollowLink(name); err != nil {
		return r, err
	}
	if err := os.MkdirAll(filepath.Dir(r.File), 0o755); err != nil {
		return r, err
	}
	unlock, err := Lock(r.File)
	if err != nil {
		return r, err
	}
	defer unlock()
	old, err := readFile(r.File)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return r, err
	}
	content, err := edit(old)
	if err != nil {
		return r, ofFile(r.File, err)
	}
	if isNew && len(content) == 0 {
		return r, nil
	}
	if isNew {
		return r, makeFile(r.File, 0o644, content)
	}
	return r, r.replace(old, content)
}

// maxFile is how many bytes a client's file may have.
const maxFile = 16 << 20

// readFile returns the content of a client's file. It does not wait for the writer of a
// pipe, and does not read a device.
func readFile(name string) ([]byte, error) {
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

// replace writes the new content, if it differs.
func (r *Result) replace(old, content []byte) error {
	info, err := os.Stat(r.File)
	if err != nil || bytes.Equal(content, old) {
		return err
	}
	if r.Backup, err = keepFile(r.File, old, info.Mode().Perm()); err != nil {
		return err
	}
	return replaceFile(r.File, old, content, info.Mode().Perm())
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

// keepFile writes a copy beside the file, under a name that is free.
func keepFile(name string, content []byte, mode fs.FileMode) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	stamp := name + ".bak-" + time.Now().Format("20060102T150405")
	for i, backup := 1, stamp; ; i++ {
		f, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && i < 1000 {
			backup = fmt.Sprintf("%s-%d", stamp, i+1)
			continue
		}
		if err != nil {
			return "", err
		}
		return backup, fill(f, content, mode, info)
	}
}

// makeFile makes a new file. If another program has made it meanwhile, that one stays.
func makeFile(name string, mode fs.FileMode, content []byte) error {
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

// replaceFile gives the new content the file's name, unless another program has
// changed the file meanwhile.
func replaceFile(name string, old, content []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".scratchpad-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	info, err := os.Stat(name)
	if err != nil {
		f.Close()
		return err
	}
	if err := fill(f, content, mode, info); err != nil {
		return err
	}
	if now, err := readFile(name); err != nil || !bytes.Equal(now, old) {
		return changedMeanwhile(name)
	}
	return os.Rename(f.Name(), name)
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
