package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
)

// An edit returns the new content of a file, and what has changed, a sentence each. If
// nothing has changed, the content does not count.
type edit func(old []byte) (content []byte, changed []string, err error)

// A Change is an edit of a client's file that is still to be made.
type Change struct {
	File string
	edit edit
}

// AddServer returns the change that puts a server into the client's file under a name. An entry that
// this program has written keeps what the client, or the user, has added to it.
func (c Client) AddServer(file, name string, s Server) Change {
	return Change{File: file, edit: func(old []byte) (content []byte, changed []string, err error) {
		have, err := c.format.entry(old, name)
		if err != nil {
			return nil, nil, err
		}
		entry, ok := have.(map[string]any)
		if have != nil && !ok {
			return nil, nil, fail(ErrInvalid, "%q in it is not an entry of a server; mend it first", name)
		}
		all, others := c.format.fields(s), maps.Clone(entry)
		for _, f := range all {
			delete(others, f.key)
			if !reflect.DeepEqual(entry[f.key], f.value) {
				changed = append(changed, sentence(name+": "+f.key, entry[f.key], f.value))
			}
		}
		if len(changed) == 0 {
			return old, nil, nil
		}
		if have == nil {
			changed = []string{fmt.Sprintf("%s: added to %s", name, c.format.within())}
		}
		content, err = c.format.set(old, name, append(all, fieldsOf(others)...))
		return content, changed, err
	}}
}

// sentence says what a value was, and what it is.
func sentence(what string, was, is any) string {
	before := "not there"
	if was != nil {
		before = quoteJSON(was)
	}
	return fmt.Sprintf("%s was %s, is %s", what, before, quoteJSON(is))
}

// RemoveServer returns the change that takes a server out of the client's file. If the
// file does not have it, nothing changes.
func (c Client) RemoveServer(file, name string) Change {
	return Change{File: file, edit: func(old []byte) (content []byte, changed []string, err error) {
		if have, err := c.format.entry(old, name); err != nil || have == nil {
			return old, nil, err
		}
		content, err = c.format.remove(old, name)
		return content, []string{fmt.Sprintf("%s: removed from %s", name, c.format.within())}, err
	}}
}

// A Preview says what a [Change] would do.
type Preview struct {
	File     string      // the file, or the one that a link leads to
	Exists   bool        // the file is there
	Mode     fs.FileMode // of the file that is there
	Old, New []byte      // its content before and after
	Changed  []string    // what would change, a sentence each; none has the value of a variable
}

// Preview returns what the change would do, and changes nothing. Errors: those of [Inside] and
// [ErrByHand].
func (c Change) Preview() (p Preview, err error) {
	if p.File, err = FollowLink(c.File); err != nil {
		return p, err
	}
	if _, err = Inside(c.File); err != nil {
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
	text, mark, err := cutMark(p.Old)
	if err == nil {
		p.New, p.Changed, err = c.edit(text)
	}
	if err != nil {
		return p, ofFile(p.File, err)
	}
	if p.New = append([]byte(mark), p.New...); len(p.Changed) == 0 {
		p.New = p.Old
	}
	return p, nil
}

// Write makes the change in one step. If there is no file, Write makes it and its folders.
// Errors: [ErrChanged] if the file is not what the preview has seen, and those of package os.
func (p Preview) Write() error {
	switch {
	case bytes.Equal(p.Old, p.New):
		return nil
	case p.Exists:
		return replaceFile(p.File, p.Old, p.New, p.Mode)
	}
	if err := os.MkdirAll(filepath.Dir(p.File), 0o755); err != nil {
		return err
	}
	return makeFile(p.File, 0o644, p.New)
}

func ofFile(file string, err error) error { return fmt.Errorf("edit %s: %w", onOneLine(file), err) }

// Restore puts a file back as it was before an edit: with the content and the mode that
// it had, or gone, if existed is false. It does nothing, and reports false, if the file
// does not have the content that the edit has left.
func Restore(file string, left, was []byte, existed bool, mode fs.FileMode) (done bool, err error) {
	info, err := os.Lstat(file)
	if err != nil {
		return !existed && errors.Is(err, fs.ErrNotExist), nil
	}
	now, err := readFile(file)
	switch {
	case err != nil:
		return false, err
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
