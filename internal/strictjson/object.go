// Package strictjson refuses JSON that two decoders could read differently: a name that stands
// twice, a name in the wrong case, half a surrogate pair. It looks into JSON without decoding all
// of it, so it costs little, however large a text is.
package strictjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"iter"
)

// ErrInvalid says that a text is not JSON. Arrays and objects that nest more than 10,000 deep
// are not.
var ErrInvalid = errors.New("not valid JSON")

var errForeign = errors.New("UTF-16 or UTF-32; send UTF-8")

// Parse returns the JSON of a text without what stands around it, and the number of values in
// it, or a few more. The error says what is wrong, for example that the text is UTF-16.
func Parse(text []byte) (value json.RawMessage, values int, err error) {
	if begin := text[:min(2, len(text))]; bytes.IndexByte(begin, 0) >= 0 || string(begin) == "\xff\xfe" ||
		string(begin) == "\xfe\xff" {
		return nil, 0, errForeign
	}
	text = Trim(text)
	values, ok := check(text)
	if !ok {
		return nil, 0, ErrInvalid
	}
	return text, values, nil
}

// Trim returns a text without the space around it, and without the byte order mark that some
// clients send.
func Trim(text []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n")
}

// Members yields the members of valid JSON in order. JSON that is not an object has none.
func Members(object json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		if len(object) == 0 || object[0] != '{' {
			return
		}
		for i := skipSpace(object, 1); object[i] != '}'; {
			end := ValueEnd(object, i)
			name, _ := Text(object[i:end])
			i = skipSpace(object, skipSpace(object, end)+1) // past the colon
			end = ValueEnd(object, i)
			if !yield(name, object[i:end]) {
				return
			}
			if i = skipSpace(object, end); object[i] == ',' {
				i = skipSpace(object, i+1)
			}
		}
	}
}

// Unique returns the members of valid JSON by their names. An error says that a name stands
// twice, because decoders disagree on which one they take, or that it is a known name in another
// case. part is what the error calls a member. All members are returned with an error too.
func Unique(object json.RawMessage, part string, known ...string) (all map[string]json.RawMessage, err error) {
	for name, value := range Members(object) {
		if all == nil {
			all = make(map[string]json.RawMessage, 4)
		}
		if _, again := all[name]; again {
			err = Twice(part, name)
		}
		for _, k := range known {
			err = cmp.Or(err, misspelt(part, name, k))
		}
		all[name] = value
	}
	return all, err
}

// Member returns the first member of valid JSON with the name, or nil if there is none.
func Member(object json.RawMessage, name string) json.RawMessage {
	for n, value := range Members(object) {
		if n == name {
			return value
		}
	}
	return nil
}

// TextOf returns the text of the first member with a name, as a [Form] reads it, or "" if it
// has none.
func TextOf(object json.RawMessage, name string) (text string) {
	if raw := Member(object, name); string(raw) != "null" && !LoneSurrogate(raw) {
		text, _ = textOrJSON(raw)
	}
	return text
}

// skipSpace returns where the next value or mark of JSON begins, or the length of the text.
func skipSpace(text []byte, i int) int {
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
