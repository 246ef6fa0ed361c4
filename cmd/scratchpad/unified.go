package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

// unified writes a difference in the form of diff -u.
type unified struct {
	out      io.Writer
	old, new []string // with their line feeds
	style    func(line string, how ...color.Attribute) string
	err      error
}

// diffStyle returns a function that colours a line, and on a terminal shows its control
// characters.
func (p *process) diffStyle() func(string, ...color.Attribute) string {
	terminal := isTerminal(p.out)
	return func(line string, how ...color.Attribute) string {
		if terminal {
			line = visible(line)
		}
		if len(how) == 0 {
			return line
		}
		return p.paint(line, how...)
	}
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

func (u *unified) names(path string, from, to int64) {
	u.line(fmt.Sprintf("--- %s\tversion %d", path, from), color.Bold)
	u.line(fmt.Sprintf("+++ %s\tversion %d", path, to), color.Bold)
}

func (u *unified) hunk(runs []linediff.Run) {
	var removed, added int
	for _, r := range runs {
		if r.Op != linediff.Add {
			removed += r.Lines
		}
		if r.Op != linediff.Remove {
			added += r.Lines
		}
	}
	u.line(fmt.Sprintf("@@ -%s +%s @@", lineRange(runs[0].Old, removed), lineRange(runs[0].New, added)), color.FgCyan)
	for _, r := range runs {
		switch r.Op {
		case linediff.Remove:
			u.lines("-", u.old[r.Old:r.Old+r.Lines], color.FgRed)
		case linediff.Add:
			u.lines("+", u.new[r.New:r.New+r.Lines], color.FgGreen)
		default:
			u.lines(" ", u.old[r.Old:r.Old+r.Lines])
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

func (u *unified) lines(mark string, lines []string, how ...color.Attribute) {
	for _, l := range lines {
		text, ended := strings.CutSuffix(l, "\n")
		u.line(mark+text, how...)
		if !ended {
			u.line(`\ No newline at end of file`)
		}
	}
}

func (u *unified) line(text string, how ...color.Attribute) {
	if u.err == nil {
		_, u.err = fmt.Fprintln(u.out, u.style(text, how...))
	}
}
