package clientconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
)

// An Entry is all that a client's file has of a server.
type Entry struct {
	fields any // as the decoder of the file's format returns it; nil: there is none
}

// ReadEntry returns the entry that the client's file has under a name. A missing file has
// none.
func (c Client) ReadEntry(file, name string) (Entry, error) {
	content, err := ReadFile(file)
	if err != nil {
		return Entry{}, unlessMissing(err)
	}
	return c.EntryIn(file, content, name)
}

// EntryIn returns the entry under a name in a content of the client's file.
func (c Client) EntryIn(file string, content []byte, name string) (e Entry, err error) {
	text, _, err := cutMark(content)
	if err == nil {
		e.fields, err = c.format.entry(text, name)
	}
	if err != nil {
		return Entry{}, ofFile(file, err)
	}
	return e, nil
}

// Server returns the program and the arguments of an entry, and whether there is one.
// Variables are not read.
func (e Entry) Server() (s Server, found bool) {
	fields, found := e.fields.(map[string]any)
	args, _ := fields["args"].([]any)
	list, _ := fields["command"].([]any)
	for _, arg := range append(list, args...) {
		text, _ := arg.(string)
		s.Args = append(s.Args, text)
	}
	s.Command, _ = fields["command"].(string)
	if len(list) > 0 {
		s.Command, s.Args = s.Args[0], s.Args[1:]
	}
	return s, found
}

// Starts reports whether an entry starts the same program with the same arguments as
// another one. Both may have more, such as what a client notes beside them.
func (e Entry) Starts(other Entry) bool {
	a, _ := e.Server()
	b, found := other.Server()
	return found && a.Command != "" && a.Command == b.Command && slices.Equal(a.Args, b.Args)
}

// Exists reports whether there is an entry.
func (e Entry) Exists() bool { return e.fields != nil }

// Equal reports whether two entries have the same fields with the same values.
func (e Entry) Equal(other Entry) bool { return reflect.DeepEqual(e.fields, other.fields) }

// String returns the entry on one line, as JSON. The values of variables and of headers are
// hidden. A long text is cut.
func (e Entry) String() string {
	fields, ok := e.fields.(map[string]any)
	if !ok {
		return cut(quoteJSON(e.fields))
	}
	shown := map[string]any{}
	for _, f := range withoutValues(fieldsOf(fields)) {
		shown[f.key] = f.value
	}
	return cut(quoteJSON(shown))
}

// withoutValues returns the fields of an entry. The values of variables and of headers, which may be
// secrets, are hidden, but not those that this program has set.
func withoutValues(fields []field) (shown []field) {
	for _, f := range fields {
		values, ok := f.value.(map[string]any)
		if ok && (f.key == "env" || f.key == "environment" || f.key == "headers") {
			hidden := map[string]any{}
			for name := range values {
				hidden[name] = "(hidden)"
			}
			f.value = hidden
		}
		shown = append(shown, f)
	}
	return shown
}

// cut returns the beginning of a long text.
func cut(text string) string {
	if len(text) <= 1000 {
		return text
	}
	return fmt.Sprintf("%.1000s...", text)
}

// unlessMissing returns the error, but nil for a missing file.
func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
