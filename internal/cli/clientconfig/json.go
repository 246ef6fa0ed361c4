package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonFormat is a JSON file, with or without comments. The servers are the members
// of one object.
type jsonFormat struct {
	key    string // the name of that object
	typed  bool   // an entry of a server that the client starts has the type "stdio"
	remote remote // how an entry has a server at a URL
}

// fields returns the fields of an entry, and their values, in order.
func (j jsonFormat) fields(s Server) (names []string, values []any) {
	if s.URL != "" {
		return j.remote.fields(s)
	}
	names, values = []string{"command", "args"}, []any{s.Command, s.Args}
	if j.typed {
		names, values = append([]string{"type"}, names...), append([]any{"stdio"}, values...)
	}
	return names, values
}

func (j jsonFormat) snippet(name string, s Server) string {
	content, _, err := j.edit(nil, name, s)
	if err != nil {
		panic(err) // nothing can be wrong with an empty file
	}
	return string(content)
}

func (j jsonFormat) edit(old []byte, name string, s Server) (content []byte, changed []string, err error) {
	var path []string
	content, changed, err = editJSON(old, func(top *hujson.Object, l layout) ([]string, error) {
		path = []string{j.key, name}
		return j.set(top, l, name, s)
	})
	if errors.Is(err, errComment) {
		where, text := inPlace(old, content, memberSpan(old, path), name)
		return nil, nil, byHand(commentInside, where, text)
	}
	return content, changed, err
}

// memberSpan returns where a text of JSON has the member at a path.
func memberSpan(text []byte, path []string) (at span) {
	v, err := hujson.Parse(bytes.Clone(text))
	for _, name := range path {
		object, ok := v.Value.(*hujson.Object)
		if err != nil || !ok {
			return at
		}
		var i int
		if i, err = memberIndex(object, name); err != nil || i < 0 {
			return at
		}
		v = object.Members[i].Value
		at = span{object.Members[i].Name.StartOffset, v.EndOffset}
	}
	return at
}

// editJSON lets set change the object of a file. It keeps every other byte, comments
// and order included. If set has changed nothing, the content is the old one. If a comment
// would be lost, the error is errComment, and the content is without the comment.
func editJSON(
	old []byte, set func(*hujson.Object, layout) (changed []string, err error),
) (content []byte, changed []string, err error) {
	text := old
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		return nil, nil, fail(ErrInvalid, "it is not valid JSON: %v; mend it first", err)
	}
	top, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, nil, fail(ErrInvalid, "it is not a JSON object; mend it first")
	}
	l := layoutOf(top, text)
	if changed, err = set(top, l); err != nil {
		return nil, nil, err
	}
	if *l.lost {
		return root.Pack(), nil, errComment
	}
	if len(changed) == 0 {
		return old, nil, nil
	}
	return root.Pack(), changed, nil
}

// remove takes a server out, and the object of the servers if it is empty then.
func (j jsonFormat) remove(old []byte, name string) (content []byte, changed []string, err error) {
	if len(bytes.TrimSpace(old)) == 0 {
		return old, nil, nil
	}
	return editJSON(old, func(top *hujson.Object, _ layout) ([]string, error) {
		if _, err := memberIndex(top, j.key); err != nil {
			return nil, err
		}
		servers, ok := child(top, j.key).(*hujson.Object)
		if !ok || !removeMember(servers, name) {
			return nil, nil
		}
		if len(servers.Members) == 0 {
			removeMember(top, j.key)
		}
		return []string{fmt.Sprintf("%s: removed from %s", name, j.key)}, nil
	})
}

func (j jsonFormat) read(text []byte, name string) (s Server, found bool, err error) {
	entry, err := j.standard(text, name)
	if err != nil || entry == nil {
		return Server{}, false, err
	}
	var fields struct {
		Command string
		Args    []string
	}
	if json.Unmarshal(entry, &fields) != nil {
		return Server{}, false, fail(ErrInvalid, "it does not have a server under the name %s in %q; mend it first",
			name, j.key)
	}
	return Server{Command: fields.Command, Args: fields.Args}, true, nil
}

func (j jsonFormat) entry(text []byte, name string) (entry any, err error) {
	raw, err := j.standard(text, name)
	if err != nil || raw == nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &entry); err != nil {
		return nil, fail(ErrInvalid, "it is not valid JSON: %v; mend it first", err)
	}
	return entry, nil
}

// standard returns the entry of a server as standard JSON; nil if there is none.
func (j jsonFormat) standard(text []byte, name string) (entry json.RawMessage, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	root, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		return nil, fail(ErrInvalid, "it is not valid JSON: %v; mend it first", err)
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, fail(ErrInvalid, "it is not a JSON object; mend it first")
	}
	at := root
	for _, key := range []string{j.key, name} {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, fail(ErrInvalid, "it does not have servers in %q; mend it first", j.key)
		}
		i, err := memberIndex(object, key)
		if err != nil || i < 0 {
			return nil, err
		}
		if at = object.Members[i].Value; isNull(at) {
			return nil, nil
		}
	}
	at = at.Clone()
	at.Minimize()
	return at.Pack(), nil
}

// set puts the server among the others. It returns what it changed.
func (j jsonFormat) set(top *hujson.Object, l layout, name string, s Server) (changed []string, err error) {
	servers, _, err := l.object(top, 1, j.key)
	if err != nil {
		return nil, err
	}
	entry, isNew, err := l.object(servers, 2, name)
	if err != nil {
		return nil, err
	}
	if err := checkLocal(entry, name); err != nil {
		return nil, err
	}
	changed, err = j.setFields(entry, l, name, s)
	if err != nil {
		return nil, err
	}
	if isNew {
		changed = []string{fmt.Sprintf("%s: added to %s", name, j.key)}
	}
	return changed, nil
}

// checkLocal returns an error if the entry is of a server that the client connects
// to, and does not start.
func checkLocal(entry *hujson.Object, name string) error {
	for _, remote := range []string{"url", "serverUrl"} {
		if i, _ := memberIndex(entry, remote); i >= 0 {
			return fail(ErrTaken, "it has a server at a URL under the name %s", name)
		}
	}
	if kind := typeOf(entry); kind != "" && kind != `"stdio"` {
		return fail(ErrTaken, "it has a server of type %s, not stdio, under the name %s", kind, name)
	}
	return nil
}

// setFields sets the fields of the entry that differ.
func (j jsonFormat) setFields(entry *hujson.Object, l layout, name string, s Server) (changed []string, err error) {
	names, values := j.fields(s)
	for i, field := range names {
		was, err := l.setField(entry, 3, field, values[i])
		if err != nil {
			return nil, err
		}
		if was != "" {
			changed = append(changed, fmt.Sprintf("%s: %s was %s, is %s", name, field, was, quoteJSON(values[i])))
		}
	}
	env, err := setSecrets(entry, l, name, "env", s.Env)
	if err != nil {
		return nil, err
	}
	headers, err := setSecrets(entry, l, name, "headers", s.Headers)
	return slices.Concat(changed, env, headers), err
}

// setSecrets puts texts among those that a field of the entry has. What it returns does
// not show them, because one may be a key, now or before.
func setSecrets(
	entry *hujson.Object, l layout, name, field string, texts map[string]string,
) (changed []string, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	object, _, err := l.object(entry, 3, field)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		was, err := l.setField(object, 4, key, texts[key])
		if err != nil {
			return nil, err
		}
		if was != "" {
			changed = append(changed, fmt.Sprintf("%s: %s %s is set", name, field, key))
		}
	}
	return changed, nil
}

// typeOf returns the type in an entry, as JSON; "" if there is none.
func typeOf(entry *hujson.Object) string {
	v := hujson.Value{Value: child(entry, "type")}
	if v.Value == nil {
		return ""
	}
	v = v.Clone()
	v.Minimize()
	return v.String()
}

func isNull(v hujson.Value) bool {
	literal, ok := v.Value.(hujson.Literal)
	return ok && literal.Kind() == 'n'
}

// commented reports whether there is a comment inside a value.
func commented(v hujson.Value) bool {
	for v := range v.All() {
		extra := [][]byte{v.BeforeExtra, v.AfterExtra}
		switch inner := v.Value.(type) {
		case *hujson.Array:
			extra = append(extra, inner.AfterExtra)
		case *hujson.Object:
			extra = append(extra, inner.AfterExtra)
		}
		if bytes.Contains(bytes.Join(extra, nil), []byte("/")) {
			return true
		}
	}
	return false
}

func sameJSON(a, b hujson.Value) bool {
	var av, bv any
	for _, x := range []struct {
		v    hujson.Value
		into *any
	}{{a, &av}, {b, &bv}} {
		v := x.v.Clone()
		v.Standardize()
		if json.Unmarshal(v.Pack(), x.into) != nil {
			return false
		}
	}
	return reflect.DeepEqual(av, bv)
}

// inlineJSON is a string, or a list of them with a space after each comma.
func inlineJSON(v any) string {
	list, ok := v.([]string)
	if !ok {
		return quoteJSON(v)
	}
	var items []string
	for _, s := range list {
		items = append(items, quoteJSON(s))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// memberIndex returns -1 if there is no such member. Two of the same name are an
// error, because programs differ in which one they use.
func memberIndex(o *hujson.Object, name string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found >= 0 {
			return 0, fail(ErrInvalid, "it has %q twice; remove one", name)
		}
		found = i
	}
	return found, nil
}

// child returns the value of a member, and nil if v is no object or has no such member, or
// two.
func child(v hujson.ValueTrimmed, name string) hujson.ValueTrimmed {
	o, ok := v.(*hujson.Object)
	if !ok || o == nil {
		return nil
	}
	if i, err := memberIndex(o, name); err == nil && i >= 0 {
		return o.Members[i].Value.Value
	}
	return nil
}
