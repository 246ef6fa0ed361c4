package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// plain returns the characters that a part of a text stands for: a backslash before
// punctuation is left out, and an entity becomes its character.
func plain(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			b.WriteByte(s[i+1])
			i += 2
		case s[i] == '&':
			value, size := entity(s[i:])
			b.WriteString(value)
			i += size
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// maxEntity is the length of an entity, without & and ;.
const maxEntity = 32

// entity returns what the entity at the beginning of s stands for and how long it is. If
// there is none, it returns the ampersand.
func entity(s string) (value string, size int) {
	end := strings.IndexByte(s[:min(len(s), maxEntity+2)], ';')
	if end < 2 {
		return "&", 1
	}
	name := s[1:end]
	if name[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return string(e.Characters), end + 1
		}
		return "&", 1
	}
	base, digits := 10, name[1:]
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		base, digits = 16, digits[1:]
	}
	n, err := strconv.ParseUint(digits, base, 32)
	switch {
	case err != nil || len(digits) > 7:
		return "&", 1
	case n == 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)):
		return string(utf8.RuneError), end + 1
	}
	return string(rune(n)), end + 1
}
