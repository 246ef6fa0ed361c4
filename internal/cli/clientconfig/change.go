package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Change is an edit of a client's file that is still to be made.
type Change struct {
	File string
	edit edit

	project string // links do not lead out of this folder; "": they may lead anywhere
}

// Inside returns the change of a file that belongs to a project. If the file is reached by
// a link that leads out of the project's folder, [Change.Preview] and [Change.Write] return
// [ErrInvalid], as [Inside] does.
func (c Change) Inside(project string) Change {
	c.project = project
	return c
}

// Inside returns an error unless a file is in a project's folder, links followed. Somebody
// else may have made the links of a project. Nothing may lead to the hooks of one user but
// the folders themselves: Claude Code does not read them through a link. An empty project
// has no bounds. Errors: [ErrInvalid] and those of package os.
func Inside(file, project string) error {
	if project == "" {
		return nil
	}
	root, err := realPath(project)
	if err != nil {
		return err
	}
	real, err := filepath.Abs(file)
	if err == nil {
		real, err = realPath(real)
	}
	if err != nil {
		return err
	}
	within, err := filepath.Rel(root, real)
	switch {
	case err != nil || !filepath.IsLocal(within):
		return fail(ErrInvalid, "%s is reached by a link that leads out of the project, to %s; remove the link",
			onOneLine(file), onOneLine(real))
	case filepath.Base(file) == hookFile && within != filepath.Join(hookFolder, hookFile):
		return fail(ErrInvalid, "%s is reached by a link, to %s; remove the link", onOneLine(file), onOneLine(real))
	}
	return nil
}

// target returns the file that the change is of.
func (c Change) target() (string, error) {
	file, err := FollowLink(c.File)
	if err == nil {
		err = Inside(c.File, c.project)
	}
	return file, err
}

// AddServer returns the change that puts a server into the client's file under a name.
func (c Client) AddServer(file, name string, s Server) Change {
	return Change{File: file, edit: afterMark(func(old []byte) ([]byte, []string, error) {
		return c.format.edit(old, name, s)
	})}
}

// RemoveServer returns the change that takes a server out of the client's file. If the
// file does not have it, nothing changes.
func (c Client) RemoveServer(file, name string) Change {
	return Change{File: file, edit: afterMark(func(old []byte) ([]byte, []string, error) {
		return c.format.remove(old, name)
	})}
}

// A Preview says what a [Change] would do.
type Preview struct {
	File     string      // the file, or the one that a link leads to
	Exists   bool        // the file is there
	Mode     fs.FileMode // of the file that is there
	Old, New []byte      // its content before and after
	Changed  []string    // what would change, a sentence each
}

// Preview returns what the change would do, and changes nothing. The errors are those of
// [Change.Write].
func (c Change) Preview() (p Preview, err error) {
	if p.File, err = c.target(); err != nil {
		return p, err
	}
	info, err := os.Stat(p.File)
	if err == nil {
		p.Exists, p.Mode = true, info.Mode().Perm()
		p.Old, err = readFile(p.File)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if p.New, p.Changed, err = c.edit(p.Old); err != nil {
		return p, ofFile(p.File, err)
	}
	return p, nil
}

// Write makes the change in one step. A copy of the file as it was stays beside it. If there
// is no file, Write makes it and its folders. If the file is a link, Write edits the file that
// it leads to. Processes that write to one file take turns. Errors: [ErrInvalid], [ErrTaken],
// [ErrByHand], [ErrChanged], [ErrBusy] and those of package os.
func (c Change) Write() (Result, error) {
	file, err := c.target()
	if err != nil {
		return Result{File: c.File}, err
	}
	var changed []string
	r, err := editFile(file, func(old []byte) (content []byte, err error) {
		content, changed, err = c.edit(old)
		return content, err
	})
	r.Changed = changed
	return r, err
}

func ofFile(file string, err error) error { return fmt.Errorf("edit %s: %w", onOneLine(file), err) }

// Restore puts a file back as it was before an edit: with the content and the mode that
// it had, or gone, if existed is false. It does nothing, and reports false, if the file
// does not have the content that the edit has left. Processes that edit one file take
// turns.
func Restore(file string, left, was []byte, existed bool, mode fs.FileMode) (done bool, err error) {
	info, err := os.Lstat(file)
	if err != nil {
		return !existed && errors.Is(err, fs.ErrNotExist), nil
	}
	unlock, err := Lock(file)
	if err != nil {
		return false, err
	}
	defer unlock()
	now, err := readFile(file)
	if err != nil {
		return false, err
	}
	switch {
	case existed && bytes.Equal(now, was) && info.Mode().Perm() == mode:
		return true, nil
	case existed && bytes.Equal(now, was):
		return true, os.Chmod(file, mode)
	case !bytes.Equal(now, left):
		return false, nil
	case !existed:
		return true, os.Remove(file)
	}
	return true, replaceFile(file, now, was, mode)
}

// ReadServer returns the server that the client's file has under a name, and whether
// there is one. A missing file has none. Variables are not read.
func (c Client) ReadServer(file, name string) (s Server, found bool, err error) {
	content, err := readFile(file)
	if err != nil {
		return Server{}, false, unlessMissing(err)
	}
	text, _, err := cutMark(content)
	if err == nil {
		s, found, err = c.format.read(text, name)
	}
	if err != nil {
		return Server{}, false, ofFile(file, err)
	}
	return s, found, nil
}

// Project returns the folder of the project that a client's file belongs to, with all
// links followed; "" if the file is the user's own. The file need not exist.
func Project(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	dir, name := filepath.Dir(file), filepath.Base(file)
	switch parent := filepath.Base(dir); {
	case name == ".mcp.json":
		return realPath(dir)
	case name == "mcp.json" && (parent == ".cursor" || parent == ".vscode"), name == hookFile && parent == hookFolder:
	default:
		return "", nil
	}
	project, err := realPath(filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	if home, err := os.UserHomeDir(); err == nil && filepath.Base(dir) == ".cursor" {
		if home, err = realPath(home); err == nil && home == project {
			return "", nil
		}
	}
	return project, nil
}

// realPath follows the links in a path. What is not there yet stays as it is. Errors:
// [ErrInvalid] for a link that leads nowhere, and those of package os.
func realPath(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if info, here := os.Lstat(dir); err != nil && here == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", leadsNowhere(dir, err)
	}
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		above, err := realPath(filepath.Dir(dir))
		return filepath.Join(above, filepath.Base(dir)), err
	}
	return real, err
}
