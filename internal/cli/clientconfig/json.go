package clientconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonFormat is a JSON file, with or without comments. The servers are the members
// of one object.
type jsonFormat struct {
	key  string // the name of that object
	kind string // the type in an entry of a server that the client starts; "": none
	list bool   // such an entry has the program and the arguments in one list
	env  string // its field with the variables; "": env

	// How an entry has a server at a URL: the field of the URL, "" if the client has no such
	// servers, and the type, "" if the entry has none.
	url, http string
}

func (j jsonFormat) within() string { return j.key }

func (j jsonFormat) fields(s Server) (all []field) {
	kind := j.kind
	if s.URL != "" {
		kind = j.http
	}
	if kind != "" {
		all = []field{{"type", kind}}
	}
	switch {
	case s.URL != "":
		all = append(all, field{j.url, s.URL})
	case j.list:
		all = append(all, field{"command", anySlice(append([]string{s.Command}, s.Args...))})
	default:
		all = append(all, field{"command", s.Command}, field{"args", anySlice(s.Args)})
	}
	if len(s.Env) > 0 {
		all = append(all, field{cmp.Or(j.env, "env"), s.Env})
	}
	if len(s.Headers) > 0 {
		all = append(all, field{"headers", s.Headers})
	}
	return all
}

func (j jsonFormat) entry(text []byte, name string) (entry any, err error) {
	v, _, err := find(text, []string{j.key, name})
	return decoded(v), err
}

func (j jsonFormat) set(text []byte, name string, _ map[string]any, fields []field) (_ []byte, err error) {
	for _, f := range fields {
		if text, err = setJSON(text, []string{j.key, name, f.key}, f.value); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// remove takes a server out, and the object of the servers if it is empty then.
func (j jsonFormat) remove(text []byte, name string) ([]byte, error) {
	text, err := removeJSON(text, []string{j.key, name})
	if err != nil {
		return nil, err
	}
	return removeEmpty(text, []string{j.key})
}

// find returns the value at a path in a text, and where it is, with its name. The value is
// empty if there is none. The path has the names of members and the indexes of elements.
// A text without anything is an empty object. Two members of a name on the path are an
// error, because programs differ in which one they use.
func find(text []byte, path []string) (v hujson.Value, at span, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return v, at, nil
	}
	if v, err = hujson.Parse(bytes.Clone(text)); err != nil {
		return v, at, fail(ErrInvalid, "it is not valid JSON: %v; mend it first", err)
	}
	if v.Value.Kind() != '{' {
		return v, at, fail(ErrInvalid, "it is not a JSON object; mend it first")
	}
	for _, name := range path {
		items := itemsOf(v)
		i := slices.IndexFunc(items, func(it item) bool { return it.name == name })
		if i < 0 {
			return hujson.Value{}, at, nil
		}
		if slices.ContainsFunc(items[i+1:], func(it item) bool { return it.name == name }) {
			return v, at, fail(ErrInvalid, "it has %q twice; remove one", name)
		}
		v, at = items[i].value, items[i].at
	}
	return v, at, nil
}

// An item is a member of an object, or an element of a list.
type item struct {
	name  string // or the index
	value hujson.Value
	at    span // with its name, without a comma
	end   int  // after its comma, if it has one
}

func itemsOf(v hujson.Value) (items []item) {
	add := func(name string, from int, v hujson.Value, isLast bool) {
		end := v.EndOffset
		if !isLast || v.AfterExtra != nil {
			end += len(v.AfterExtra) + 1
		}
		items = append(items, item{name, v, span{from, v.EndOffset}, end})
	}
	switch v := v.Value.(type) {
	case *hujson.Object:
		for i, m := range v.Members {
			add(m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, m.Value, i == len(v.Members)-1)
		}
	case *hujson.Array:
		for i, e := range v.Elements {
			add(strconv.Itoa(i), e.StartOffset, e, i == len(v.Elements)-1)
		}
	}
	return items
}

// compact returns a value as standard JSON.
func compact(v hujson.Value) []byte {
	v = v.Clone()
	v.Minimize()
	return v.Pack()
}

// decoded returns a value as encoding/json decodes it; nil if there is none.
func decoded(v hujson.Value) (value any) {
	if v.Value != nil {
		json.Unmarshal(compact(v), &value)
	}
	return value
}

// setJSON sets the member at a path: to a string, a list, or an object of strings, whose
// other members stay. It keeps every other byte of the text.
func setJSON(text []byte, path []string, value any) (_ []byte, err error) {
	if texts, ok := value.(map[string]string); ok {
		for _, key := range slices.Sorted(maps.Keys(texts)) {
			if text, err = setJSON(text, slices.Concat(path, []string{key}), texts[key]); err != nil {
				return nil, err
			}
		}
		return text, nil
	}
	above, name := path[:len(path)-1], path[len(path)-1]
	if text, err = ensure(text, above, "{}"); err != nil {
		return nil, err
	}
	v, at, err := find(text, path)
	if err != nil {
		return nil, err
	}
	member := fmt.Sprintf("%s: %s", quoteJSON(name), inlineJSON(value))
	switch {
	case v.Value == nil:
		return insert(text, above, member)
	case bytes.Count(text[v.StartOffset:v.EndOffset], []byte("/")) > bytes.Count(compact(v), []byte("/")):
		return nil, byHand(commentInside, text, at, name, member)
	}
	return splice(text, span{v.StartOffset, v.EndOffset}, inlineJSON(value)), nil
}

func splice(text []byte, at span, by string) []byte {
	return slices.Concat(text[:at.from], []byte(by), text[at.to:])
}

// inlineJSON is a string, or a list of them with a space after each comma.
func inlineJSON(v any) string {
	list, ok := v.([]any)
	if !ok {
		return quoteJSON(v)
	}
	var items []string
	for _, s := range list {
		items = append(items, quoteJSON(s))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// ensure puts an empty object or list at a path where the text has nothing or null.
func ensure(text []byte, path []string, empty string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	v, _, err := find(text, path)
	switch {
	case err != nil:
		return nil, err
	case v.Value == nil:
		above, name := path[:len(path)-1], path[len(path)-1]
		if text, err = ensure(text, above, "{}"); err != nil {
			return nil, err
		}
		return insert(text, above, quoteJSON(name)+": "+empty)
	case v.Value.Kind() == 'n':
		return splice(text, span{v.StartOffset, v.EndOffset}, empty), nil
	case v.Value.Kind() != hujson.Kind(empty[0]):
		return nil, fail(ErrInvalid, "%q in it is not %s; mend it first", path[len(path)-1], map[string]string{
			"{}": "an object", "[]": "a list"}[empty])
	}
	return text, nil
}

// layoutOf returns how a text ends its lines and indents them. What comes into a text on one
// line stays on that line.
func layoutOf(text []byte) (newline, unit string) {
	newline, unit = "\n", "  "
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	if top, _, err := find(text, nil); err == nil && len(itemsOf(top)) > 0 {
		if !bytes.Contains(bytes.TrimSpace(text), []byte("\n")) {
			return " ", ""
		}
		if indent, ok := indentAt(text, itemsOf(top)[0].at.from); ok && indent != "" {
			unit = indent
		}
	}
	return newline, unit
}

// indentAt returns the space before an offset, and whether nothing else is before it on its
// line.
func indentAt(text []byte, at int) (indent string, ok bool) {
	i := bytes.LastIndexByte(text[:at], '\n')
	return string(text[i+1 : at]), i >= 0 && len(bytes.TrimLeft(text[i+1:at], " \t")) == 0
}

// insert appends an item to the object or list at a path, laid out like those before it. A
// comment after the last item stays there, before the new one.
func insert(text []byte, path []string, item string) ([]byte, error) {
	v, _, err := find(text, path)
	if err != nil {
		return nil, err
	}
	newline, unit := layoutOf(text)
	end := v.EndOffset - 1
	kept := bytes.TrimRight(text[:end], " \t\r\n")
	tail := string(text[len(kept):end])
	lead := newline + strings.Repeat(unit, len(path)+1)
	inline := false
	if items := itemsOf(v); len(items) > 0 {
		last := items[len(items)-1]
		indent, ownLine := indentAt(text, last.at.from)
		_, isMember := v.Value.(*hujson.Object)
		switch {
		case ownLine:
			lead = newline + indent
		case isMember && !bytes.Contains(kept[last.at.to:], []byte("//")):
			lead, inline = " ", true
		}
		if last.end > last.at.to { // there is a comma after the last item
			item += ","
		} else {
			kept = splice(kept, span{last.at.to, last.at.to}, ",")
		}
	}
	if !inline && !strings.Contains(tail, "\n") {
		tail = newline + strings.Repeat(unit, len(path))
	}
	return slices.Concat(kept, []byte(lead+item+tail), text[end:]), nil
}

// removeJSON removes what is at a path, if there is something. Comments before it stay.
func removeJSON(text []byte, path []string) ([]byte, error) {
	v, at, err := find(text, path)
	if err != nil || v.Value == nil {
		return text, err
	}
	above, _, err := find(text, path[:len(path)-1])
	if err != nil {
		return nil, err
	}
	items := itemsOf(above)
	i := slices.IndexFunc(items, func(it item) bool { return it.at == at })
	last, before := i == len(items)-1, above.StartOffset+1
	if i > 0 {
		before = items[i-1].end
	}
	cut := span{before + len(bytes.TrimRight(text[before:at.from], " \t\r\n")), items[i].end}
	isComment, rest := cut.from > before, bytes.TrimLeft(text[cut.to:], " \t")
	if len(items) == 1 && !isComment {
		if space := bytes.TrimLeft(text[cut.to:above.EndOffset], " \t\r\n"); len(space) == 1 {
			cut.to = above.EndOffset - 1
		}
	}
	by := ""
	if isComment && bytes.Contains(text[before:cut.from], []byte("//")) && rest[0] != '\n' && rest[0] != '\r' {
		by = "\n"
	}
	text = splice(text, cut, by)
	if last && i > 0 && items[i].end == at.to { // the last item has no comma, so the one before gets none
		text = splice(text, span{before - 1, before}, "")
	}
	return text, nil
}

// removeEmpty removes the object or list at a path, if it is empty.
func removeEmpty(text []byte, path []string) ([]byte, error) {
	if v, _, err := find(text, path); err != nil || v.Value == nil || len(itemsOf(v)) > 0 {
		return text, err
	}
	return removeJSON(text, path)
}
