package mcpserver

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// arguments are the arguments of one call. Each has the type that its property says.
type arguments struct {
	given    []argument              // in the order of the call, without those that are null
	command  *memorycommand.Command  // of the tool memory
	author   workspace.Author        // who makes the call
	key      string                  // the idempotency key of the call; "": none
	progress func(done, total int)   // tells the client how far the work is; nil if it did not ask
	compare  func(bytes int64) error // is asked before two texts are compared; nil: nobody is
}

// An argument has a text or a number, as its kind says. The number of true is 1.
type argument struct {
	name, kind string
	text       string
	number     int64
}

// decode reads the arguments. It is strict about names: the decoder of encoding/json would
// ignore their case, take the last of two equal names, and replace invalid text. It is not
// about types, because clients convert values below the model: "5" is the number 5, and for a
// string any other JSON is its own text.
func decode(raw json.RawMessage, known []property) (*arguments, error) {
	a := &arguments{given: make([]argument, 0, 4)}
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if raw = raw[rawjson.SkipSpace(raw, 0):]; len(raw) == 0 || raw[0] != '{' {
		return nil, invalid("the arguments must be a JSON object, such as {}")
	}
	if _, ok := rawjson.Check(raw); !ok {
		return nil, errJSON
	}
	var err error
	seen := make([]bool, len(known))
	rawjson.EachMember(raw, func(name string, value json.RawMessage) bool {
		err = a.decodeOne(name, value, known, seen)
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	for i, p := range known {
		if p.required && !seen[i] {
			return nil, invalid("argument %s is missing; give it as a %s", p.name, p.kind)
		}
	}
	return a, nil
}

var errJSON = invalid("the arguments are not valid JSON")

// decodeOne reads one value.
func (a *arguments) decodeOne(name string, value json.RawMessage, known []property, seen []bool) error {
	i := slices.IndexFunc(known, func(p property) bool { return p.name == name })
	if i < 0 {
		return unknown(name, known)
	}
	if seen[i] {
		return invalid("argument %s is given twice; give it once", name)
	}
	seen[i] = true
	if !utf8.Valid(value) {
		return invalid("argument %s is not valid UTF-8; send text as UTF-8", name)
	}
	if string(value) == "null" && !known[i].required {
		return nil
	}
	return a.set(known[i], value)
}

func unknown(name string, known []property) error {
	var names []string
	for _, p := range known {
		if strings.EqualFold(p.name, name) {
			return invalid("unknown argument %s; it is spelled %s", short(name), p.name)
		}
		if p.name != "agent_id" || p.required {
			names = append(names, p.name)
		}
	}
	if names == nil {
		return invalid("unknown argument %s; this tool has none", short(name))
	}
	return invalid("unknown argument %s; allowed are %s", short(name), strings.Join(names, ", "))
}

func (a *arguments) set(p property, value json.RawMessage) error {
	switch p.kind {
	case "integer":
		n, ok := rawjson.Integer(rawjson.Unquoted(value))
		if !ok {
			return invalid("argument %s must be a whole number up to 2^53, not %s", p.name, short(string(value)))
		}
		a.given = append(a.given, argument{name: p.name, kind: p.kind, number: n})
	case "boolean":
		s := string(rawjson.Unquoted(value))
		if s != "true" && s != "false" {
			return invalid("argument %s must be true or false, not %s", p.name, short(string(value)))
		}
		given := argument{name: p.name, kind: p.kind}
		if s == "true" {
			given.number = 1
		}
		a.given = append(a.given, given)
	case "array": // its tool checks it
	default:
		return a.setString(p, value)
	}
	return nil
}

func (a *arguments) setString(p property, value json.RawMessage) error {
	if string(value) == "null" {
		return invalid("argument %s must be a string, not null", p.name)
	}
	if value[0] == '"' && rawjson.LoneSurrogate(value) {
		return invalid("argument %s holds half of a surrogate pair (\\ud800-\\udfff alone), which is not text; send the whole character", p.name)
	}
	s, ok := rawjson.TextOrJSON(value)
	if !ok {
		return invalid("argument %s is not a valid JSON string", p.name)
	}
	a.given = append(a.given, argument{name: p.name, kind: p.kind, text: s})
	return nil
}

// lookup returns an argument, or the zero value if it was not given.
func (a *arguments) lookup(name string) (found argument, given bool) {
	for _, g := range a.given {
		if g.name == name {
			return g, true
		}
	}
	return argument{}, false
}

func (a *arguments) has(name string) bool {
	_, given := a.lookup(name)
	return given
}

func (a *arguments) text(name string) string {
	found, _ := a.lookup(name)
	return found.text
}

func (a *arguments) integer(name string) int64 {
	found, _ := a.lookup(name)
	return found.number
}

func (a *arguments) flag(name string) bool { return a.integer(name) != 0 }

// number returns the argument, or nil if it was not given.
func (a *arguments) number(name string) *int64 {
	if found, given := a.lookup(name); given {
		return &found.number
	}
	return nil
}

func toInt(n int64) int {
	return int(max(math.MinInt, min(n, math.MaxInt)))
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), workspace.ErrInvalid)
}

// short cuts a text that a client sent, for an error.
func short(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%.*q...", most, s)
	}
	return s
}
