package excerpt

import (
	"iter"
	"strings"
)

// A Line is a line of a text.
type Line struct {
	N    int    // its number, from 1
	At   int    // the byte at which it begins
	Text string // without the line end
}

// Lines returns the lines of a text in order.
func Lines(text string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
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
			if !yield(Line{n, at, l}) {
				return
			}
			at = next
		}
	}
}

// Blank reports whether a line has nothing but blanks.
func (l Line) Blank() bool { return strings.TrimSpace(l.Text) == "" }

// Indent returns the columns before the text. A tab ends at a multiple of eight.
func (l Line) Indent() int {
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
