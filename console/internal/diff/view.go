package diff

// A Kind says what a row shows.
type Kind string

const (
	Equal   Kind = "equal"   // a line of both texts
	Removed Kind = "removed" // a line of the old text
	Added   Kind = "added"   // a line of the new text
	Changed Kind = "changed" // side by side: a removed line and an added line
	Gap     Kind = "gap"     // equal lines that are left out
)

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

// Options of [Diff.View].
type Options struct {
	// SideBySide puts old lines to the left of new lines. If it is false, the view is
	// unified: added lines are below the removed lines.
	SideBySide bool
	// Context is the number of equal lines before and after each change. If it is
	// negative, the view has all lines.
	Context int
}

// A View is a difference laid out in rows. A View is immutable and safe for concurrent
// use. It keeps its [Diff].
type View struct {
	diff       *Diff
	sideBySide bool
	rows       []rowLines
}

// A rowLines is a row of a view. old and new are the indexes of equal lines, or of a removed line
// and the added line that it is compared with; -1: there is none.
type rowLines struct {
	old, new int32
	gap      int32 // equal lines that are left out, from these; 0: none
	shows    side
}

// A side says which lines a row shows.
type side uint8

const (
	equalSides side = iota
	bothSides
	oldSide
	newSide
)

// View lays the difference out. A single equal line is never left out: a gap would
// take as much room. Two equal texts are one gap.
func (d *Diff) View(o Options) *View {
	v := &View{diff: d, sideBySide: o.SideBySide}
	old, new := 0, 0
	for _, c := range d.changes {
		v.equal(old, new, c.old-old, o)
		if o.SideBySide {
			v.differ(c, bothSides)
		} else {
			v.differ(c, oldSide)
			v.differ(c, newSide)
		}
		old, new = c.oldEnd, c.newEnd
	}
	v.equal(old, new, d.old.len()-old, o)
	return v
}

// differ adds rows of removed lines and added lines. The first of each are a pair, and so on.
func (v *View) differ(c change, shows side) {
	for i := range max(c.oldEnd-c.old, c.newEnd-c.new) {
		r := rowLines{old: -1, new: -1, shows: shows}
		if c.old+i < c.oldEnd {
			r.old = int32(c.old + i)
		}
		if c.new+i < c.newEnd {
			r.new = int32(c.new + i)
		}
		if r.old >= 0 && shows != newSide || r.new >= 0 && shows != oldSide {
			v.rows = append(v.rows, r)
		}
	}
}

// equal adds rows of equal lines, and a gap where many of them are far from a change.
func (v *View) equal(old, new, n int, o Options) {
	before, after := min(max(o.Context, 0), n), min(max(o.Context, 0), n)
	if old == 0 && new == 0 {
		before = 0
	}
	if old+n == v.diff.old.len() && new+n == v.diff.new.len() {
		after = 0
	}
	hidden := n - before - after
	if o.Context < 0 || hidden < 2 {
		hidden = 0
	}
	for i := 0; i < n; i++ {
		r := rowLines{old: int32(old + i), new: int32(new + i)}
		if i == before && hidden > 0 {
			r.gap = int32(hidden)
			i += hidden - 1
		}
		v.rows = append(v.rows, r)
	}
}

// Len returns the number of rows.
func (v *View) Len() int { return len(v.rows) }

// Rows returns the rows from number from, counted from 0, up to number to, without to, or up
// to the end. The rows do not share memory with the texts.
func (v *View) Rows(from, to int) (rows []Row) {
	for _, l := range v.rows[from:min(to, len(v.rows))] {
		rows = append(rows, v.diff.row(l))
	}
	return rows
}

// Pages divides the rows into pages, and returns the number of the first row of each. A
// page has at most so many rows, at least one, and of more rows than one at most so many
// bytes of lines. A line that is longer than line counts as line bytes.
func (v *View) Pages(rows, bytes, line int) (starts []int) {
	count, size := 0, 0
	for i, r := range v.rows {
		own := 0
		if r.old >= 0 && r.gap == 0 && r.shows != newSide {
			own += min(line, v.diff.old.size(int(r.old)))
		}
		if r.new >= 0 && r.gap == 0 && (v.sideBySide || r.shows == newSide) {
			own += min(line, v.diff.new.size(int(r.new)))
		}
		if len(starts) == 0 || count >= max(rows, 1) || size+own > bytes {
			starts = append(starts, i)
			count, size = 0, 0
		}
		count++
		size += own
	}
	return starts
}

// Unfolded returns the number that a row has in the view of all lines.
func (v *View) Unfolded(row int) (number int) {
	for _, r := range v.rows[:row] {
		number += max(1, int(r.gap))
	}
	return number
}

// row returns a row with its texts.
func (d *Diff) row(l rowLines) Row {
	row := Row{Kind: Changed, Old: d.old.side(int(l.old)), New: d.new.side(int(l.new))}
	switch {
	case l.gap > 0:
		return Row{Kind: Gap, Old: Side{Line: row.Old.Line}, New: Side{Line: row.New.Line}, Lines: int(l.gap)}
	case l.shows == equalSides:
		row.Kind = Equal
		return row
	case l.old >= 0 && l.new >= 0:
		row.Old.Marks, row.New.Marks, row.Marked = marks(row.Old.Text, row.New.Text)
		row.EndDiffers = row.Old.End != row.New.End
	}
	switch {
	case l.shows == oldSide, l.new < 0:
		row.Kind, row.New = Removed, Side{}
	case l.shows == newSide, l.old < 0:
		row.Kind, row.Old = Added, Side{}
	}
	return row
}
