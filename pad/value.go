package pad

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
)

// TypeError is the error for a value whose type is not the requested one.
type TypeError struct {
	Key        string
	Have, Want reflect.Type // Have is nil for nil, and the type that Get returns for a value from JSON
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("get %q: the value is a %v, not a %v", e.Key, e.Have, e.Want)
}

// Code returns SCRATCHPAD_TYPE_ERROR.
func (e *TypeError) Code() string { return "SCRATCHPAD_TYPE_ERROR" }

// encoded is a value that was read as JSON. It is decoded when it is first used.
type encoded struct {
	raw   json.RawMessage
	plain func() any
	typed sync.Map // by reflect.Type: the value decoded into that type
}

func newEncoded(raw json.RawMessage) *encoded {
	v := &encoded{raw: raw}
	v.plain = sync.OnceValue(func() any { return plain(raw) })
	return v
}

// untyped returns a stored value as Pad.Get does.
func untyped(v any) any {
	if v, ok := v.(*encoded); ok {
		return v.plain()
	}
	return v
}

// typed returns a stored value as a T.
func typed[T any](key string, v any) (T, error) {
	if e, ok := v.(*encoded); ok {
		return decoded[T](key, e)
	}
	if t, ok := v.(T); ok {
		return t, nil
	}
	var zero T
	want := reflect.TypeFor[T]()
	if v == nil && nilable(want.Kind()) {
		return zero, nil
	}
	return zero, &TypeError{Key: key, Have: reflect.TypeOf(v), Want: want}
}

func nilable(k reflect.Kind) bool {
	switch k {
	case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice:
		return true
	}
	return false
}

func decoded[T any](key string, e *encoded) (T, error) {
	want := reflect.TypeFor[T]()
	var t T
	if want.Kind() == reflect.Interface {
		if v, ok := e.plain().(T); ok || e.plain() == nil {
			return v, nil
		}
		return t, &TypeError{Key: key, Have: reflect.TypeOf(e.plain()), Want: want}
	}
	if v, ok := e.typed.Load(want); ok {
		return v.(T), nil
	}
	if err := json.Unmarshal(e.raw, &t); err != nil {
		var zero T
		return zero, &TypeError{Key: key, Have: reflect.TypeOf(e.plain()), Want: want}
	}
	v, _ := e.typed.LoadOrStore(want, t)
	return v.(T), nil
}

// encode returns a stored value as JSON, without escapes for HTML.
func encode(v any) (json.RawMessage, error) {
	if v, ok := v.(*encoded); ok {
		return v.raw, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("the value has no JSON form: %v", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// encodeExactly is encode for saving: it refuses text that is not valid UTF-8, which
// encode replaces.
func encodeExactly(v any) (json.RawMessage, error) {
	text, err := encode(v)
	switch v.(type) {
	case *encoded, json.RawMessage: // a \ufffd in it is the author's
	default:
		if err == nil && replaced(text) {
			return nil, errors.New("the value has text that is not valid UTF-8")
		}
	}
	return text, err
}

// replaced reports whether the encoder replaced bytes that are not valid UTF-8. It
// writes \ufffd for them, and leaves a U+FFFD in the text as it is.
func replaced(text []byte) bool {
	for {
		i := bytes.Index(text, []byte(`\ufffd`))
		if i < 0 {
			return false
		}
		if n := len(text[:i]) - len(bytes.TrimRight(text[:i], `\`)); n%2 == 0 {
			return true
		}
		text = text[i+1:]
	}
}

// plain decodes valid JSON into the types that Pad.Get returns.
func plain(raw json.RawMessage) any {
	v, _ := decode(raw, plainNumber)
	return v
}

func plainNumber(n json.Number) any {
	if n, err := n.Int64(); err == nil {
		return n
	}
	f, err := n.Float64()
	switch {
	case err != nil:
		return n // too large for a float64
	case f == math.Trunc(f) && math.Abs(f) <= 1<<53:
		return int64(f)
	}
	return f
}

// decode decodes valid JSON, with what number returns in place of each number.
func decode(raw json.RawMessage, number func(json.Number) any) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return withNumbers(v, number), nil
}

func withNumbers(v any, number func(json.Number) any) any {
	switch v := v.(type) {
	case json.Number:
		return number(v)
	case []any:
		for i := range v {
			v[i] = withNumbers(v[i], number)
		}
	case map[string]any:
		for k := range v {
			v[k] = withNumbers(v[k], number)
		}
	}
	return v
}
