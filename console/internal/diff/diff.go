package diff

import (
	"bytes"
	"strings"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

// A Diff is the difference of two texts, in compact form: besides the texts it takes
// some bytes for each line. [Compare] makes it. A Diff is immutable and safe for
// concurrent use. The zero value is the difference of two empty texts.
type Diff struct {
	old, new text
	changes  []change
}

// A change is a part of two texts that differs, in lines or in words: old to oldEnd became
// new to newEnd. One of the sides may be empty.
type change struct {
	old, oldEnd, new, newEnd int
}

// changes compares two texts line by line.
func changes(old, new []byte) (all []change) {
	for _, r := range linediff.Compare(old, new).Runs() {
		c := change{r.Old, r.Old, r.New, r.New}
		switch r.Op {
		case linediff.Equal:
			continue
		case linediff.Remove:
			c.oldEnd += r.Lines
		case linediff.Add:
			c.newEnd += r.Lines
			if last := len(all) - 1; last >= 0 && all[last].oldEnd == r.Old && all[last].newEnd == r.New {
				all[last].newEnd = c.newEnd
				continue
			}
		}
		all = append(all, c)
	}
	return all
}

// Compare returns the difference of two texts. It never fails. It keeps both slices: do
// not change them while the Diff is in use.
func Compare(old, new []byte) *Diff {
	return &Diff{old: newText(old), new: newText(new), changes: changes(old, new)}
}

// Lines returns the number of removed lines and of added lines.
func (d *Diff) Lines() (removed, added int) {
	for _, c := range d.changes {
		removed, added = removed+c.oldEnd-c.old, added+c.newEnd-c.new
	}
	return removed, added
}

// A text is a text and the offset of each of its lines, with its length at the end.
type text struct {
	bytes  []byte
	starts []uint32
}

func newText(b []byte) text {
	t := text{bytes: b, starts: make([]uint32, 0, linediff.Lines(b)+1)}
	at := 0
	for line := range bytes.Lines(b) {
		t.starts = append(t.starts, uint32(at))
		at += len(line)
	}
	t.starts = append(t.starts, uint32(at))
	return t
}

// side returns a line, or no line if the index is -1.
func (t text) side(i int) Side {
	if i < 0 {
		return Side{}
	}
	s := Side{Line: i + 1, Text: string(t.bytes[t.starts[i]:t.starts[i+1]]), End: NoNewline}
	var ok bool
	if s.Text, ok = strings.CutSuffix(s.Text, "\n"); ok {
		s.End = LF
		if s.Text, ok = strings.CutSuffix(s.Text, "\r"); ok {
			s.End = CRLF
		}
	}
	return s
}

// size returns the bytes of a line with its end.
func (t text) size(i int) int { return int(t.starts[i+1] - t.starts[i]) }

// len returns the number of lines.
func (t text) len() int { return len(t.starts) - 1 }
