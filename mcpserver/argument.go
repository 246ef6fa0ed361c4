package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/memorycommand"
	"github.com/agent-scratchpad/scratchpad/internal/rawjson"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// arguments are the arguments of one call. Each has the type that its property says.
type arguments struct {
	strings  map[string]string
	integers map[string]int64
	booleans map[string]bool
	command  *memorycommand.Command // of the tool memory
	author   workspace.Author       // who makes the call
	key      string                 // the idempotency key of the call; "": none
	progress func(done, total int)  // tells the client how far the work is; nil if it did not ask
}

// decode reads the arguments strictly. The decoder of encoding/json would ignore the
// case of names, take the last of two equal names, and replace invalid text.
func decode(raw json.RawMessage, known []property) (*arguments, error) {
	a := &arguments{strings: map[string]string{}, integers: map[string]int64{}, booleans: map[string]bool{}}
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, invalid("the arguments must be a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		if err := a.decodeOne(d, known, seen); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, errJSON
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errJSON
	}
	for _, p := range known {
		if p.required && !seen[p.name] {
			return nil, invalid("argument %s is missing; give it as a %s", p.name, p.kind)
		}
	}
	return a, nil
}

var errJSON = invalid("the arguments are not valid JSON")

// decodeOne reads one name and its value.
func (a *arguments) decodeOne(d *json.Decoder, known []property, seen map[string]bool) error {
	t, err := d.Token()
	var value json.RawMessage
	if err == nil {
		err = d.Decode(&value)
	}
	name, ok := t.(string)
	if err != nil || !ok {
		return errJSON
	}
	i := slices.IndexFunc(known, func(p property) bool { return p.name == name })
	if i < 0 {
		return unknown(name, known)
	}
	if seen[name] {
		return invalid("argument %s is given twice; give it once", name)
	}
	seen[name] = true
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
		n, ok := integer(string(value))
		if !ok {
			return invalid("argument %s must be a whole number up to 2^53, not %s", p.name, short(string(value)))
		}
		a.integers[p.name] = n
	case "boolean":
		if s := string(value); s != "true" && s != "false" {
			return invalid("argument %s must be true or false, not %s", p.name, short(s))
		}
		a.booleans[p.name] = value[0] == 't'
	case "array": // its tool checks it
	default:
		return a.setString(p, value)
	}
	return nil
}

func (a *arguments) setString(p property, value json.RawMessage) error {
	if value[0] != '"' {
		return invalid("argument %s must be a string, not %s", p.name, short(string(value)))
	}
	if rawjson.LoneSurrogate(value) {
		return invalid("argument %s holds half of a surrogate pair (\\ud800-\\udfff alone), which is not text; send the whole character", p.name)
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return invalid("argument %s is not a valid JSON string", p.name)
	}
	a.strings[p.name] = s
	return nil
}

// integer reads a JSON number that is whole, such as 1, 1.0 or 1e0. It is exact up to
// 2^53, where a float64 begins to round.
func integer(s string) (int64, bool) {
	const most = 1 << 53
	if s == "" || len(s) > 100 || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return 0, false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok {
		if e, err := strconv.Atoi(exponent); err != nil || e < -100 || e > 100 {
			return 0, false
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	n := r.Num().Int64()
	return n, -most <= n && n <= most
}

func (a *arguments) has(name string) bool {
	_, s := a.strings[name]
	_, n := a.integers[name]
	return s || n
}

func (a *arguments) text(name string) string { return a.strings[name] }
func (a *arguments) flag(name string) bool   { return a.booleans[name] }

// number returns the argument, or nil if it was not given.
func (a *arguments) number(name string) *int64 {
	if n, ok := a.integers[name]; ok {
		return &n
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
