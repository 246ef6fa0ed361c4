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

	"github.com/agent-scratchpad/scratchpad/workspace/store"
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
	return d.value(j.key, name), nil
}

func (j jsonFormat) set(text []byte, name string, entry []field) ([]byte, error) {
	d, err := parseJSON(text)
	if err == nil {
		err = d.ensure("{}", j.key, name)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range entry {
		d.put(inJSON(f.value), j.key, name, f.key)
	}
	return d.top.Pack(), nil
}

// inJSON returns a value as JSON on one line.
func inJSON(v any) string {
	var items []string
	switch v := v.(type) {
	case map[string]string:
		for _, f := range fieldsOf(v) {
			items = append(items, quoteJSON(f.key)+": "+quoteJSON(f.value))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case []any:
		for _, one := range v {
			items = append(items, quoteJSON(one))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return quoteJSON(v)
}

// remove takes a server out, and the object of the servers if it is empty then.
func (j jsonFormat) remove(text []byte, name string) ([]byte, error) {
	d, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	d.remove(j.key, name)
	d.removeEmpty(j.key)
	return d.top.Pack(), nil
}

// A document is a JSON file as a tree that has every byte of it.
type document struct {
	top           hujson.Value
	newline, unit string // how it ends its lines and indents them; what comes into one line stays there
}

// indented is the beginning of a line that is indented.
var indented = regexp.MustCompile(`(?m)^([ \t]+)\S`)

// parseJSON returns the tree of a text. A text without anything is an empty object. A name that an
// object has twice is an error, because programs differ in which one they use.
func parseJSON(text []byte) (d document, err error) {
	if err := checkMark(text); err != nil {
		return d, err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if isTooDeep(text) {
		return d, Errorf(store.ErrInvalid, "it nests more than %d deep; mend it first", maxDepth)
	}
	if d.top, err = hujson.Parse(bytes.Clone(text)); err != nil {
		return d, Errorf(store.ErrInvalid, "it is not valid JSON: %v; mend it first", err)
	}
	top, is := d.top.Value.(*hujson.Object)
	if !is {
		return d, Errorf(store.ErrInvalid, "it is not a JSON object; mend it first")
	}
	for v := range d.top.All() {
		if name := twice(v); name != "" {
			return d, Errorf(store.ErrInvalid, "it has %q twice; remove one", name)
		}
	}
	d.newline, d.unit = "\n", "  "
	if bytes.Contains(text, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	if indent := indented.FindSubmatch(text); indent != nil {
		d.unit = string(indent[1])
	} else if len(top.Members) > 0 && !bytes.Contains(bytes.TrimSpace(text), []byte("\n")) {
		d.newline, d.unit = " ", ""
	}
	return d, nil
}

// maxDepth is how deep a file may nest. The parser calls itself for each object and list, and a full stack
// would end the process. A repository can bring such a file along.
const maxDepth = 10_000

func isTooDeep(text []byte) bool {
	depth := 0
	for len(text) > 0 && depth <= maxDepth {
		n := 1 // bytes of a text, of a comment, or of anything else
		after := func(end string) {
			before, _, _ := bytes.Cut(text[2:], []byte(end))
			n = 2 + len(before) + len(end)
		}
		switch {
		case text[0] == '[', text[0] == '{':
			depth++
		case text[0] == ']', text[0] == '}':
			depth--
		case text[0] == '"':
			for ; n < len(text) && text[n] != '"'; n++ {
				if text[n] == '\\' {
					n++
				}
			}
			n++
		case bytes.HasPrefix(text, []byte("//")):
			after("\n")
		case bytes.HasPrefix(text, []byte("/*")):
			after("*/")
		}
		text = text[min(n, len(text)):]
	}
	return depth > maxDepth
}

// twice returns a name that an object has more than once.
func twice(v *hujson.Value) string {
	seen := map[string]bool{}
	if object, is := v.Value.(*hujson.Object); is {
		for _, m := range object.Members {
			name := nameOf(m)
			if seen[name] {
				return name
			}
			seen[name] = true
		}
	}
	return ""
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// value returns what is at a path of names, as encoding/json decodes it; nil if there is nothing.
func (d *document) value(path ...string) (value any) {
	standard := d.top.Clone()
	standard.Standardize()
	json.Unmarshal(standard.Pack(), &value)
	for _, name := range path {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	return value
}

// find returns what is at a path of names and indexes, nil if there is nothing.
func (d *document) find(path ...string) *hujson.Value { return d.top.Find(pointer(path)) }

func pointer(path []string) (p string) {
	for _, name := range path {
		p += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	return p
}

// ensure makes an object or a list at a path, empty, where there is nothing or null.
func (d *document) ensure(empty string, path ...string) error {
	if above := path[:len(path)-1]; len(above) > 0 {
		if err := d.ensure("{}", above...); err != nil {
			return err
		}
	}
	v := d.find(path...)
	switch {
	case v == nil || v.Value.Kind() == 'n':
		d.put(empty, path...)
	case v.Value.Kind() != hujson.Kind(empty[0]):
		kind := map[string]string{"{}": "an object", "[]": "a list"}[empty]
		return Errorf(store.ErrInvalid, "%q in it is not %s; mend it first", path[len(path)-1], kind)
	}
	return nil
}

// put sets what is at a path to a JSON text of this program, in an object or a list that is there. A new
// member, or an element for the name "-", comes last and on a line of its own.
func (d *document) put(text string, path ...string) {
	value, _ := hujson.Parse([]byte(text))
	if v := d.find(path...); v != nil {
		v.Value = value.Value
		return
	}
	lead := d.newline + strings.Repeat(d.unit, len(path))
	behind := func(after *hujson.Extra) (before hujson.Extra) { // the comments in after
		comments := string(bytes.TrimRight(*after, " \t\r\n"))
		if *after = (*after)[len(comments):]; !bytes.Contains(*after, []byte("\n")) {
			*after = hujson.Extra(strings.TrimSuffix(lead, d.unit))
		}
		return hujson.Extra(comments + lead)
	}
	switch above := d.find(path[:len(path)-1]...).Value.(type) {
	case *hujson.Object:
		name := hujson.Value{BeforeExtra: behind(&above.AfterExtra), Value: hujson.String(path[len(path)-1])}
		value.BeforeExtra = hujson.Extra(" ")
		above.Members = append(above.Members, hujson.ObjectMember{Name: name, Value: value})
	case *hujson.Array:
		value.BeforeExtra = behind(&above.AfterExtra)
		above.Elements = append(above.Elements, value)
	}
}

// remove removes what is at a path, if there is something. The comments around it stay.
func (d *document) remove(path ...string) {
	if d.find(path...) == nil {
		return
	}
	var before hujson.Extra
	var after *hujson.Extra
	isStandard, name := d.top.IsStandard(), path[len(path)-1]
	switch above := d.find(path[:len(path)-1]...).Value.(type) {
	case *hujson.Object:
		i := slices.IndexFunc(above.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
		before, after = above.Members[i].Name.BeforeExtra, &above.AfterExtra
		if above.Members = slices.Delete(above.Members, i, i+1); i < len(above.Members) {
			after = &above.Members[i].Name.BeforeExtra
		}
	case *hujson.Array:
		i, _ := strconv.Atoi(name)
		before, after = above.Elements[i].BeforeExtra, &above.AfterExtra
		if above.Elements = slices.Delete(above.Elements, i, i+1); i < len(above.Elements) {
			after = &above.Elements[i].BeforeExtra
		}
	}
	if bytes.HasPrefix(bytes.TrimLeft(*after, " \t\r"), []byte("\n")) || len(bytes.TrimSpace(before)) == 0 {
		before = bytes.TrimRight(before, " \t\r\n")
	}
	*after = slices.Concat(before, *after)
	if isStandard {
		d.top.Standardize() // without a comma after what is the last one now
	}
}

// removeEmpty removes the object or list at a path, if there is one and it is empty, without a comment too.
func (d *document) removeEmpty(path ...string) {
	if v := d.find(path...); v != nil && isEmpty(v) {
		d.remove(path...)
	}
}

func isEmpty(v *hujson.Value) bool {
	text := strings.Join(strings.Fields(string(v.Pack())), "")
	return text == "{}" || text == "[]"
}
