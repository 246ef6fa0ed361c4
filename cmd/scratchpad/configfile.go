package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// edited is what became of a file.
type edited struct {
	file     string // where a link leads
	backup   string // "": there was no file, or its content stayed
	narrowed bool   // other users had rights to it
}

// editFile replaces what stands in a file by what edit makes of it, in one step,
// and keeps the file as it was beside it. A link is followed. Processes that edit
// one file take turns. A file that is not there is made with a mode, and with its
// folders; with mode 0600 a file that is there, and its backup, is taken from other
// users too.
func editFile(name string, mode fs.FileMode, edit func(old []byte) ([]byte, error)) (e edited, err error) {
	e.file = name
	if e.file, err = followLink(name); err != nil {
		return e, err
	}
	if err := os.MkdirAll(filepath.Dir(e.file), 0o755); err != nil {
		return e, err
	}
	unlock, err := lockBeside(e.file)
	if err != nil {
		return e, err
	}
	defer unlock()
	old, err := os.ReadFile(e.file)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return e, err
	}
	content, err := edit(old)
	if err != nil {
		return e, fmt.Errorf("edit %s: %w", oneLine(e.file), err)
	}
	if isNew {
		return e, makeFile(e.file, mode, content)
	}
	return e, e.replace(old, content, mode)
}

// replace writes the new content, if it is another, and the mode.
func (e *edited) replace(old, content []byte, mode fs.FileMode) error {
	info, err := os.Stat(e.file)
	if err != nil {
		return err
	}
	narrow := narrowed(info.Mode().Perm(), mode)
	e.narrowed = narrow != info.Mode().Perm()
	if bytes.Equal(content, old) {
		if e.narrowed {
			return os.Chmod(e.file, narrow)
		}
		return nil
	}
	if e.backup, err = keepFile(e.file, old, narrow); err != nil {
		return err
	}
	return replaceFile(e.file, old, content, narrow)
}

// narrowed is the mode of a file that is there. On Windows a mode says nothing of
// other users.
func narrowed(have, mode fs.FileMode) fs.FileMode {
	if mode&0o077 != 0 || runtime.GOOS == "windows" {
		return have
	}
	return have &^ 0o077
}

// followLink is the file that a link leads to.
func followLink(name string) (string, error) {
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return name, nil
	}
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", fmt.Errorf("%s is a link that leads nowhere: %v; remove it: %w", name, err, workspace.ErrInvalid)
	}
	return target, nil
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

// makeFile makes a file. One that another program has made meanwhile stays.
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
	return fmt.Errorf("%s was changed by another program meanwhile; run it again: %w", name, workspace.ErrConflict)
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
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, old) {
		return changedMeanwhile(name)
	}
	return os.Rename(f.Name(), name)
}

// fill writes a file durably, with a mode and the owner of another one, if any.
func fill(f *os.File, content []byte, mode fs.FileMode, like os.FileInfo) error {
	_, err := f.Write(content)
	if like != nil {
		keepOwner(f, like)
	}
	return errors.Join(err, f.Chmod(mode.Perm()), f.Sync(), f.Close())
}
