package words

import (
	"unicode"
	"unicode/utf8"
)

// A class says what a token is.
type class uint8

const (
	space class = iota
	punct
	word
)

// A token is a word, or one character that is no part of a word.
type token struct {
	start, end int32
	runes      int32
	class      class
}

// split cuts a line into tokens. Together they are the whole line.
func split(line string) []token {
	tokens := make([]token, 0, len(line)/3+1)
	for at := 0; at < len(line); {
		t := next(line[at:])
		t.start, t.end = t.start+int32(at), t.end+int32(at)
		tokens = append(tokens, t)
		at = int(t.end)
	}
	return tokens
}

// next returns the first token of a text that is not empty.
func next(s string) token {
	size, base, runes := cluster(s)
	c, joins := classify(base)
	t := token{end: int32(size), runes: int32(runes), class: c}
	if !joins {
		return t
	}
	last := base
	for int(t.end) < len(s) {
		rest := s[t.end:]
		size, base, runes := cluster(rest)
		if _, joins := classify(base); !joins {
			if !links(last, base) || size != utf8.RuneLen(base) || size == len(rest) {
				break
			}
			_, after, _ := cluster(rest[size:])
			if _, joins := classify(after); !joins || unicode.IsDigit(last) != unicode.IsDigit(after) {
				break
			}
		}
		last = base
		t.end, t.runes = t.end+int32(size), t.runes+int32(runes)
	}
	return t
}

// links reports whether r can stand inside a word after last: the apostrophe of
// "don't", the point of 3.14.
func links(last, r rune) bool {
	if r == '.' {
		return unicode.IsDigit(last)
	}
	return (r == '\'' || r == '’') && unicode.IsLetter(last)
}

// alone are the scripts that put no spaces between words.
var alone = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// classify returns the class of a character, and whether it is part of a longer word.
func classify(r rune) (c class, joins bool) {
	switch {
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_':
		return word, true
	case unicode.IsSpace(r):
		return space, false
	case r == 'ー' || r == 'ｰ':
		return word, false
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.Is(unicode.Pc, r):
		return word, r < 0x0e00 || !unicode.In(r, alone...)
	case unicode.IsPunct(r) || unicode.In(r, unicode.Sm, unicode.Sc, unicode.Sk):
		return punct, false
	}
	return word, false
}

const zeroWidthJoiner = '\u200d'

// cluster returns the size of the first character of s as a person sees it: its bytes,
// its first rune and its number of runes. It may take two characters for one, but
// never a part for the whole.
func cluster(s string) (size int, base rune, runes int) {
	base, size = utf8.DecodeRuneInString(s)
	if size < len(s) && s[size] < utf8.RuneSelf && base < utf8.RuneSelf {
		return size, base, 1
	}
	runes = 1
	half := isRegional(base) // last is the first half of a flag
	for last := base; size < len(s); runes++ {
		r, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case half && isRegional(r):
			half = false
		case extends(r) || last == zeroWidthJoiner || prepends(last) || stacks(last):
			half = isRegional(r)
		default:
			return size, base, runes
		}
		last = r
		size += n
	}
	return size, base, runes
}

func isRegional(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }

// extends reports whether a rune belongs to the character before it.
func extends(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r == zeroWidthJoiner, r == '\u200c', // joiners
		r == '\u0e33', r == '\u0eb3', // the vowel AM of Thai and Lao
		r == '\uff9e', r == '\uff9f', // sound marks of narrow Katakana
		0x1f3fb <= r && r <= 0x1f3ff, // tones of skin
		0xe0020 <= r && r <= 0xe007f, // tags
		0x1160 <= r && r <= 0x11ff:   // vowels and finals of Hangul
		return true
	}
	return unicode.IsMark(r)
}

// prepends reports whether the next rune belongs to the same character: signs that
// stand around a number in Arabic, and the like.
func prepends(r rune) bool {
	return r >= 0x600 && (unicode.Is(unicode.Prepended_Concatenation_Mark, r) || r == 0xd4e ||
		r == 0x111c2 || r == 0x111c3 || r == 0x1193f || r == 0x11941 || r == 0x11a3a ||
		0x11a84 <= r && r <= 0x11a89 || r == 0x11d46 || r == 0x11f02)
}

// stacks reports whether the next letter is written below this sign.
func stacks(r rune) bool { return r == '\u17d2' || r == '\u1039' }
