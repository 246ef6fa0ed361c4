package text

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Run is a part of a text. The runs of a text, joined, are the text.
type Run struct {
	// Text is the part of the text. It is never empty.
	Text string

	// Mark says that a reader would not see the text, or not as it is. The text of a
	// mark is one character, or one byte that is no UTF-8, once or repeated.
	Mark bool
}

// Label returns what to show in place of a mark: its code point or byte and, if it is
// repeated, how often: "U+202E", "byte FF", "U+0000 ×12". Of a run that is no mark it
// returns the text.
func (r Run) Label() string {
	if !r.Mark {
		return r.Text
	}
	c, size := utf8.DecodeRuneInString(r.Text)
	label := fmt.Sprintf("U+%04X", c)
	if c == utf8.RuneError && size == 1 {
		label = fmt.Sprintf("byte %02X", r.Text[0])
	}
	if n := len(r.Text) / size; n > 1 {
		label += fmt.Sprintf(" ×%d", n)
	}
	return label
}

// Runs cuts a text into plain text and marks. Tab and line feed are plain; a carriage
// return is a mark.
//
// Marks are all of Cc but tab and line feed, all of Cf, and beyond these what hides as
// well: line and paragraph separators, characters that Unicode says to ignore, the tag
// characters, private use (the font says what it shows), noncharacters, U+FFFC, the blank of
// Braille, and bytes that are no UTF-8. A joiner (ZWJ, ZWNJ) is plain once after a character
// beyond ASCII, where scripts and emoji need it, and a variation selector once after what can
// vary; elsewhere they carry hidden data. Of combining characters the first eight in
// a row are plain, if there is something that they stand on.
//
// Unassigned code points are plain: a font that does not know them shows a box.
func Runs(text string) iter.Seq[Run] { return runs(text, false) }

// runs is Runs. In a name, tab and line feed are marks too.
func runs(text string, name bool) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		var s state
		start, mark := 0, ""
		for i := 0; i < len(text); {
			c, size := rune(text[i]), 1
			if c >= utf8.RuneSelf {
				c, size = utf8.DecodeRuneInString(text[i:])
			}
			hidden := s.hides(c, size) || name && (c == '\t' || c == '\n')
			one := text[i : i+size]
			if cut := hidden && one != mark || !hidden && mark != ""; cut && start < i {
				if !yield(Run{text[start:i], mark != ""}) {
					return
				}
				start = i
			}
			if mark = ""; hidden {
				mark = one
			}
			i += size
		}
		if start < len(text) {
			yield(Run{text[start:], mark != ""})
		}
	}
}

// A state knows what stands before a character.
type state struct {
	last      rune // the character before, 0 at the beginning or after a mark
	combining int  // how many combining characters stand before, in a row
}

// maxCombining is how many combining characters in a row are shown. Scripts in use need
// fewer; more of them write over the lines around.
const maxCombining = 8

// hides reports whether to show the character as a mark, and goes past it.
func (s *state) hides(c rune, size int) bool {
	if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
		*s = state{last: c}
		return false
	}
	hidden := hides(s.last, c, size)
	if combines := !hidden && c >= 0x300 && !selects(c) && unicode.In(c, unicode.Mn, unicode.Me); combines {
		s.combining++
		if hidden = s.combining > maxCombining || s.last == 0 || s.last == '\n' || s.last == '\t'; hidden {
			return true
		}
	} else if hidden || !joins(c) && !selects(c) {
		s.combining = 0
	}
	if s.last = c; hidden {
		s.last = 0
	}
	return hidden
}

func hides(last, c rune, size int) bool {
	switch {
	case c == utf8.RuneError:
		return size == 1
	case joins(c):
		return last < utf8.RuneSelf || joins(last)
	case selects(c):
		return !varies(last, c)
	case c < 0x300:
		return c < 0xa0 || c == 0xad
	case c >= 0x3400 && c <= 0x9fff || c >= 0xac00 && c <= 0xd7a3: // Han, Hangul
		return false
	case c >= 0xf0000 || c >= 0xe000 && c <= 0xf8ff: // private use
		return true
	case c == 0xfffc || c == 0x2800 || c == 0x2028 || c == 0x2029:
		return true
	}
	return unicode.In(c, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) ||
		c >= 0xe0000 && c <= 0xe0fff
}

// joins reports whether the character is ZWNJ or ZWJ.
func joins(c rune) bool { return c == 0x200c || c == 0x200d }

// selects reports whether the character is a variation selector.
func selects(c rune) bool {
	return c >= 0xfe00 && c <= 0xfe0f || c >= 0xe0100 && c <= 0xe01ef || c >= 0x180b && c <= 0x180f && c != 0x180e
}

// varies reports whether Unicode has characters like the last one with such a selector.
func varies(last, selector rune) bool {
	switch {
	case selector == 0xfe0e || selector == 0xfe0f:
		return strings.ContainsRune("#*0123456789‼⁉〰〽", last) ||
			unicode.In(last, unicode.So, unicode.Sm, unicode.Sk) || last == '©' || last == '®'
	case selector >= 0xe0100:
		return unicode.Is(unicode.Han, last)
	case selector < 0x1810:
		return unicode.Is(unicode.Mongolian, last) && unicode.IsLetter(last)
	}
	return unicode.In(last, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa)
}
