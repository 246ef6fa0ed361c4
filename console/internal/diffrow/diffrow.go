// Package diffrow makes the rows of a page that compares two texts.
package diffrow

import (
	"html/template"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/console/internal/visible"
	"github.com/agent-scratchpad/scratchpad/console/internal/words"
)

const (
	maxLine    = 20_000 // bytes of a line that a row shows
	maxWhole   = 8192   // bytes of a line that a row shows without cutting it
	aroundMark = 800    // bytes of a longer line before and after what differs
)

// A Row is a row of a comparison.
type Row struct {
	Kind     string // as words.Kind has it
	Hunk     bool   // the row begins a run of changes
	Old, New Side
	Gap      int    // equal lines that are left out
	Open     string // the address that shows them
}

// A Side is a line in a row. With Line 0 it is none.
type Side struct {
	Line        int
	Address     string
	Text        template.HTML
	Before, Cut int    // bytes at its two ends that are left out
	End         string // how the line ends, where that matters
}

// A Layout says what is around the lines.
type Layout struct {
	Old, New func(line int) string      // the address of a line
	Opened   func(line, row int) string // the address that shows a gap, by its first old line and its row; nil: none
	Quiet    bool                       // CRLF is how all lines end
}

// Rows returns rows as a page shows them. The number of the first one is first.
func (l Layout) Rows(rows []words.Row, first int) []Row {
	made := make([]Row, len(rows))
	inHunk := false
	for i, r := range rows {
		m := Row{Kind: r.Kind.String()}
		changed := r.Kind != words.Equal && r.Kind != words.Gap
		m.Hunk = changed && !inHunk
		inHunk = changed
		if r.Kind == words.Gap {
			m.Gap = r.Lines
			if l.Opened != nil {
				m.Open = l.Opened(r.Old.Line, first+i)
			}
		} else {
			m.Old = l.side(r, r.Old, visible.Deleted, l.Old)
			m.New = l.side(r, r.New, visible.Inserted, l.New)
		}
		made[i] = m
	}
	return made
}

func (l Layout) side(r words.Row, s words.Side, kind visible.Kind, address func(int) string) Side {
	if s.Line == 0 {
		return Side{}
	}
	from, to := excerpt(s.Text, s.Marks, r.Kind != words.Equal && !r.Marked)
	var spans []visible.Span
	if r.Marked {
		for _, m := range s.Marks {
			spans = append(spans, visible.Span{Start: m.Start - from, End: m.End - from, Kind: kind})
		}
	}
	m := Side{Line: s.Line, Address: address(s.Line), Text: visible.Marked(s.Text[from:to], spans), Before: from, Cut: len(s.Text) - to}
	switch {
	case s.End == words.NoNewline:
		m.End = "no newline at the end"
	case r.EndDiffers && s.End == words.LF:
		m.End = "LF"
	case s.End == words.CRLF && (r.EndDiffers || r.Kind != words.Equal && !r.Marked && !l.Quiet):
		m.End = "CRLF"
	}
	return m
}

// excerpt returns what a page shows of a line: all of it or, of a long one, what differs
// and some text around it.
func excerpt(line string, marks []words.Range, differs bool) (from, to int) {
	if len(line) <= maxWhole {
		return 0, len(line)
	}
	switch {
	case len(marks) > 0:
		from = max(0, marks[0].Start-aroundMark)
		to = min(marks[len(marks)-1].End+aroundMark, from+maxLine)
	case differs: // as a whole
		to = maxLine
	default:
		to = 2 * aroundMark
	}
	to = min(to, len(line))
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to--
	}
	return from, to
}
