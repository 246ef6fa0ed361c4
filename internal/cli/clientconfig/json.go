package clientconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
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

func (j jsonFormat) entry(text []byte, name string) (any, error) {
	d, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	return d.value(j.key, name)
}

func (j jsonFormat) set(text []byte, name string, entry []field) ([]byte, error) {
	d, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	all, err := d.ensure([]string{j.key}, '{')
	if err != nil {
		return nil, err
	}
	const depth = 2
	v, err := d.at(j.key, name)
	switch content := d.text(entry, depth); {
	case err != nil:
		return nil, err
	case v == nil:
		d.add(all, depth, name, content)
	case bytes.Count(hujson.Value{Value: v.Value}.Pack(), []byte("/")) > bytes.Count(compact(v), []byte("/")):
		return nil, byHand(commentInside, quoteJSON(name)+": "+d.text(withoutValues(entry), depth))
	default:
		v.Value = literal(content)
	}
	return d.top.Pack(), nil
}

// text returns a value as JSON: an object with a line for each member, or a list on one line.
func (d *document) text(v any, depth int) string {
	fields, isObject := v.([]field)
	switch v := v.(type) {
	case map[string]string:
		fields, isObject = fieldsOf(v), true
	case map[string]any:
		fields, isObject = fieldsOf(v), true
	case []any:
		var items []string
		for _, one := range v {
			items = append(items, quoteJSON(one))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	if !isObject {
		return quoteJSON(v)
	}
	var members []string
	lead := d.newline + strings.Repeat(d.unit, depth)
	for _, f := range fields {
		members = append(members, lead+d.unit+quoteJSON(f.key)+": "+d.text(f.value, depth+1))
	}
	return "{" + strings.Join(members, ",") + lead + "}"
}

// remove takes a server out, and the object of the servers if it is empty then.
func (j jsonFormat) remove(text []byte, name string) ([]byte, error) {
	d, err := parseJSON(text)
	if err == nil {
		err = d.remove(j.key, name)
	}
	if err == nil {
		err = d.removeEmpty(j.key)
	}
	if err != nil {
		return nil, err
	}
	return d.top.Pack(), nil
}

// A document is a JSON file as a tree that has every byte of it. The paths in it have the names of
// members and the indexes of elements.
type document struct {
	top           hujson.Value
	newline, unit string // how it ends its lines and indents them; what comes into one line stays there
}

// parseJSON returns the tree of a text. A text without anything is an empty object.
func parseJSON(text []byte) (d document, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if d.top, err = hujson.Parse(bytes.Clone(text)); err != nil {
		return d, fail(ErrInvalid, "it is not valid JSON: %v; mend it first", err)
	}
	if d.top.Value.Kind() != '{' {
		return d, fail(ErrInvalid, "it is not a JSON object; mend it first")
	}
	d.newline, d.unit = "\n", "  "
	if bytes.Contains(text, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	if parts, _ := partsIn(&d.top); len(parts) > 0 {
		if !bytes.Contains(bytes.TrimSpace(text), []byte("\n")) {
			d.newline, d.unit = " ", ""
		} else if indent := indented.FindSubmatch(*parts[0].before); indent != nil {
			d.unit = string(indent[1])
		}
	}
	return d, nil
}

// indented is the end of what is before a part that is indented.
var indented = regexp.MustCompile(`\n([ \t]+)$`)

// A part is a member of an object, or an element of a list.
type part struct {
	name   string        // or the index
	before *hujson.Extra // space and comments
	value  *hujson.Value
}

// partsIn returns the parts of an object or a list, and what follows the last one.
func partsIn(v *hujson.Value) (parts []part, after *hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			parts = append(parts, part{m.Name.Value.(hujson.Literal).String(), &m.Name.BeforeExtra, &m.Value})
		}
		return parts, &c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			parts = append(parts, part{strconv.Itoa(i), &c.Elements[i].BeforeExtra, &c.Elements[i]})
		}
		return parts, &c.AfterExtra
	}
	return nil, nil
}

// at returns what is at a path, nil if there is nothing. Two members of a name on the path are an
// error, because programs differ in which one they use.
func (d *document) at(path ...string) (*hujson.Value, error) {
	v := &d.top
	for _, name := range path {
		var found *hujson.Value
		parts, _ := partsIn(v)
		for _, p := range parts {
			if p.name == name && found != nil {
				return nil, fail(ErrInvalid, "it has %q twice; remove one", name)
			} else if p.name == name {
				found = p.value
			}
		}
		if v = found; v == nil {
			return nil, nil
		}
	}
	return v, nil
}

// value returns what is at a path as encoding/json decodes it; nil if there is nothing.
func (d *document) value(path ...string) (value any, err error) {
	v, err := d.at(path...)
	if err == nil && v != nil {
		json.Unmarshal(compact(v), &value)
	}
	return value, err
}

// compact returns a value as standard JSON.
func compact(v *hujson.Value) []byte {
	standard := v.Clone()
	standard.Minimize()
	return standard.Pack()
}

// literal returns the value of a text that this program has written.
func literal(text string) hujson.ValueTrimmed {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return v.Value
}

// ensure returns what is at a path: an object or a list, for which kind has the brace. Where there is
// nothing or null, ensure makes an empty one.
func (d *document) ensure(path []string, kind hujson.Kind) (*hujson.Value, error) {
	v, err := d.at(path...)
	if err == nil && v == nil {
		var above *hujson.Value
		if above, err = d.ensure(path[:len(path)-1], '{'); err == nil {
			v = d.add(above, len(path), path[len(path)-1], "null")
		}
	}
	if err != nil {
		return nil, err
	}
	a, empty := "an object", "{}"
	if kind == '[' {
		a, empty = "a list", "[]"
	}
	switch v.Value.Kind() {
	case kind:
	case 'n':
		v.Value = literal(empty)
	default:
		return nil, fail(ErrInvalid, "%q in it is not %s; mend it first", path[len(path)-1], a)
	}
	return v, nil
}

// add appends a member to an object, or an element to a list, on a line of its own, and returns its value.
// A comment after the last one stays there, before the new one.
func (d *document) add(to *hujson.Value, depth int, name, text string) *hujson.Value {
	lead := d.newline + strings.Repeat(d.unit, depth)
	parts, after := partsIn(to)
	before := slices.Concat(bytes.TrimRight(*after, " \t\r\n"), hujson.Extra(lead))
	tail := slices.Clone((*after)[len(before)-len(lead):])
	if *after = tail; len(parts) == 0 && !bytes.Contains(tail, []byte("\n")) {
		*after = hujson.Extra(strings.TrimSuffix(lead, d.unit))
	}
	v := hujson.Value{Value: literal(text)}
	if len(parts) > 0 && parts[len(parts)-1].value.AfterExtra != nil { // there is a comma after the last one
		v.AfterExtra = hujson.Extra{}
	}
	if o, is := to.Value.(*hujson.Object); is {
		v.BeforeExtra = hujson.Extra(" ")
		o.Members = append(o.Members, hujson.ObjectMember{
			Name: hujson.Value{BeforeExtra: before, Value: hujson.String(name)}, Value: v,
		})
		return &o.Members[len(o.Members)-1].Value
	}
	a := to.Value.(*hujson.Array)
	v.BeforeExtra = before
	a.Elements = append(a.Elements, v)
	return &a.Elements[len(a.Elements)-1]
}

// remove removes what is at a path, if there is something. Comments before it stay.
func (d *document) remove(path ...string) error {
	v, err := d.at(path...)
	if err != nil || v == nil {
		return err
	}
	above, _ := d.at(path[:len(path)-1]...)
	parts, after := partsIn(above)
	i := slices.IndexFunc(parts, func(p part) bool { return p.value == v })
	next, kept := after, bytes.TrimRight(*parts[i].before, " \t\r\n")
	if i+1 < len(parts) {
		next = parts[i+1].before
	} else if i > 0 { // the one before is the last one now
		last := parts[i-1].value
		if v.AfterExtra != nil {
			last.AfterExtra = append(hujson.Extra{}, last.AfterExtra...)
		} else {
			kept, last.AfterExtra = slices.Concat(last.AfterExtra, kept), nil
		}
	}
	rest := bytes.TrimLeft(*next, " \t\r")
	if bytes.Contains(kept, []byte("//")) && !bytes.HasPrefix(rest, []byte("\n")) {
		kept = append(kept, '\n')
	}
	if *next = slices.Concat(kept, *next); len(parts) == 1 && len(bytes.TrimSpace(*next)) == 0 {
		*next = nil
	}
	switch c := above.Value.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
	return nil
}

// removeEmpty removes the object or list at a path, if it is empty.
func (d *document) removeEmpty(path ...string) error {
	v, err := d.at(path...)
	if err != nil || v == nil {
		return err
	}
	if parts, _ := partsIn(v); len(parts) > 0 {
		return nil
	}
	return d.remove(path...)
}
