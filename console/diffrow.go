package console

import (
	"html/template"
	"strconv"

	"github.com/agent-scratchpad/scratchpad/console/internal/diff"
	"github.com/agent-scratchpad/scratchpad/console/internal/text"
)

const (
	maxWhole   = 8192 // bytes of a line that a row shows without cutting it
	aroundMark = 800  // bytes of a longer line before and after what differs
)

// A diffRow is a row of a comparison.
type diffRow struct {
	Kind     diff.Kind
	Hunk     bool // the row begins a run of changes
	Old, New diffSide
	Gap      int    // equal lines that are left out
	Open     string // the address that shows them
}

// A diffSide is a line in a row. With Line 0 it is none.
type diffSide struct {
	Line        int
	Address     string
	Text        template.HTML
	Before, Cut int          // bytes at its two ends that are left out
	End         diff.LineEnd // where that matters
}

// A diffLayout says what is around the lines.
type diffLayout struct {
	old, new func(line int) string // the address of a line; nil: none
	whole    func(row int) string  // the address of a row of all lines; nil: none
	first    int                   // the first row's number among those of all lines
}

// rows returns rows as a page shows them.
func (l diffLayout) rows(rows []diff.Row) []diffRow {
	made := make([]diffRow, len(rows))
	inHunk, at := false, l.first
	for i, r := range rows {
		changed := r.Kind != diff.Equal && r.Kind != diff.Gap
		made[i] = diffRow{Kind: r.Kind, Hunk: changed && !inHunk, Gap: r.Lines,
			Old: l.side(r, r.Old, text.Deleted, l.old), New: l.side(r, r.New, text.Inserted, l.new)}
		if inHunk = changed; r.Kind == diff.Gap && l.whole != nil {
			made[i].Open = l.whole(at) + "#A" + strconv.Itoa(r.Old.Line)
		}
		at += max(1, r.Lines)
	}
	return made
}

func (l diffLayout) side(r diff.Row, s diff.Side, e text.Element, address func(int) string) diffSide {
	if s.Line == 0 {
		return diffSide{}
	}
	from, to := excerpt(s.Text, s.Marks)
	m := diffSide{Line: s.Line, Text: text.Marked(s.Text[from:to], from, s.Marks, e),
		Before: from, Cut: len(s.Text) - to}
	if address != nil {
		m.Address = address(s.Line)
	}
	if s.End == diff.NoNewline || r.EndDiffers {
		m.End = s.End
	}
	return m
}

// excerpt returns what a page shows of a line: all of it or, of a long one, what differs
// and some text around it.
func excerpt(line string, marks [][2]int) (from, to int) {
	if len(line) <= maxWhole {
		return 0, len(line)
	}
	to = 2 * aroundMark
	if len(marks) > 0 {
		from = max(0, marks[0][0]-aroundMark)
		to = min(marks[len(marks)-1][1]+aroundMark, from+maxLine)
	}
	return text.Floor(line, from), text.Floor(line, to)
}
