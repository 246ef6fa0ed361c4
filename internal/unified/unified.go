// Package unified writes the difference between two texts in the form of diff -u,
// which patch understands.
package unified

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

// Options of [Text]. The zero value works.
type Options struct {
	Old, New string // the names of the texts; "": neither is written
	Context  int    // equal lines to show around a change
}

// Text returns the difference of two texts, which linediff.Compare has returned, without its last line
// feed. If the texts are equal, it returns nothing.
func Text(d *linediff.Diff, old, new []byte, o Options) []byte {
	w := &writer{old: splitLines(old), new: splitLines(new)}
	all := hunks(d.Runs(), o.Context)
	if len(all) > 0 && (o.Old != "" || o.New != "") {
		w.line("--- " + o.Old)
		w.line("+++ " + o.New)
	}
	for _, h := range all {
		w.hunk(h)
	}
	return bytes.TrimSuffix(w.out.Bytes(), []byte("\n"))
}

type writer struct {
	out      bytes.Buffer
	old, new []string // with their line feeds
}

func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if bytes.HasSuffix(text, []byte("\n")) || len(text) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// hunks groups the runs of a difference: changes with at most context equal lines
// before and after them. Changes with at most twice as many equal lines between them
// are in one hunk.
func hunks(runs []linediff.Run, context int) [][]linediff.Run {
	var all [][]linediff.Run
	var hunk []linediff.Run
	for i, r := range runs {
		last := i == len(runs)-1
		if r.Op != linediff.Equal || len(hunk) > 0 && !last && r.Lines <= 2*context {
			hunk = append(hunk, r)
			continue
		}
		n := min(context, r.Lines)
		if i > 0 {
			all = append(all, withContext(hunk, r.Old, r.New, n))
			hunk = nil
		}
		if !last {
			hunk = withContext(nil, r.Old+r.Lines-n, r.New+r.Lines-n, n)
		}
	}
	if len(hunk) > 0 {
		all = append(all, hunk)
	}
	return all
}

func withContext(hunk []linediff.Run, old, new, lines int) []linediff.Run {
	if lines == 0 {
		return hunk
	}
	return append(hunk, linediff.Run{Op: linediff.Equal, Old: old, New: new, Lines: lines})
}

func (w *writer) hunk(runs []linediff.Run) {
	var removed, added int
	for _, r := range runs {
		if r.Op != linediff.Add {
			removed += r.Lines
		}
		if r.Op != linediff.Remove {
			added += r.Lines
		}
	}
	w.line(fmt.Sprintf("@@ -%s +%s @@", lineRange(runs[0].Old, removed), lineRange(runs[0].New, added)))
	for _, r := range runs {
		switch r.Op {
		case linediff.Remove:
			w.lines("-", w.old[r.Old:r.Old+r.Lines])
		case linediff.Add:
			w.lines("+", w.new[r.New:r.New+r.Lines])
		default:
			w.lines(" ", w.old[r.Old:r.Old+r.Lines])
		}
	}
}

// lineRange returns the lines of a hunk as diff -u writes them. A range without lines
// has the number of the line before it.
func lineRange(before, lines int) string {
	switch lines {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, lines)
}

func (w *writer) lines(mark string, lines []string) {
	for _, l := range lines {
		text, ended := strings.CutSuffix(l, "\n")
		w.line(mark + text)
		if !ended {
			w.line(`\ No newline at end of file`)
		}
	}
}

func (w *writer) line(text string) {
	w.out.WriteString(text)
	w.out.WriteByte('\n')
}
