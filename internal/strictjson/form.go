package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Form describes the objects that a door takes.
type Form struct {
	Whole  string // what errors call the object, such as "the arguments"
	Part   string // what errors call a member, such as "argument"
	Exact  bool   // "5" is no number; false: it is one, because clients convert values
	Fields []Field
}

// A Field is a member that an object may have.
type Field struct {
	Name        string
	Old         string // a former name, which is still taken and of which nobody is told; "": none
	Kind        string // "string", "integer", "boolean", "array" or "object"
	Description string // for clients; "": none
	Required    bool
	Hidden      bool   // clients are not told of the field
	More        string // JSON that is added to the schema of the field, with a comma before it; "": nothing
}

// A Value is a member of an object. Text is the text of a string. The Number of true is 1.
// Arrays and objects have their JSON as Text.
type Value struct {
	Name, Kind string
	Text       string
	Number     int64
}

// Values are the members of an object in their order, without those that are null.
type Values []Value

// Read reads valid JSON. It is strict about names: the decoder of encoding/json would ignore
// their case, take the last of two equal names, and replace invalid text. It is less strict
// about types, because clients convert values below the model: "5" is the number 5, and for a
// string any other JSON is its own text.
func (f Form) Read(object json.RawMessage) (Values, error) {
	if object = bytes.TrimSpace(object); len(object) == 0 || object[0] != '{' {
		return nil, fmt.Errorf("%s must be a JSON object, such as {}", f.Whole)
	}
	values, seen := make(Values, 0, 4), make([]bool, len(f.Fields))
	for name, raw := range Members(object) {
		i := slices.IndexFunc(f.Fields, func(field Field) bool {
			return field.Name == name || field.Old != "" && field.Old == name
		})
		switch {
		case i < 0:
			return nil, f.unknown(name)
		case seen[i]:
			return nil, Twice(f.Part, f.Fields[i].Name)
		}
		if seen[i] = true; !f.Fields[i].Required && string(raw) == "null" {
			continue
		}
		v, err := f.value(f.Fields[i], raw)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	for i, field := range f.Fields {
		if field.Required && !seen[i] {
			return nil, fmt.Errorf("%s %s is missing; give it as %s", f.Part, field.Name, field.Wants())
		}
	}
	return values, nil
}

// unknown returns the error for a name that no field has.
func (f Form) unknown(name string) error {
	var names []string
	for _, field := range f.Fields {
		if err := misspelt(f.Part, name, field.Name); err != nil {
			return err
		}
		if !field.Hidden {
			names = append(names, field.Name)
		}
	}
	way := "leave it out"
	if names != nil {
		way = "allowed are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("unknown %s %s; %s", f.Part, Short(name), way)
}

// Twice returns the error for a name that is given twice.
func Twice(part, name string) error {
	return fmt.Errorf("%s %s is given twice; give it once", part, Short(name))
}

// misspelt returns an error if a name is the known one in another case; nil: it is not.
func misspelt(part, name, known string) error {
	if name == known || !strings.EqualFold(name, known) {
		return nil
	}
	return fmt.Errorf("unknown %s %s; it is spelled %s", part, Short(name), known)
}

// Wants returns what the value of a field must be, for errors.
func (f Field) Wants() string {
	switch f.Kind {
	case "integer":
		return "a whole number up to 2^53"
	case "boolean":
		return "true or false"
	case "array":
		return "a JSON array"
	case "object":
		return "a JSON object"
	}
	return "a string"
}

// value reads the value of a field.
func (f Form) value(field Field, raw json.RawMessage) (v Value, err error) {
	v, ok := Value{Name: field.Name, Kind: field.Kind}, false
	said := []byte(raw)
	if !f.Exact && (field.Kind == "integer" || field.Kind == "boolean") {
		said = Unquoted(raw)
	}
	switch {
	case !utf8.Valid(raw):
		return v, fmt.Errorf("%s %s is not valid UTF-8; send text as UTF-8", f.Part, field.Name)
	case field.Kind == "integer":
		v.Number, ok = Integer(said)
	case field.Kind == "boolean":
		if ok = string(said) == "true" || string(said) == "false"; ok && said[0] == 't' {
			v.Number = 1
		}
	case field.Kind == "array":
		v.Text, ok = string(raw), !f.Exact || raw[0] == '['
	case (field.Kind == "object" || raw[0] == '"') && LoneSurrogate(raw):
		return v, fmt.Errorf("%s %s holds half of a surrogate pair (\\ud800-\\udfff alone), which is not text; "+
			"send the whole character", f.Part, field.Name)
	case field.Kind == "object":
		v.Text, ok = string(raw), raw[0] == '{'
	case f.Exact || string(raw) == "null":
		v.Text, ok = Text(raw)
	default:
		v.Text, ok = textOrJSON(raw)
	}
	if !ok {
		err = fmt.Errorf("%s %s must be %s, not %s", f.Part, field.Name, field.Wants(), Short(string(raw)))
	}
	return v, err
}

// Schema returns the JSON Schema of the objects. It does not say that other members are
// refused, which would cost every model 5 tokens for each tool.
func (f Form) Schema() json.RawMessage {
	var properties, required []string
	for _, field := range f.Fields {
		if field.Hidden {
			continue
		}
		more := field.More
		if field.Description != "" {
			more = fmt.Sprintf(`,"description":%q`, field.Description) + more
		}
		properties = append(properties, fmt.Sprintf(`%q:{"type":%q%s}`, field.Name, field.Kind, more))
		if field.Required {
			required = append(required, strconv.Quote(field.Name))
		}
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + "}"
	if required != nil {
		schema += `,"required":[` + strings.Join(required, ",") + "]"
	}
	return json.RawMessage(schema + "}")
}

// Given returns a member, or nil if there is none.
func (v Values) Given(name string) *Value {
	for i := range v {
		if v[i].Name == name {
			return &v[i]
		}
	}
	return nil
}

// Has reports whether there is a member.
func (v Values) Has(name string) bool { return v.Given(name) != nil }

// Text returns the text of a member, or "" if there is none.
func (v Values) Text(name string) string {
	if given := v.Given(name); given != nil {
		return given.Text
	}
	return ""
}

// Integer returns the number of a member, or 0 if there is none.
func (v Values) Integer(name string) int64 {
	if given := v.Given(name); given != nil {
		return given.Number
	}
	return 0
}

// Flag reports whether a member is true.
func (v Values) Flag(name string) bool { return v.Integer(name) != 0 }

// Short cuts a text that a client sent, for an error.
func Short(s string) string {
	const most = 40
	switch {
	case s == "":
		return `""`
	case len(s) > most:
		return fmt.Sprintf("%.*q...", most, s)
	}
	return s
}
