package openaimsg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// An object is a JSON object. Unlike a struct with tags, it distinguishes upper and
// lower case in names.
type object map[string]json.RawMessage

// parse reads one object. Anything else gives ErrInvalid.
func parse(raw []byte) (object, error) {
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("it is not valid UTF-8: %w", conversation.ErrInvalid)
	}
	var o object
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", conversation.ErrInvalid)
	}
	return o, nil
}

// text returns the string with a name, or "".
func (o object) text(name string) string {
	return asText(o[name])
}

func asText(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// object returns the object with a name, or nil.
func (o object) object(name string) object {
	var inner object
	if json.Unmarshal(o[name], &inner) != nil {
		return nil
	}
	return inner
}

// list returns the values of the list with a name, or nil. They keep their bytes.
func (o object) list(name string) []json.RawMessage {
	var values []json.RawMessage
	if json.Unmarshal(o[name], &values) != nil {
		return nil
	}
	return values
}

// objects returns the objects in the list with a name.
func (o object) objects(name string) []object {
	values := o.list(name)
	objects := make([]object, 0, len(values))
	for _, v := range values {
		var inner object
		if json.Unmarshal(v, &inner) == nil && inner != nil {
			objects = append(objects, inner)
		}
	}
	return objects
}

// arguments returns the arguments of a call, or nil. They are a string, or with some
// servers a nested value.
func (o object) arguments(name string) json.RawMessage {
	value := o[name]
	if len(value) == 0 || string(value) == "null" {
		return nil
	}
	if value[0] != '"' {
		return bytes.Clone(value)
	}
	if text := asText(value); text != "" {
		return json.RawMessage(text)
	}
	return nil
}

// encode returns a value as JSON, with <, > and & as they are.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // all values are strings, or were read as JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
