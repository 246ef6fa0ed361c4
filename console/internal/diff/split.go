package diff

import (
	"unicode"
	"unicode/utf8"
)

// split cuts a line into words: runs of letters and digits, and single characters that
// are no part of one. Together they are the whole line.
func split(line string) []string {
	words := make([]string, 0, len(line)/3+1)
	for line != "" {
		n := next(line)
		words = append(words, line[:n])
		line = line[n:]
	}
	return words
}

// next returns the bytes of the first word of a text that is not empty.
func next(s string) int {
	end, last := cluster(s)
	if !joins(last) {
		return end
	}
	for end < len(s) {
		size, base := cluster(s[end:])
		if !joins(base) {
			if !links(last, base) || size != utf8.RuneLen(base) || end+size == len(s) {
				break
			}
			_, after := cluster(s[end+size:])
			if !joins(after) || unicode.IsDigit(last) != unicode.IsDigit(after) {
				break
			}
		}
		last = base
		end += size
	}
	return end
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

// joins reports whether a character is part of a longer word.
func joins(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Pc) && !unicode.In(r, alone...) && r != 'ー' &&
		r != 'ｰ'
}

// isWord reports whether a word is more than space and punctuation.
func isWord(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return !unicode.IsSpace(r) && (r == '_' || !unicode.In(r, unicode.P, unicode.Sm, unicode.Sc, unicode.Sk))
}

const zeroWidthJoiner = '\u200d'

// cluster returns the bytes of the first character of s as a person sees it, and its
// first rune. It may take two characters for one, but never a part for the whole.
func cluster(s string) (size int, base rune) {
	base, size = utf8.DecodeRuneInString(s)
	half := isRegional(base) // last is the first half of a flag
	for last := base; size < len(s); {
		r, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case half && isRegional(r):
			half = false
		case extends(r) || last == zeroWidthJoiner || stacks(last):
			half = isRegional(r)
		default:
			return size, base
		}
		last = r
		size += n
	}
	return size, base
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

// stacks reports whether the next letter is written below this sign.
func stacks(r rune) bool { return r == '\u17d2' || r == '\u1039' }
