package strictjson

import "encoding/json"

// check reports whether a text is valid JSON, and returns the number of values in it, or a
// few more.
func check(text []byte) (values int, ok bool) {
	if !json.Valid(text) {
		return 0, false
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = closing(text, i)
		case '{', '[', ',':
			values++
		}
	}
	return values, true
}
