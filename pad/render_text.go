package pad

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineBreaks are what ends a line for Unicode, JavaScript or Python's splitlines.
const lineBreaks = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

const indent = "    "

// indented moves each line but the first in, blank ones too, so that it cannot
// pass for the beginning of an entry.
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

// ambiguous reports whether a key or a tag must be quoted to be told from what
// stands before it.
func ambiguous(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return r == '"' || unicode.IsSpace(r) || strings.ContainsRune(lineBreaks, r)
}

// opensBlock reports whether Markdown could take a line for something other than
// a paragraph, or whether it looks indented.
func opensBlock(line string) bool {
	if line == "" || strings.ContainsRune(lineBreaks, rune(line[0])) {
		return false // a blank line
	}
	switch c := line[0]; {
	case strings.IndexByte(" \t#><", c) >= 0:
		return true
	case strings.IndexByte("-+*_=", c) >= 0:
		r, _ := utf8.DecodeRuneInString(line[1:])
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	case '0' <= c && c <= '9':
		rest := strings.TrimLeft(line, "0123456789")
		return strings.HasPrefix(rest, ".") && !startsDigit(rest[1:]) || strings.HasPrefix(rest, ")")
	}
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

func startsDigit(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

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

// valueJSON returns a stored value as compact JSON, and something for one that
// has none.
func valueJSON(v any) (text string) {
	defer func() {
		if recover() != nil { // of a MarshalJSON
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

// withoutJSON describes a value that has no JSON form. It neither follows it, as
// it may hold itself, nor prints an address, which another run would not repeat.
func withoutJSON(v any) string {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(r.Float(), 'g', -1, 64)
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(r.Complex(), 'g', -1, 128)
	}
	return fmt.Sprintf("(a %T, which has no JSON form)", v)
}

// validUTF8 replaces each byte that is not valid UTF-8 by U+FFFD, as encoding/json
// does.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.Map(func(r rune) rune { return r }, s)
}

// xmlEscaped returns a text as XML. Quotes are escaped in an attribute alone: each
// escape costs tokens. A parser turns some white space into other, more of it in
// an attribute: such is written by number.
func xmlEscaped(text string, attribute bool) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"' && attribute:
			b.WriteString("&quot;")
		case r == '\'' && attribute:
			b.WriteString("&apos;")
		case r == '\r', attribute && (r == '\n' || r == '\t'):
			fmt.Fprintf(&b, "&#%d;", r)
		case r < ' ' && r != '\n' && r != '\t', r == 0xFFFE, r == 0xFFFF:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
