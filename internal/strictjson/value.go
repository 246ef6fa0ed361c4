package strictjson

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns the text of a valid JSON string. It returns false for any other JSON. What
// is not UTF-8 is replaced, as package encoding/json does.
func Text(raw []byte) (text string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
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
	if len(raw) > maxNumber {
		return raw
	}
	text, ok := Text(raw)
	if !ok {
		return raw
	}
	isNumber := text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text))
	if isNumber || text == "true" || text == "false" {
		return []byte(text)
	}
	return raw
}

// textOrJSON returns the text of a valid JSON string. Any other valid JSON is its own text, as
// it was sent: clients send an object where the text of an object is asked for.
func textOrJSON(raw []byte) (text string, ok bool) {
	if len(raw) > 0 && raw[0] != '"' {
		return string(raw), true
	}
	return Text(raw)
}
