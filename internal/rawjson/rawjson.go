// Package rawjson looks into JSON text without decoding it. So it costs little, however
// large the text is, and nothing is lost: a name that is given twice is seen twice.
package rawjson

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Values returns the number of values in valid JSON, or a few more.
func Values(text []byte) int {
	n := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case ',', '[', '{':
			n++
		}
	}
	return n
}

// EachMember calls a function with each member of valid JSON, in order, until it returns
// false. JSON that is not an object has no members. It returns false if a name cannot be
// decoded.
func EachMember(object json.RawMessage, f func(name string, value json.RawMessage) bool) bool {
	if len(object) == 0 || object[0] != '{' {
		return true
	}
	for i := SkipSpace(object, 1); object[i] != '}'; {
		end := skipValue(object, i)
		var name string
		if json.Unmarshal(object[i:end], &name) != nil {
			return false
		}
		i = SkipSpace(object, SkipSpace(object, end)+1) // past the colon
		end = skipValue(object, i)
		if !f(name, object[i:end]) {
			break
		}
		if i = SkipSpace(object, end); object[i] == ',' {
			i = SkipSpace(object, i+1)
		}
	}
	return true
}

// SkipSpace returns where the next value or mark of valid JSON begins.
func SkipSpace(text []byte, i int) int {
	for text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r' {
		i++
	}
	return i
}

// skipValue returns where a value of valid JSON ends.
func skipValue(text []byte, i int) int {
	depth := 0
	for {
		switch c := text[i]; c {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
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

// LoneSurrogate reports whether a JSON string has a \u escape of one half of a
// surrogate pair without the other half.
func LoneSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
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
