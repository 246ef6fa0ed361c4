package clientconfig

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
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
		return nil, Errorf(store.ErrInvalid, "%s is not a regular file; move it away", name)
	case info.Size() > maxFile:
		return nil, Errorf(store.ErrInvalid, "%s has %d bytes, limit %d; edit it by hand", name, info.Size(),
			maxFile)
	}
	return os.ReadFile(name)
}

// Replace gives a file another content in one step. Without an old content it makes the file and its folders,
// without a new one it removes the file. Errors: [store.ErrConflict] if the file does not have the old content
// any more, and those of package os.
func Replace(name string, old, content []byte) error {
	temp := ""
	if content != nil {
		mode := fs.FileMode(0o644)
		if info, err := os.Stat(name); err == nil {
			mode = info.Mode().Perm()
		}
		var err error
		if temp, err = writeBeside(name, content, mode); err != nil {
			return err
		}
		defer os.Remove(temp)
	}
	now, err := ReadFile(name)
	if unlessMissing(err) != nil || !bytes.Equal(now, old) || (now == nil) != (old == nil) {
		return Errorf(store.ErrConflict, "another program has changed %s meanwhile; run the command again", name)
	}
	if content == nil {
		return os.Remove(name)
	}
	return os.Rename(temp, name)
}

// Write gives a file another content and mode in one step, whatever it had. It makes the folders of the file.
func Write(name string, content []byte, mode fs.FileMode) error {
	temp, err := writeBeside(name, content, mode)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	return os.Rename(temp, name)
}

// writeBeside writes a content to a new file in the folder of another one, and syncs it to the disk.
func writeBeside(name string, content []byte, mode fs.FileMode) (temp string, err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".scratchpad-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
