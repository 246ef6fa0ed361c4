package search

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A class says what a folded character is to the search.
type class uint8

const (
	dropped class = iota // a mark, or a character without width
	space                // between words
	other                // punctuation and symbols, between words
	lower                // of a word: a letter that is not upper case
	upper                // of a word: an upper case letter
	digit                // of a word: a digit
	run2                 // Chinese, Japanese and Korean: matches by two characters in a row
	run3                 // Thai, Lao, Khmer and Burmese: matches by three characters in a row
)

func (c class) inWord() bool { return c >= lower && c <= digit }
func (c class) inRun() bool  { return c == run2 || c == run3 }

// A unit is a folded character, and where its original is.
type unit struct {
	r          rune
	c          class
	start, end int32
}

// A folded character is compared with others.
type folded struct {
	r rune
	c class
}

// A page has the folded forms of 256 characters, computed when the first of them is needed:
// forms[at[i]:at[i+1]] are those of the character i.
type page struct {
	at    [257]uint16
	forms []folded
}

var pages [(unicode.MaxRune + 1) / 256]atomic.Pointer[page]

// fold returns the folded form of a character, which may be none or several characters.
func fold(r rune) []folded {
	p := pages[r>>8].Load()
	if p == nil {
		p = new(page)
		for i := range rune(256) {
			p.forms = append(p.forms, foldSlowly(r&^0xff+i)...)
			p.at[i+1] = uint16(len(p.forms))
		}
		pages[r>>8].Store(p)
	}
	return p.forms[p.at[r&0xff]:p.at[r&0xff+1]]
}

// foldSlowly decomposes a character, drops marks, and folds case. It keeps whether the
// original was upper case, and Hangul syllables whole.
func foldSlowly(r rune) (forms []folded) {
	if r >= 0xac00 && r <= 0xd7a3 {
		return []folded{{r, run2}}
	}
	for _, d := range norm.NFKD.String(string(r)) {
		c := classOf(d)
		// Package cases folds ꭰ to Ꭰ and Ꭰ to ꭰ, so the letter is made small first.
		for _, f := range norm.NFKD.String(cases.Fold().String(string(unicode.ToLower(d)))) {
			if c != dropped && classOf(f) != dropped {
				forms = append(forms, folded{f, c})
			}
		}
	}
	return forms
}

func classOf(r rune) class {
	switch {
	case unicode.IsSpace(r):
		return space
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return dropped
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) &&
		unicode.In(r, unicode.L, unicode.N), strings.ContainsRune("ー〱〲々〆", r):
		return run2 // also the marks that repeat or lengthen the character before
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) &&
		unicode.In(r, unicode.L, unicode.Mc):
		return run3
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.In(r, unicode.L, unicode.Mc):
		return lower
	case unicode.In(r, unicode.N):
		return digit
	}
	return other
}

// appendUnits appends the folded characters of a text, whose first byte is at the given
// offset.
func appendUnits(units []unit, text []byte, offset int) []unit {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		start, end := int32(offset+i), int32(offset+i+size)
		forms := fold(r)
		if n := len(units); len(forms) == 0 && n > 0 && units[n-1].end == start {
			units[n-1].end = end // a mark belongs to its letter
		}
		for _, f := range forms {
			if f.r < firstVowel || f.r > lastTail || !joinHangul(units, f.r, end) {
				units = append(units, unit{f.r, f.c, start, end})
			}
		}
		i += size
	}
	return units
}

// Plain returns a text in which case, marks of letters and the amount of white space do not matter.
func Plain(text string) string {
	return string(appendPlain(nil, nil, appendUnits(nil, []byte(text), 0)))
}

// The letters of Hangul that join the letter or the syllable before them.
const firstVowel, lastTail = 0x1161, 0x11c2

// joinHangul joins a letter to the last unit, and reports whether it did. It computes what package
// norm finds in 40 times the time.
func joinHangul(units []unit, letter rune, end int32) bool {
	const firstLead, firstSyllable, beforeTails = 0x1100, 0xac00, 0x11a7
	const leads, vowels, tails = 19, 21, 28
	if len(units) == 0 {
		return false
	}
	last := &units[len(units)-1]
	lead, syllable := last.r-firstLead, last.r-firstSyllable
	switch {
	case lead >= 0 && lead < leads && letter < firstVowel+vowels:
		last.r = firstSyllable + (lead*vowels+letter-firstVowel)*tails
	case syllable >= 0 && syllable < leads*vowels*tails && syllable%tails == 0 && letter > beforeTails:
		last.r += letter - beforeTails
	default:
		return false
	}
	last.end = end
	return true
}

// The classes of bytes, as bits.
const (
	byteBetween = 0x00 // between words
	byteLower   = 0x01 // of a word: not upper case
	byteWide    = 0x02 // of a character that is not ASCII
	byteUpper   = 0x20 // the bit that makes an upper case letter of ASCII a lower case one
)

var byteClass = func() (table [256]uint8) {
	for b := range table {
		switch c := classOf(rune(b)); {
		case b >= utf8.RuneSelf:
			table[b] = byteWide
		case c == upper:
			table[b] = byteUpper
		case c.inWord():
			table[b] = byteLower
		}
	}
	return table
}()
