package strictjson

import (
	"encoding/json"
	"strings"
)

// EscapedLen returns the length of a text as JSON, or a little more.
func EscapedLen(text string) int64 {
	n := int64(len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c > '>' && c != '\\':
		case c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			n += 5
		}
	}
	return n
}

// Line returns a value as one line of JSON, in which <, > and & are not escaped.
func Line(v any) (string, error) {
	var line strings.Builder
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(line.String(), "\n"), err
}

// An Object is written as a JSON object. Names and values stand in turn, in the order of the
// members.
type Object []any

// MarshalJSON implements [json.Marshaler].
func (o Object) MarshalJSON() ([]byte, error) {
	line := []byte{'{'}
	for i, v := range o {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		line = append(append(line, b...), ":,"[i%2])
	}
	return append(line[:max(1, len(line)-1)], '}'), nil
}
