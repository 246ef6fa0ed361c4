package pad

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FileSaver returns a [Saver] that keeps a snapshot in a JSON file. The npm package
// agent-scratchpad can read and write the same file.
//
// Save writes a temporary file in the same folder, syncs it and renames it: after a
// crash the file is the old or the new one, complete. The file has mode 0600. Links are
// followed. If the file is not a snapshot, Load and Save return an error and leave
// it alone. Errors: [ErrPersist].
func FileSaver(path string) Saver { return fileSaver(path) }

// fileSaver is the path of the file.
type fileSaver string

func (f fileSaver) Load(ctx context.Context) (*Snapshot, error) {
	path, err := f.target(ctx)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrPersist, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: %w", path, ErrPersist) // reading a device may never end
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPersist, err)
	}
	s := new(Snapshot)
	if err := s.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, persist(err))
	}
	return s, nil
}

// target returns the path of the file, with links resolved.
func (f fileSaver) target(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("%w: %w", ErrPersist, err)
	}
	if f == "" {
		return "", fmt.Errorf("FileSaver: the path is empty: %w", ErrPersist)
	}
	path, err := filepath.EvalSymlinks(string(f))
	switch {
	case err == nil:
		return path, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %w", ErrPersist, err)
	}
	if _, err := os.Lstat(string(f)); err == nil {
		return "", fmt.Errorf("%s is a link to a file that does not exist: %w", string(f), ErrPersist)
	}
	return string(f), nil
}

func (f fileSaver) Save(ctx context.Context, s *Snapshot) error {
	text, err := s.MarshalJSON()
	if err != nil {
		return persist(err)
	}
	path, err := f.target(ctx)
	if err != nil {
		return err
	}
	if _, err := f.Load(ctx); err != nil {
		return fmt.Errorf("the file is not replaced, move it away first: %w", err)
	}
	if err := replace(path, text); err != nil {
		return fmt.Errorf("%w: %w", ErrPersist, err)
	}
	return nil
}

// replace replaces the content of a file in one step.
func replace(path string, text []byte) error {
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	if err = cmp.Or(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err = d.Sync(); err != nil && filepath.Separator == '\\' {
		err = nil // Windows cannot sync folders
	}
	return err
}
