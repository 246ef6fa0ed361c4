package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// editFile replaces what stands in a file by what edit makes of it, in one step,
// and keeps the file as it was beside it. A link is followed. A file that is not
// there is made with a mode, and with its folders. It returns the file that it changed, and the
// backup, which is "" when nothing was there or nothing has changed.
func editFile(name string, mode fs.FileMode, edit func(old []byte) ([]byte, error)) (target, backup string, err error) {
	target, err = followLink(name)
	if err != nil {
		return name, "", err
	}
	old, err := os.ReadFile(target)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return target, "", err
	}
	content, err := edit(old)
	if err != nil {
		return target, "", fmt.Errorf("edit %s: %w", target, err)
	}
	if bytes.Equal(content, old) {
		return target, "", nil
	}
	if isNew {
		return target, "", makeFile(target, mode, content)
	}
	if backup, err = keepFile(target, old); err != nil {
		return target, "", err
	}
	return target, backup, replaceFile(target, old, content)
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
func keepFile(name string, content []byte) (string, error) {
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
		return backup, fill(f, content, info.Mode(), info)
	}
}

// makeFile makes a file with its folders. One that another program has made
// meanwhile stays.
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
	return fmt.Errorf("%s was changed by another program meanwhile; run it again: %w", name, workspace.ErrConflict)
}

// replaceFile gives the new content the file's name, unless another program has
// changed the file meanwhile.
func replaceFile(name string, old, content []byte) error {
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
	if err := fill(f, content, info.Mode(), info); err != nil {
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
