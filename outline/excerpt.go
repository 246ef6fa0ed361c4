package outline

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean returns a text on one line of at most so many characters, and "…" if there
// are more. Each run of blanks and line ends becomes one blank. Control characters
// and marks that change the direction of writing are left out.
func clean(text string, most int) string {
	var b strings.Builder
	n, space := 0, false
	for i, r := range text {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			space = n > 0
			continue
		// U+200C and U+200D join letters, or keep them apart.
		case unicode.In(r, unicode.Cc, unicode.Cf) && r != '\u200C' && r != '\u200D':
			continue
		case n >= most || i > 16*most+1024:
			return b.String() + "…"
		case space:
			b.WriteByte(' ')
			n++
			space = false
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// headOf returns the longest beginning of a text that has at most so many bytes and
// ends with a whole character.
func headOf(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// lastByte returns the last byte of a text, or 0.
func lastByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}

// A textLine is a line of a text.
type textLine struct {
	N    int    // its number, from 1
	At   int    // the byte at which it begins
	Text string // without the line end
}

// linesOf returns the lines of a text in order.
func linesOf(text string) iter.Seq[textLine] {
	return func(yield func(textLine) bool) {
		for n, at := 1, 0; at < len(text); n++ {
			end := strings.IndexByte(text[at:], '\n')
			next := at + end + 1
			if end < 0 {
				end, next = len(text)-at, len(text)
			}
			l := text[at : at+end]
			if end > 0 && l[end-1] == '\r' {
				l = l[:end-1]
			}
			if !yield(textLine{n, at, l}) {
				return
			}
			at = next
		}
	}
}

// blank reports whether a line has nothing but blanks.
func (l textLine) blank() bool { return strings.TrimSpace(l.Text) == "" }

// indent returns the columns before the text. A tab ends at a multiple of eight.
func (l textLine) indent() int {
	n := 0
	for i := range len(l.Text) {
		switch l.Text[i] {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}
