package diff

import "unicode"

// split cuts a line into words: runs of letters and digits, and single characters that
// are no part of one. Together they are the whole line.
func split(line string) []string {
	words := make([]string, 0, len(line)/3+1)
	start, inWord, last := 0, false, rune(0)
	for i, r := range line {
		same := extends(r) || last == zeroWidthJoiner // the character before goes on
		if i > start && !same && !(inWord && joins(r)) {
			words, start = append(words, line[start:i]), i
		}
		inWord, last = joins(r) || same && inWord, r
	}
	if start < len(line) {
		words = append(words, line[start:])
	}
	return words
}

// alone are the scripts that put no spaces between words.
var alone = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// joins reports whether a character is part of a longer word.
func joins(r rune) bool {
	return r == '_' || unicode.In(r, unicode.L, unicode.N) && !unicode.In(r, alone...)
}

const zeroWidthJoiner = '\u200d'

// extends reports whether a character belongs to the one before it: a mark, a joiner, or a tone
// of skin.
func extends(r rune) bool {
	return unicode.IsMark(r) || r == zeroWidthJoiner || 0x1f3fb <= r && r <= 0x1f3ff
}
