// Package rawjson looks into JSON text without decoding it. So it costs little, however
// large the text is, and nothing is lost: a name that is given twice is seen twice.
package rawjson

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// EachMember calls a function with each member of valid JSON, in order, until it returns
// false. JSON that is not an object has no members. It returns false if a name cannot be
// decoded.
func EachMember(object json.RawMessage, f func(name string, value json.RawMessage) bool) bool {
	if len(object) == 0 || object[0] != '{' {
		return true
	}
	for i := SkipSpace(object, 1); object[i] != '}'; {
		end := ValueEnd(object, i)
		name, ok := Text(object[i:end])
		if !ok {
			return false
		}
		i = SkipSpace(object, SkipSpace(object, end)+1) // past the colon
		end = ValueEnd(object, i)
		if !f(name, object[i:end]) {
			break
		}
		if i = SkipSpace(object, end); object[i] == ',' {
			i = SkipSpace(object, i+1)
		}
	}
	return true
}

// Member returns the first member of valid JSON with the name, or nil if there is none.
func Member(object json.RawMessage, name string) (value json.RawMessage) {
	EachMember(object, func(n string, v json.RawMessage) bool {
		if n == name {
			value = v
		}
		return value == nil
	})
	return value
}

// TextOf returns the text of such a member as TextOrJSON does, or "" if it has none.
func TextOf(object json.RawMessage, name string) (text string) {
	if raw := Member(object, name); string(raw) != "null" && !LoneSurrogate(raw) {
		text, _ = TextOrJSON(raw)
	}
	return text
}

// SkipMark returns a text without the byte order mark at its beginning, which some clients
// send before UTF-8.
func SkipMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// Foreign returns "UTF-16" or "UTF-32" if the first bytes of a text say that it is not UTF-8,
// else "".
func Foreign(text []byte) string {
	if len(text) < 2 {
		return ""
	}
	b := [4]byte{1, 1, 1, 1}
	copy(b[:], text)
	littleMark, bigMark := b[0] == 0xff && b[1] == 0xfe, b[0] == 0xfe && b[1] == 0xff
	switch low, high := b[0] == 0 && b[1] == 0, b[2] == 0 && b[3] == 0; {
	case low && b[2] == 0xfe && b[3] == 0xff, low && b[2] == 0 && b[3] != 0, high && (littleMark || b[0] != 0 && b[1] == 0):
		return "UTF-32"
	case littleMark, bigMark, (b[0] == 0) != (b[1] == 0):
		return "UTF-16"
	}
	return ""
}

// SkipSpace returns where the next value or mark of JSON begins, or the length of the text.
func SkipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// ValueEnd returns where a value of valid JSON ends.
func ValueEnd(text []byte, i int) int {
	depth := 0
	for {
		switch c := text[i]; c {
		case '"':
			i = closing(text, i)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i // the end of the array or object after a number
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i // the end of a number or a word
			}
			i++
			continue
		default:
			i++
			continue
		}
		if i++; depth == 0 {
			return i
		}
	}
}

// closing returns where the string that begins at i has its last quote. A quote within it
// follows an odd number of backslashes.
func closing(text []byte, i int) int {
	for {
		i++
		i += bytes.IndexByte(text[i:], '"')
		before := i
		for text[before-1] == '\\' {
			before--
		}
		if (i-before)%2 == 0 {
			return i
		}
	}
}

// Text returns the text of a valid JSON string. It returns false for any other JSON. What
// is not UTF-8 is replaced, as package encoding/json does.
func Text(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	if !utf8.Valid(inner) {
		return decoded(raw)
	}
	i := bytes.IndexByte(inner, '\\')
	if i < 0 {
		return string(inner), true
	}
	plain := make([]byte, 0, len(inner))
	for ; i >= 0; i = bytes.IndexByte(inner, '\\') {
		plain = append(plain, inner[:i]...)
		switch c := inner[i+1]; c {
		case '"', '\\', '/':
			plain = append(plain, c)
		case 'n':
			plain = append(plain, '\n')
		case 't':
			plain = append(plain, '\t')
		case 'r':
			plain = append(plain, '\r')
		default:
			return decoded(raw)
		}
		inner = inner[i+2:]
	}
	return string(append(plain, inner...)), true
}

func decoded(raw []byte) (text string, ok bool) {
	err := json.Unmarshal(raw, &text)
	return text, err == nil
}

// LoneSurrogate reports whether a JSON string has a \u escape of one half of a
// surrogate pair without the other half.
func LoneSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		ahead := bytes.IndexByte(raw[i:], '\\')
		if ahead < 0 {
			return false
		}
		i += ahead
		r, ok := escape(raw[i:])
		if !ok {
			i++ // another escape; its second byte may be a backslash
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

const maxNumber = 100 // bytes; no number that means something here is longer

// Integer reads a valid JSON number that is whole, such as 1, 1.0 or 1e0. It is exact up to
// 2^53, where a float64 begins to round.
func Integer(raw []byte) (n int64, ok bool) {
	const most = 1 << 53
	s := string(raw)
	if s == "" || len(s) > maxNumber || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return 0, false
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, -most <= n && n <= most
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
	n = r.Num().Int64()
	return n, -most <= n && n <= most
}

// Unquoted returns the number, the true or the false that a valid JSON string holds: of "5" it
// is 5. Many clients send such values as text. Any other JSON is returned as it is.
func Unquoted(raw []byte) []byte {
	text, ok := Text(raw)
	if !ok || len(text) > maxNumber {
		return raw
	}
	inner := []byte(text)
	isNumber := text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && numberEnd(inner, 0) == len(inner)
	if isNumber || text == "true" || text == "false" {
		return inner
	}
	return raw
}

// TextOrJSON returns the text of a valid JSON string. Any other valid JSON is its own text, as
// it was sent: clients send an object where the text of an object is asked for.
func TextOrJSON(raw []byte) (text string, ok bool) {
	if len(raw) > 0 && raw[0] != '"' {
		return string(raw), true
	}
	return Text(raw)
}

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
