package pad

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineBreaks are the characters that end a line in Unicode, JavaScript or Python.
const lineBreaks = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

const indent = "    "

// indented indents each line but the first, also blank ones. So no line of a value looks
// like the beginning of an entry.
func indented(text string) string {
	if !strings.ContainsAny(text, lineBreaks) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		b.WriteRune(r)
		if strings.ContainsRune(lineBreaks, r) && !strings.HasPrefix(text[i:], "\r\n") {
			b.WriteString(indent)
		}
	}
	return b.String()
}

// ambiguous reports whether a key or a tag must be quoted because of its first character.
func ambiguous(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return r == '"' || unicode.IsSpace(r) || strings.ContainsRune(lineBreaks, r)
}

// opensBlock matches a line that could begin something other than a paragraph in Markdown, or looks
// indented.
var opensBlock = regexp.MustCompile("^(?:[ \\t#><]|[-+*_=](?:[^\\p{L}\\p{Nd}]|$)|[0-9]+(?:\\.(?:[^0-9]|$)|\\))|" +
	"```|~~~)")

// quoted returns a text as a JSON string on one line.
func quoted(text string) string {
	b, _ := encode(text) // a string always has a JSON form
	return strings.ReplaceAll(string(b), "\u0085", `\u0085`)
}

// valueText returns a stored value as text.
func valueText(v any) string {
	if s, ok := v.(string); ok {
		return validUTF8(s)
	}
	text := valueJSON(v)
	var s string
	if text[0] == '"' && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// valueJSON returns a stored value as compact JSON. If it has no JSON form, the result is
// a JSON string that says so.
func valueJSON(v any) (text string) {
	defer func() {
		if recover() != nil { // a MarshalJSON panicked
			text = quoted(withoutJSON(v))
		}
	}()
	raw, err := encode(v)
	if err != nil {
		return quoted(withoutJSON(v))
	}
	if _, ok := v.(*encoded); ok {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil {
			raw = b.Bytes()
		}
	}
	return validUTF8(string(raw))
}

// withoutJSON describes a value that has no JSON form. It does not follow pointers, as
// the value may contain itself, and prints no address, which would change from run to run.
func withoutJSON(v any) string {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(r.Float(), 'g', -1, 64)
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(r.Complex(), 'g', -1, 128)
	}
	return fmt.Sprintf("(a %T, which has no JSON form)", v)
}

// validUTF8 replaces each byte that is not valid UTF-8 by U+FFFD, like encoding/json.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune { return r }, s)
}

// Quotes are escaped only in attributes, as each escape costs tokens. White space that a parser
// would change is written by its number.
var (
	inText      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
	inAttribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;", `"`, "&quot;",
		"'", "&apos;", "\n", "&#10;", "\t", "&#9;")
)

// xmlEscaped returns a text as XML, with U+FFFD in place of what XML cannot hold.
func xmlEscaped(text string, escapes *strings.Replacer) string {
	return escapes.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return utf8.RuneError
		}
		return r
	}, text))
}
