package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// property is one argument of a tool.
type property struct {
	name, kind  string // kind: "string", "integer"
	description string
	required    bool
}

var agentID = property{name: "agent_id", kind: "string", description: "your name", required: true}

// schema returns the JSON Schema of a tool's arguments.
func schema(properties []property) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, p := range properties {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%q:{"type":%q`, p.name, p.kind)
		if p.description != "" {
			fmt.Fprintf(&b, `,"description":%q`, p.description)
		}
		b.WriteByte('}')
		if p.required {
			required = append(required, strconv.Quote(p.name))
		}
	}
	fmt.Fprintf(&b, `},"required":[%s],"additionalProperties":false}`, strings.Join(required, ","))
	return b.Bytes()
}

// arguments are those of one call, decoded and checked against the properties.
type arguments struct {
	strings  map[string]string
	integers map[string]int64
}

// decode reads the arguments strictly: encoding/json would fold the case of
// names, take the last of two equal ones, and replace what is no valid text.
// bound says that agent_id is not to be suggested.
func decode(raw json.RawMessage, known []property, bound bool) (*arguments, error) {
	a := &arguments{strings: map[string]string{}, integers: map[string]int64{}}
	if len(raw) == 0 {
		return a, nil
	}
	if !utf8.Valid(raw) {
		return nil, invalid("the arguments are not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, invalid("the arguments must be a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, invalid("the arguments are not valid JSON")
		}
		name := t.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, invalid("the arguments are not valid JSON")
		}
		p, ok := find(known, name)
		switch {
		case !ok:
			return nil, unknown(name, known, bound)
		case seen[name]:
			return nil, invalid("argument %s is given twice; give it once", name)
		}
		seen[name] = true
		if string(value) == "null" && !p.required {
			continue
		}
		if err := a.set(p, value); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func find(known []property, name string) (property, bool) {
	for _, p := range known {
		if p.name == name {
			return p, true
		}
	}
	return property{}, false
}

func unknown(name string, known []property, bound bool) error {
	var names []string
	for _, p := range known {
		if strings.EqualFold(p.name, name) {
			return invalid("unknown argument %s; it is spelled %s", short(name), p.name)
		}
		if p != agentID || !bound {
			names = append(names, p.name)
		}
	}
	return invalid("unknown argument %s; allowed are %s", short(name), strings.Join(names, ", "))
}

func (a *arguments) set(p property, value json.RawMessage) error {
	if p.kind == "integer" {
		n, ok := integer(string(value))
		if !ok {
			return invalid("argument %s must be a whole number up to 2^53, not %s", p.name, short(string(value)))
		}
		a.integers[p.name] = n
		return nil
	}
	if len(value) == 0 || value[0] != '"' {
		return invalid("argument %s must be a string, not %s", p.name, short(string(value)))
	}
	if loneSurrogate(value) {
		return invalid("argument %s holds half of a surrogate pair (\\ud800-\\udfff alone), which is no text", p.name)
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return invalid("argument %s is not a valid JSON string", p.name)
	}
	a.strings[p.name] = s
	return nil
}

// integer reads a JSON number that is whole: 1, 1.0 and 1e0 are 1.
func integer(s string) (int64, bool) {
	const most = 1 << 53
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, -most <= n && n <= most
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != float64(int64(f)) || f > most || f < -most || strings.ContainsAny(s, `"xX_in`) {
		return 0, false
	}
	return int64(f), true
}

// loneSurrogate finds a \u escape of one half of a pair without the other.
func loneSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r, ok := escape(raw[i:])
		if !ok {
			i++ // another escape: its second byte is no backslash of its own
			continue
		}
		i += 5
		if !utf16.IsSurrogate(r) {
			continue
		}
		next, ok := escape(raw[min(i+1, len(raw)):])
		if !ok || utf16.DecodeRune(r, next) == utf8.RuneError {
			return true
		}
		i += 6
	}
	return false
}

func escape(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 32)
	return rune(n), err == nil
}

func (a *arguments) has(name string) bool {
	_, s := a.strings[name]
	_, n := a.integers[name]
	return s || n
}

func (a *arguments) text(name string) string { return a.strings[name] }

// number returns the argument, nil where it was not given.
func (a *arguments) number(name string) *int64 {
	if n, ok := a.integers[name]; ok {
		return &n
	}
	return nil
}

func (a *arguments) missing(p property) error {
	return invalid("argument %s is missing; give it as a %s", p.name, p.kind)
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), workspace.ErrInvalid)
}

// short keeps what somebody sent from filling an error.
func short(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%.*q...", most, s)
	}
	return s
}
