// Package repository finds the git repository that a folder is in. It reads git's files and
// runs no program. It believes a file only where the file could not have been written by
// somebody else to lead into another repository.
//
// A repository is known by an id: 128 random bits in the file "scratchpad" of git's common
// directory. git does not show the file, worktrees share it, a folder that is moved or renamed
// keeps it, and a clone does not copy it.
package repository

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxFile   = 64 << 10 // bytes of a file of git
	maxConfig = 1 << 20  // bytes of git's configuration
)

// A Repository is a folder that git keeps versions of.
type Repository struct {
	Top    string // the folder in which .git stands
	Common string // git's common directory, which all worktrees share
}

// Main returns the folder of the main worktree. Of a repository that has none, such as a
// submodule, it returns Top.
func (r *Repository) Main() string {
	if filepath.Base(r.Common) == ".git" {
		return filepath.Dir(r.Common)
	}
	return r.Top
}

// Find returns the nearest repository at or above a folder, nil if there is none. The path of
// the folder is absolute and has no links. A repository whose top folder is home, or above it,
// is none: home is a path of the same form, or "". A .git that cannot be believed is passed
// over, and passed says which and why.
func Find(folder, home string) (r *Repository, passed []error) {
	for top := folder; ; top = filepath.Dir(top) {
		if home != "" && Contains(top, home) {
			return nil, passed
		}
		common, err := commonOf(top)
		switch {
		case err == nil:
			return &Repository{Top: top, Common: common}, passed
		case !errors.Is(err, fs.ErrNotExist):
			passed = append(passed, fmt.Errorf("%s is not taken for a repository: %w", top, err))
		}
		if top == filepath.Dir(top) {
			return nil, passed
		}
	}
}

// Contains reports whether a folder is another or is above it.
func Contains(above, folder string) bool {
	rest, is := strings.CutPrefix(folder, strings.TrimSuffix(above, string(filepath.Separator)))
	return is && (rest == "" || os.IsPathSeparator(rest[0]))
}

// commonOf returns git's common directory of the repository whose top is a folder. The error
// is [fs.ErrNotExist] if nothing named .git is there.
func commonOf(top string) (string, error) {
	git := filepath.Join(top, ".git")
	info, err := os.Lstat(git)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", errors.Unwrap(err)
	case err != nil:
		return "", fs.ErrNotExist
	case info.Mode()&fs.ModeSymlink != 0:
		return "", errors.New(".git is a link")
	}
	common := git
	if !info.IsDir() {
		if common, err = linked(top, git); err != nil {
			return "", fmt.Errorf("%v", err) // also if a file is missing that .git leads to
		}
	}
	switch {
	case !isGit(common):
		return "", errors.New("its git directory lacks HEAD, objects or refs")
	case !owned(common):
		return "", errors.New("its git directory belongs to another user")
	}
	return common, nil
}

// linked returns the common directory that a .git file leads to. Its git directory must point
// back, as that of a worktree does by gitdir, and that of a submodule by core.worktree. That of a
// worktree must be inside the common directory: else an unpacked archive could bring one along.
func linked(top, git string) (string, error) {
	dir, err := pathIn(git, "gitdir: ", top)
	if err != nil {
		return "", err
	}
	if back, err := pathIn(filepath.Join(dir, "gitdir"), "", dir); err == nil {
		if !same(back, git) {
			return "", errors.New("its git directory belongs to another folder")
		}
		common, err := pathIn(filepath.Join(dir, "commondir"), "", dir)
		if err != nil {
			return "", err
		}
		if !same(filepath.Dir(dir), filepath.Join(common, "worktrees")) {
			return "", errors.New("its git directory is none of the worktrees of the repository that it names")
		}
		return common, nil
	}
	// git sparse-checkout moves the setting into config.worktree.
	tree := cmp.Or(value(dir, "config", "core", "worktree"), value(dir, "config.worktree", "core", "worktree"))
	if tree == "" || isRemote(tree) || !same(resolve(tree, dir), top) {
		return "", errors.New("its git directory does not point back")
	}
	return dir, nil
}

// pathIn returns the path that a file holds after a prefix. It may be relative to a folder.
func pathIn(file, prefix, folder string) (string, error) {
	text, err := read(file, maxFile)
	if err != nil {
		return "", err
	}
	path, is := bytes.CutPrefix(bytes.TrimRight(text, "\r\n"), []byte(prefix))
	if !is || len(path) == 0 || bytes.ContainsAny(path, "\x00\n") || isRemote(string(path)) {
		return "", fmt.Errorf("%s holds no path of this computer", filepath.Base(file))
	}
	return filepath.EvalSymlinks(resolve(string(path), folder))
}

// isRemote reports whether Windows could look for a path at another computer, and sign in there.
func isRemote(path string) bool {
	path = strings.ReplaceAll(path, `\`, "/")
	return strings.HasPrefix(path, "//") || strings.HasPrefix(path, "/??/")
}

func resolve(path, folder string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// same reports whether two paths name one file now.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// isGit reports whether a directory has what git wants of its own: HEAD, objects and refs.
func isGit(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	_, err := read(filepath.Join(dir, "HEAD"), maxFile)
	return err == nil
}

// read returns the content of a regular file of at most a number of bytes. It follows no link
// and does not wait.
func read(name string, most int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", filepath.Base(name))
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes", filepath.Base(name), most)
	}
	return text, err
}
