package diff

import (
	"sort"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

// A Kind says what a row shows. The zero value is [Equal].
type Kind uint8

const (
	Equal   Kind = iota // a line of both texts
	Removed             // a line of the old text
	Added               // a line of the new text
	Changed             // side by side: a removed line and an added line
	Gap                 // equal lines that are left out
)

// String returns the name of the kind: "equal", "removed", "added", "changed" or "gap".
func (k Kind) String() string {
	return [...]string{"equal", "removed", "added", "changed", "gap"}[k]
}

// A LineEnd says how a line ends, as a person reads it.
type LineEnd string

const (
	LF        LineEnd = "LF"                    // a line feed
	CRLF      LineEnd = "CRLF"                  // a carriage return and a line feed
	NoNewline LineEnd = "no newline at the end" // the end of the text
)

// A Side is the line of one text in a [Row]. The zero value is no line.
type Side struct {
	// Line is the number of the line, from 1. It is 0 if the row has no line of this text.
	Line int
	// Text is the line without its end.
	Text string
	// End is how the line ends.
	End LineEnd
	// Marks are the parts of Text that differ from the other line of the pair, in order:
	// the offset of the first byte, and of the byte after the last. They are not empty and
	// do not touch. A row that is not Marked has none.
	Marks [][2]int
}

// A Row is a row of a page.
type Row struct {
	Kind Kind
	// Old and New are the lines of the two texts. Equal rows have both. A removed row has
	// Old alone, and an added row has New alone. A gap has only the numbers of the first
	// lines that are left out.
	Old, New Side
	// Marked reports that the removed line and the added line are two forms of one, and
	// that Marks say what differs. It may be that only spaces or the line ends differ.
	// If Marked is false, a removed line differs as a whole, and so does an added line.
	// In a unified view, the other line of the pair has a row of its own.
	Marked bool
	// EndDiffers reports that the two lines of a pair end differently.
	EndDiffers bool
	// Lines is the number of lines that a gap leaves out, at least two.
	Lines int
}

// A Layout is a way to show a difference. The zero value is [Unified].
type Layout uint8

const (
	Unified    Layout = iota // removed lines, and below them added lines
	SideBySide               // old lines to the left of new lines
)

// Options of [Diff.View].
type Options struct {
	Layout Layout
	// Context is the number of equal lines before and after each change. If it is
	// negative, the view has all lines.
	Context int
	// Open names gaps to show whole, by the number of the first old line that they
	// leave out.
	Open []int
}

// A View is a difference laid out in rows. A View is immutable and safe for concurrent
// use. It keeps its [Diff].
type View struct {
	diff     *Diff
	layout   Layout
	segments []segment
	rows     int
}

// A segment is some rows of one kind.
type segment struct {
	first              int32 // the rows before it
	kind               Kind
	old, new           int32 // the lines before it
	oldCount, newCount int32 // its lines
}

// View lays the difference out. A single equal line is never left out: a gap would
// take as much room. Two equal texts are one gap.
func (d *Diff) View(o Options) *View {
	v := &View{diff: d, layout: o.Layout}
	open := map[int]bool{}
	for _, line := range o.Open {
		open[line] = true
	}
	for i := 0; i < len(d.runs); i++ {
		r := d.runs[i]
		switch {
		case r.Op == linediff.Equal:
			v.equal(r, o.Context, i == 0, i == len(d.runs)-1, open)
		case r.Op == linediff.Remove && i+1 < len(d.runs) && d.runs[i+1].Op == linediff.Add:
			i++
			v.replace(r.Old, r.Lines, r.New, d.runs[i].Lines)
		case r.Op == linediff.Remove:
			v.add(Removed, r.Old, r.Lines, r.New, 0, r.Lines)
		default:
			v.add(Added, r.Old, 0, r.New, r.Lines, r.Lines)
		}
	}
	return v
}

func (v *View) add(k Kind, old, oldCount, new, newCount, rows int) {
	if rows == 0 {
		return
	}
	v.segments = append(v.segments, segment{int32(v.rows), k, int32(old), int32(new), int32(oldCount), int32(newCount)})
	v.rows += rows
}

func (v *View) equal(r linediff.Run, context int, first, last bool, open map[int]bool) {
	before, after := min(max(context, 0), r.Lines), min(max(context, 0), r.Lines)
	if first {
		before = 0
	}
	if last {
		after = 0
	}
	hidden := r.Lines - before - after
	if context < 0 || hidden < 2 || open[r.Old+before+1] {
		v.add(Equal, r.Old, r.Lines, r.New, r.Lines, r.Lines)
		return
	}
	v.add(Equal, r.Old, before, r.New, before, before)
	v.add(Gap, r.Old+before, hidden, r.New+before, hidden, 1)
	v.add(Equal, r.Old+r.Lines-after, after, r.New+r.Lines-after, after, after)
}

// replace adds the rows of removed lines that added lines follow.
func (v *View) replace(old, oldCount, new, newCount int) {
	if v.layout == Unified {
		v.add(Removed, old, oldCount, new, 0, oldCount)
		v.add(Added, old+oldCount, 0, new, newCount, newCount)
		return
	}
	oldEnd, newEnd := old+oldCount, new+newCount
	pairs := v.diff.pairs
	i := sort.Search(len(pairs), func(i int) bool { return int(pairs[i].old) >= old })
	for old < oldEnd || new < newEnd {
		at, to := oldEnd, newEnd
		if i < len(pairs) && int(pairs[i].old) < oldEnd {
			at, to = int(pairs[i].old), int(pairs[i].new)
		}
		v.add(Changed, old, at-old, new, to-new, max(at-old, to-new))
		from := i
		for i < len(pairs) && int(pairs[i].old) == at+i-from && int(pairs[i].new) == to+i-from &&
			int(pairs[i].old) < oldEnd {
			i++
		}
		v.add(Changed, at, i-from, to, i-from, i-from)
		old, new = at+i-from, to+i-from
	}
}

// Len returns the number of rows.
func (v *View) Len() int { return v.rows }

// Rows returns the rows from number from, counted from 0, up to number to, without to.
// Numbers outside of the view are cut off. The rows do not share memory with the texts.
func (v *View) Rows(from, to int) []Row {
	from, to = max(from, 0), min(to, v.rows)
	if from >= to {
		return nil
	}
	w := window{view: v, marks: map[pair]marked{}, rows: make([]Row, 0, to-from)}
	i := sort.Search(len(v.segments), func(i int) bool { return int(v.segments[i].first) > from }) - 1
	for at := from; at < to; at++ {
		for i+1 < len(v.segments) && int(v.segments[i+1].first) <= at {
			i++
		}
		s := v.segments[i]
		w.rows = append(w.rows, w.row(s, at-int(s.first)))
	}
	return w.rows
}

// Pages divides the rows into pages, and returns the number of the first row of each. A
// page has at most so many rows, at least one, and of more rows than one at most so many
// bytes of lines. A line that is longer than line counts as line bytes.
func (v *View) Pages(rows, bytes, line int) []int {
	var starts []int
	count, size := 0, 0
	for _, s := range v.segments {
		n := max(int(s.oldCount), int(s.newCount))
		if s.kind == Gap {
			n = 1
		}
		for i := range n {
			own := v.size(s, i, line)
			if len(starts) == 0 || count >= max(rows, 1) || size+own > bytes {
				starts = append(starts, int(s.first)+i)
				count, size = 0, 0
			}
			count++
			size += own
		}
	}
	return starts
}

// size returns the bytes of the lines that row n of a segment shows.
func (v *View) size(s segment, n, line int) int {
	if s.kind == Gap {
		return 0
	}
	size := 0
	if n < int(s.oldCount) {
		size += min(line, v.diff.old.size(int(s.old)+n))
	}
	if n < int(s.newCount) && (s.kind != Equal || v.layout == SideBySide) {
		size += min(line, v.diff.new.size(int(s.new)+n))
	}
	return size
}

// A window is some rows of a view that are being made.
type window struct {
	view  *View
	marks map[pair]marked // in a unified view, the two lines of a pair are in two rows
	rows  []Row
}

type marked struct {
	old, new [][2]int
	alike    bool
}

// row returns row n of a segment.
func (w *window) row(s segment, n int) Row {
	if s.kind == Gap {
		return Row{Kind: Gap, Old: Side{Line: int(s.old) + 1}, New: Side{Line: int(s.new) + 1}, Lines: int(s.oldCount)}
	}
	row := Row{Kind: s.kind}
	old, new := -1, -1
	if n < int(s.oldCount) {
		old = int(s.old) + n
	}
	if n < int(s.newCount) {
		new = int(s.new) + n
	}
	row.Old, row.New = side(w.view.diff.old, old), side(w.view.diff.new, new)
	if s.kind == Equal {
		return row
	}
	partner := w.view.diff.partner(old, new)
	switch {
	case new < 0:
		row.Kind = Removed
		row.New = side(w.view.diff.new, partner)
		w.mark(&row)
		row.New = Side{}
	case old < 0:
		row.Kind = Added
		row.Old = side(w.view.diff.old, partner)
		w.mark(&row)
		row.Old = Side{}
	case partner >= 0:
		w.mark(&row)
	}
	return row
}

// mark marks the two lines of a pair, if the row has two.
func (w *window) mark(row *Row) {
	if row.Old.Line == 0 || row.New.Line == 0 {
		return
	}
	key := pair{int32(row.Old.Line), int32(row.New.Line)}
	m, ok := w.marks[key]
	if !ok {
		m.old, m.new, m.alike = marks(row.Old.Text, row.New.Text)
		w.marks[key] = m
	}
	row.Old.Marks, row.New.Marks, row.Marked = m.old, m.new, m.alike
	row.EndDiffers = row.Old.End != row.New.End
}

// side returns a line, or no line if the number is -1.
func side(t text, i int) Side {
	if i < 0 {
		return Side{}
	}
	line, end := t.line(i)
	return Side{Line: i + 1, Text: line, End: end}
}
