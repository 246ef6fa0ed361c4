package diff

import (
	"bytes"
	"sort"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

// A Diff is the difference of two texts, in compact form: besides the texts it takes
// some bytes for each line. [Compare] makes it. A Diff is immutable and safe for
// concurrent use. The zero value is the difference of two empty texts.
type Diff struct {
	old, new       text
	runs           []linediff.Run
	pairs          []pair // in order, on both sides
	removed, added int
}

// Compare returns the difference of two texts. It never fails. It keeps both slices: do
// not change them while the Diff is in use.
func Compare(old, new []byte) *Diff {
	d := &Diff{old: newText(old), new: newText(new), runs: linediff.Compare(old, new).Runs()}
	for i, r := range d.runs {
		switch r.Op {
		case linediff.Remove:
			d.removed += r.Lines
		case linediff.Add:
			d.added += r.Lines
			if i > 0 && d.runs[i-1].Op == linediff.Remove {
				before := d.runs[i-1]
				for _, p := range pairs(d.old.lines(before.Old, before.Lines), d.new.lines(r.New, r.Lines)) {
					d.pairs = append(d.pairs, pair{int32(before.Old) + p.old, int32(r.New) + p.new})
				}
			}
		}
	}
	return d
}

// Lines returns the number of removed lines and of added lines.
func (d *Diff) Lines() (removed, added int) { return d.removed, d.added }

// partner returns the other line of the pair that a removed line or an added line
// belongs to, or -1. The line that is not given is -1. If both are given, it returns
// the new line if the two are a pair.
func (d *Diff) partner(old, new int) int {
	i := sort.Search(len(d.pairs), func(i int) bool {
		return int(d.pairs[i].old) >= old && int(d.pairs[i].new) >= new
	})
	switch {
	case i == len(d.pairs):
	case old < 0 && int(d.pairs[i].new) == new:
		return int(d.pairs[i].old)
	case int(d.pairs[i].old) == old && (new < 0 || int(d.pairs[i].new) == new):
		return int(d.pairs[i].new)
	}
	return -1
}

// A text is a text and the offset of each of its lines, with its length at the end.
type text struct {
	bytes  []byte
	starts []uint32
}

func newText(b []byte) text {
	t := text{bytes: b, starts: make([]uint32, 0, linediff.Lines(b)+1)}
	for at := 0; at < len(b); {
		t.starts = append(t.starts, uint32(at))
		n := bytes.IndexByte(b[at:], '\n') + 1
		if n == 0 {
			n = len(b) - at
		}
		at += n
	}
	t.starts = append(t.starts, uint32(len(b)))
	return t
}

// line returns a line, and how it ends.
func (t text) line(i int) (string, LineEnd) {
	b := t.bytes[t.starts[i]:t.starts[i+1]]
	if line, ok := bytes.CutSuffix(b, []byte("\r\n")); ok {
		return string(line), CRLF
	}
	if line, ok := bytes.CutSuffix(b, []byte("\n")); ok {
		return string(line), LF
	}
	return string(b), NoNewline
}

// size returns the bytes of a line with its end.
func (t text) size(i int) int { return int(t.starts[i+1] - t.starts[i]) }

func (t text) lines(from, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i], _ = t.line(from + i)
	}
	return lines
}
