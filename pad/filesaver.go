package pad

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// FileSaver returns a [Saver] that keeps a snapshot as a file of JSON, which the
// npm package agent-scratchpad reads and writes too. A Save writes another file,
// syncs it and its folder, and renames: the file is the old or the new one, whole.
// It has mode 0600. A link is followed. What cannot be read as a snapshot is an
// error of Load and of Save, and stays as it is.
func FileSaver(path string) Saver { return &fileSaver{path: path} }

type fileSaver struct {
	path string

	mu   sync.Mutex
	ours os.FileInfo // the file as it was when it was last known to be a snapshot; nil: never
}

func (f *fileSaver) Load(ctx context.Context) (*Snapshot, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path, err := f.target(ctx)
	if err != nil {
		return nil, err
	}
	return f.load(path)
}

func (f *fileSaver) load(path string) (*Snapshot, error) {
	before, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPersist, err)
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: %w", path, ErrPersist) // reading one may never end
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPersist, err)
	}
	s := new(Snapshot)
	if err := s.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, persist(err))
	}
	f.ours = before
	return s, nil
}

// target is the file itself, where the path is a link.
func (f *fileSaver) target(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("%w: %w", ErrPersist, err)
	}
	if f.path == "" {
		return "", fmt.Errorf("FileSaver: the path is empty; give a file: %w", ErrPersist)
	}
	path, err := filepath.EvalSymlinks(f.path)
	switch {
	case err == nil:
		return path, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %w", ErrPersist, err)
	}
	if _, err := os.Lstat(f.path); err == nil {
		return "", fmt.Errorf("%s is a link to nothing: %w", f.path, ErrPersist)
	}
	return f.path, nil
}

func (f *fileSaver) Save(ctx context.Context, s *Snapshot) error {
	text, err := s.MarshalJSON()
	if err != nil {
		return persist(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	path, err := f.target(ctx)
	if err != nil {
		return err
	}
	if err := f.check(path); err != nil {
		return err
	}
	if err := replace(path, text); err != nil {
		return fmt.Errorf("%w: %w", ErrPersist, err)
	}
	f.ours, _ = os.Stat(path)
	return nil
}

// check refuses to replace what is no snapshot.
func (f *fileSaver) check(path string) error {
	now, err := os.Stat(path)
	if err == nil && f.ours != nil && os.SameFile(now, f.ours) && now.ModTime().Equal(f.ours.ModTime()) && now.Size() == f.ours.Size() {
		return nil
	}
	if _, err := f.load(path); err != nil {
		return fmt.Errorf("what is there is not replaced; move it away: %w", err)
	}
	return nil
}

// replace puts a file in the place of another so that there is always one whole.
func replace(path string, text []byte) (err error) {
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	if _, err = temp.Write(text); err != nil {
		return err
	}
	if err = temp.Sync(); err != nil {
		return err
	}
	if err = temp.Close(); err != nil {
		return err
	}
	if err = os.Rename(temp.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err = d.Sync(); err != nil && filepath.Separator == '\\' {
		err = nil // Windows cannot sync a folder
	}
	return err
}
