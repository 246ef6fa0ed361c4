package main

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

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// jsonConfig is a file of JSON, with or without comments, in which servers are
// the members of one object.
type jsonConfig struct {
	key   string // of that object
	typed bool   // an entry says its transport
}

func (j jsonConfig) fields(s server) (names []string, values []any) {
	names, values = []string{"command", "args"}, []any{s.Command, s.Args}
	if j.typed {
		names, values = append([]string{"type"}, names...), append([]any{"stdio"}, values...)
	}
	return names, values
}

func (j jsonConfig) snippet(name string, s server) string {
	content, _, err := j.edit(nil, name, s)
	if err != nil {
		panic(err) // an empty file has nothing to be wrong
	}
	return string(content)
}

const byteOrderMark = "\ufeff"

// edit leaves every other byte as it is, comments and order included.
func (j jsonConfig) edit(old []byte, name string, s server) (content []byte, changed []string, err error) {
	text, marked := bytes.CutPrefix(old, []byte(byteOrderMark))
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		return nil, nil, fmt.Errorf("it is no valid JSON: %v; mend it first: %w", err, workspace.ErrInvalid)
	}
	top, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, nil, fmt.Errorf("it is no JSON object; mend it first: %w", workspace.ErrInvalid)
	}
	if changed, err = j.set(top, layoutOf(top, text), name, s); err != nil {
		return nil, nil, err
	}
	if len(changed) == 0 {
		return old, nil, nil
	}
	content = root.Pack()
	if marked {
		content = append([]byte(byteOrderMark), content...)
	}
	return content, changed, nil
}

// set puts the server among the others.
func (j jsonConfig) set(top *hujson.Object, l layout, name string, s server) (changed []string, err error) {
	servers, err := memberObject(top, j.key)
	if err != nil {
		return nil, err
	}
	if servers == nil {
		servers = &hujson.Object{}
		l.add(top, 1, j.key, servers)
	}
	entry, err := memberObject(servers, name)
	if err != nil {
		return nil, err
	}
	isNew := entry == nil
	if isNew {
		entry = &hujson.Object{}
		l.add(servers, 2, name, entry)
	}
	for _, remote := range []string{"url", "serverUrl"} {
		if i, _ := memberIndex(entry, remote); i >= 0 {
			return nil, fmt.Errorf("%s in it is a server at a URL; give another name with --server-name, or remove that one: %w", name, workspace.ErrConflict)
		}
	}
	if kind := typeOf(entry); kind != "" && kind != `"stdio"` {
		return nil, fmt.Errorf("%s in it is a server of type %s, not stdio; give another name with --server-name, or remove that one: %w", name, kind, workspace.ErrConflict)
	}
	names, values := j.fields(s)
	for i, field := range names {
		was, err := l.setField(entry, 3, field, values[i])
		if errors.Is(err, errComment) {
			return nil, byHand(commentInside, j.snippet(name, s.withoutKeys()))
		}
		if err != nil {
			return nil, err
		}
		if was != "" && !isNew {
			changed = append(changed, fmt.Sprintf("%s: %s was %s, is %s", name, field, was, quoteJSON(values[i])))
		}
	}
	set, err := j.setEnv(entry, l, name, s)
	if errors.Is(err, errComment) {
		return nil, byHand(commentInside, j.snippet(name, s.withoutKeys()))
	}
	if err != nil {
		return nil, err
	}
	changed = append(changed, set...)
	if isNew {
		changed = []string{fmt.Sprintf("%s: added to %s", name, j.key)}
	}
	return changed, nil
}

// setEnv puts the server's variables among those that the entry has. What it
// returns does not show their values, of which one may be a key.
func (j jsonConfig) setEnv(entry *hujson.Object, l layout, name string, s server) (changed []string, err error) {
	if len(s.Env) == 0 {
		return nil, nil
	}
	env, err := memberObject(entry, "env")
	if err != nil {
		return nil, err
	}
	if env == nil {
		env = &hujson.Object{}
		l.add(entry, 3, "env", env)
	}
	for _, variable := range slices.Sorted(maps.Keys(s.Env)) {
		was, err := l.setField(env, 4, variable, s.Env[variable])
		if err != nil {
			return nil, err
		}
		if was != "" {
			changed = append(changed, fmt.Sprintf("%s: env %s is set", name, variable))
		}
	}
	return changed, nil
}

// typeOf is the transport that an entry says, as JSON; "" if none.
func typeOf(entry *hujson.Object) string {
	i, err := memberIndex(entry, "type")
	if err != nil || i < 0 {
		return ""
	}
	v := entry.Members[i].Value.Clone()
	v.Minimize()
	return v.String()
}

// errComment says that a value is not replaced.
var errComment = errors.New(commentInside)

// setField returns what the field was before, "" where it is the same.
func (l layout) setField(o *hujson.Object, depth int, name string, value any) (was string, err error) {
	v, err := hujson.Parse([]byte(inlineJSON(value)))
	if err != nil {
		return "", err
	}
	i, err := memberIndex(o, name)
	if err != nil {
		return "", err
	}
	if i < 0 {
		l.add(o, depth, name, v.Value)
		return "not there", nil
	}
	have := &o.Members[i].Value
	if sameJSON(*have, v) {
		return "", nil
	}
	before := hujson.Value{Value: have.Value}
	before = before.Clone()
	if commented(before) {
		return "", errComment
	}
	before.Minimize()
	have.Value = v.Value
	return string(before.Pack()), nil
}

// commented reports whether there is a comment inside of a value.
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

// memberIndex is -1 where there is no such member. Programs differ in which of
// two they take.
func memberIndex(o *hujson.Object, name string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("it has %q twice; remove one: %w", name, workspace.ErrInvalid)
		}
		found = i
	}
	return found, nil
}

// memberObject is nil where there is no such member.
func memberObject(o *hujson.Object, name string) (*hujson.Object, error) {
	i, err := memberIndex(o, name)
	if err != nil || i < 0 {
		return nil, err
	}
	object, ok := o.Members[i].Value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%q in it is no object; mend it first: %w", name, workspace.ErrInvalid)
	}
	return object, nil
}

// layout is how a file ends its lines and indents them.
type layout struct{ newline, unit string }

func layoutOf(top *hujson.Object, text []byte) layout {
	l := layout{"\n", "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		l.newline = "\r\n"
	}
	if len(top.Members) > 0 {
		if indent, ok := indentOf(top.Members[0].Name.BeforeExtra); ok && indent != "" {
			l.unit = indent
		}
	}
	return l
}

// indentOf is the space before a member that begins a line.
func indentOf(before hujson.Extra) (string, bool) {
	i := bytes.LastIndexByte(before, '\n')
	if i < 0 {
		return "", false
	}
	indent := string(before[i+1:])
	return indent, strings.Trim(indent, " \t") == ""
}

// add appends a member, laid out as those before it are. What stands between
// the last of them and the closing brace, such as a comment, stays there.
func (l layout) add(o *hujson.Object, depth int, name string, value hujson.ValueTrimmed) {
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value}}
	lead := l.newline + strings.Repeat(l.unit, depth)
	inline := false
	if n := len(o.Members); n > 0 {
		last := o.Members[n-1]
		indent, ownLine := indentOf(last.Name.BeforeExtra)
		switch {
		case ownLine:
			lead = l.newline + indent
		case !bytes.Contains(o.AfterExtra, []byte("//")):
			lead, inline = " ", true
		}
		if last.Value.AfterExtra != nil { // a comma ends the last one
			m.Value.AfterExtra = hujson.Extra{}
		}
	}
	kept := bytes.TrimRight(o.AfterExtra, " \t\r\n")
	end := string(o.AfterExtra[len(kept):])
	if !inline && !strings.Contains(end, "\n") {
		end = l.newline + strings.Repeat(l.unit, depth-1)
	}
	m.Name.BeforeExtra = append(bytes.Clone(kept), lead...)
	o.AfterExtra = hujson.Extra(end)
	o.Members = append(o.Members, m)
}
