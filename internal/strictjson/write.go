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
