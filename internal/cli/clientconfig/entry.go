package clientconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	if e.fields, err = c.format.entry(content, name); err != nil {
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

// String returns the entry on one line, as JSON. The values of variables and of headers, which may be
// secrets, are hidden. A long text is cut.
func (e Entry) String() string {
	fields, _ := e.fields.(map[string]any)
	shown := maps.Clone(fields)
	for _, key := range []string{"env", "environment", "headers"} {
		values, _ := fields[key].(map[string]any)
		hidden := map[string]any{}
		for name := range values {
			hidden[name] = "(hidden)"
		}
		if len(hidden) > 0 {
			shown[key] = hidden
		}
	}
	if shown == nil {
		return cut(quoteJSON(e.fields))
	}
	return cut(quoteJSON(shown))
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
