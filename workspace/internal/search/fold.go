package search

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A class says what a folded character is to the search.
type class uint8

const (
	dropped  class = iota // a mark, or a character without width
	space                 // between words
	other                 // punctuation and symbols, between words
	lower                 // of a word: a letter that is not upper case
	upper                 // of a word: an upper case letter
	digit                 // of a word: a digit
	run2                  // Chinese, Japanese and Korean: matches by two characters in a row
	run3                  // Thai, Lao, Khmer and Burmese: matches by three characters in a row
	multiple              // several characters; the rune is their index in the page
)

func (c class) inWord() bool { return c >= lower && c <= digit }
func (c class) inRun() bool  { return c == run2 || c == run3 }

// A unit is a folded character, and where its original is.
type unit struct {
	r          rune
	c          class
	start, end int32
}

// A page has the folded forms of 256 characters. They are computed when the first of
// them is needed.
type page struct {
	forms [256]uint32 // the rune, and its class above bit 24
	lists [][]uint32  // of the class multiple
}

const pages = (unicode.MaxRune + 1) / 256

var folded [pages]atomic.Pointer[page]

// fold returns the folded form of a character, which may be several.
func fold(r rune) (form uint32, in *page) {
	p := folded[r>>8].Load()
	if p == nil {
		p = newPage(r &^ 0xff)
		folded[r>>8].Store(p)
	}
	return p.forms[r&0xff], p
}

func newPage(first rune) *page {
	p := new(page)
	for i := range p.forms {
		switch forms := foldSlowly(first + rune(i)); len(forms) {
		case 0:
			p.forms[i] = 0 // dropped
		case 1:
			p.forms[i] = forms[0]
		default:
			p.forms[i] = uint32(len(p.lists)) | uint32(multiple)<<24
			p.lists = append(p.lists, forms)
		}
	}
	return p
}

// foldSlowly decomposes a character, drops marks, and folds case. It keeps whether the
// original was upper case, and Hangul syllables whole.
func foldSlowly(r rune) (forms []uint32) {
	if r >= 0xac00 && r <= 0xd7a3 {
		return []uint32{uint32(r) | uint32(run2)<<24}
	}
	if !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	for _, d := range norm.NFKD.String(string(r)) {
		c := classOf(d)
		if d == 'ß' || d == 'ẞ' {
			forms = append(forms, 's'|uint32(c)<<24, 's'|uint32(lower)<<24)
			continue
		}
		for _, f := range norm.NFKD.String(string(foldCase(d))) {
			if c != dropped && classOf(f) != dropped {
				forms = append(forms, uint32(f)|uint32(c)<<24)
			}
		}
	}
	return forms
}

// foldCase returns the same character for all that differ in case only.
func foldCase(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		if classOf(next) != dropped { // the iota below a letter is a mark
			least = min(least, next)
		}
	}
	if least == r && unicode.SimpleFold(r) == r {
		return r
	}
	return unicode.ToLower(least)
}

// japaneseMark reports whether a character repeats or lengthens the one before it.
func japaneseMark(r rune) bool {
	return r == 'ー' || r == '〱' || r == '〲' || r == '々' || r == '〆'
}

func classOf(r rune) class {
	switch {
	case unicode.IsSpace(r):
		return space
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return dropped
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) &&
		unicode.In(r, unicode.L, unicode.N), japaneseMark(r):
		return run2
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
		form, in := fold(r)
		u := unit{rune(form & 0xffffff), class(form >> 24), int32(offset + i), int32(offset + i + size)}
		i += size
		switch {
		case u.c == dropped:
			if n := len(units); n > 0 && units[n-1].end == u.start {
				units[n-1].end = u.end // a mark belongs to its letter
			}
		case u.c == multiple:
			for _, form := range in.lists[u.r] {
				u.r, u.c = rune(form&0xffffff), class(form>>24)
				units = appendUnit(units, u)
			}
		default:
			units = appendUnit(units, u)
		}
	}
	return units
}

// Plain returns a text in which case, marks of letters and the amount of white space do not matter.
func Plain(text string) string {
	return string(appendPlain(nil, nil, appendUnits(nil, []byte(text), 0)))
}

// appendUnit appends a unit, and joins the letters of Hangul to syllables.
func appendUnit(units []unit, u unit) []unit {
	const (
		syllables, leads, vowels, tails  = 0xac00, 0x1100, 0x1161, 0x11a7
		leadCount, vowelCount, tailCount = 19, 21, 28
	)
	if n := len(units); u.r > tails-0x100 && u.r < tails+tailCount && n > 0 {
		last := &units[n-1]
		lead, syllable := last.r-leads, last.r-syllables
		switch {
		case u.r >= vowels && u.r < vowels+vowelCount && lead >= 0 && lead < leadCount:
			last.r, last.end = syllables+(lead*vowelCount+u.r-vowels)*tailCount, u.end
			return units
		case u.r > tails && syllable >= 0 && syllable < leadCount*vowelCount*tailCount && syllable%tailCount == 0:
			last.r, last.end = last.r+u.r-tails, u.end
			return units
		}
	}
	return append(units, u)
}

// The classes of bytes, as bits.
const (
	byteBetween = 0 // between words
	byteLower   = 1 // of a word: not upper case
	byteUpper   = 2
	byteWide    = 4 // of a character that is not ASCII
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

// toLower has each byte, and for an upper case letter of ASCII its lower case.
var toLower = func() (table [256]byte) {
	for b := range table {
		table[b] = byte(b)
		if b >= 'A' && b <= 'Z' {
			table[b] |= 0x20
		}
	}
	return table
}()
