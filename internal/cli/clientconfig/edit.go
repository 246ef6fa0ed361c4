package clientconfig

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
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
			return nil, nil, Errorf(store.ErrInvalid, "%q in it is not an entry of a server; mend it first", name)
		}
		all := c.format.fields(s)
		for _, f := range all {
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
		content, err = c.format.set(old, name, all)
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
	File     string
	Old, New []byte   // the content before and after; nil: there is no file
	Changed  []string // what would change, a sentence each; none has the value of a variable
}

// Preview returns what the change would do, and changes nothing. Errors: those of [CheckLink] and
// [ErrByHand].
func (c Change) Preview() (p Preview, err error) {
	p.File = c.File
	if err := CheckLink(c.File); err != nil {
		return p, err
	}
	if p.Old, err = ReadFile(p.File); unlessMissing(err) != nil {
		return p, err
	}
	if p.New, p.Changed, err = c.edit(p.Old); err != nil {
		return p, ofFile(p.File, err)
	}
	if len(p.Changed) == 0 {
		p.New = p.Old
	}
	return p, nil
}

// Write makes the change. The errors are those of [Replace].
func (p Preview) Write() error { return Replace(p.File, p.Old, p.New) }

// checkMark returns an error if a text begins with a byte order mark: the parsers name a character that
// nobody can see.
func checkMark(text []byte) error {
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} { // of UTF-8 and UTF-16
		if bytes.HasPrefix(text, []byte(mark)) {
			return Errorf(store.ErrInvalid, "it begins with a byte order mark, which editors do not show; save it as "+
				"UTF-8 without one")
		}
	}
	return nil
}

func ofFile(file string, err error) error { return fmt.Errorf("edit %s: %w", file, err) }
