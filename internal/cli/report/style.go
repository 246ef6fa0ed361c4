package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A Style says how changes and differences look to people.
type Style struct {
	Paint      func(string, ...color.Attribute) string // colours a text, or returns it
	OnTerminal bool                                    // show control characters
}

// Write writes a table of the changed paths, and what has changed in them.
func (s Style) Write(out io.Writer, all workspace.Changes) error {
	rows := [][]string{{"OP", "KIND", "PATH", "BEFORE", "AFTER", "BY", "WHEN"}}
	for i, row := range all.Paths {
		var by []string
		for _, a := range all.Authors[i] {
			a.Version = "" // --json has it
			if name := AuthorOf(a).String(); !slices.Contains(by, name) {
				by = append(by, name)
			}
		}
		rows = append(rows, terminal.Row(row.Op, row.Kind, movedPath(row), row.Before, row.After,
			strings.Join(by, ", "), row.Time))
	}
	if len(rows) > 1 {
		var table bytes.Buffer
		if err := terminal.Table(&table, rows); err != nil {
			return err
		}
		for i, line := range strings.SplitAfter(table.String(), "\n") {
			if i > 0 && i < len(rows) {
				line = s.paintOp(all.Paths[i-1].Op, line)
			}
			io.WriteString(out, line)
		}
	}
	for _, d := range all.Diffs {
		fmt.Fprintf(out, "\n")
		row := all.Paths[d.Row]
		if d.Text != nil {
			s.Diff(out, string(d.Text))
		}
		if line := leftOut(row, d); line != "" {
			fmt.Fprintln(out, line)
		}
	}
	if n := all.Unlisted(); n > 0 {
		fmt.Fprintf(out, "\n%d more left out\n", n)
	}
	return nil
}

// leftOut returns a line that says what is not shown of a path, and which command shows it.
func leftOut(row workspace.Change, d workspace.PathDiff) string {
	path, command := terminal.Cell(row.Path), "files cat"
	switch {
	case d.Same:
		return path + ": text unchanged"
	case d.LeftOut == "":
		return ""
	case d.Gone:
		return path + ": " + d.LeftOut
	case row.Kind == workspace.KindLog:
		command = "logs cat"
	case d.Version > 0:
		command = fmt.Sprintf("files cat --version %d", d.Version)
	case d.Since > 0:
		command = "files diff"
	}
	return fmt.Sprintf("%s: %s; scratchpad %s shows it", path, d.LeftOut, command)
}

func movedPath(c workspace.Change) string {
	if c.From == "" {
		return c.Path
	}
	return c.From + " -> " + c.Path
}

var opColors = map[workspace.ChangeOp]color.Attribute{
	workspace.OpCreate: color.FgGreen, workspace.OpAppend: color.FgGreen, workspace.OpDelete: color.FgRed,
	workspace.OpTrim: color.FgRed, workspace.OpMove: color.FgCyan,
}

// paintOp colours the operation with which a line begins.
func (s Style) paintOp(op workspace.ChangeOp, line string) string {
	rest, begins := strings.CutPrefix(line, string(op))
	how, known := opColors[op]
	if !begins || !known {
		return line
	}
	return s.Paint(string(op), how) + rest
}

// Diff writes the lines of a difference in colour, or the entries of a log. On a terminal it shows their
// control characters.
func (s Style) Diff(out io.Writer, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if s.OnTerminal {
			line = terminal.Visible(line)
		}
		switch {
		case strings.HasPrefix(line, "@@"):
			line = s.Paint(line, color.FgCyan)
		case strings.HasPrefix(line, "-"):
			line = s.Paint(line, color.FgRed)
		case strings.HasPrefix(line, "+"):
			line = s.Paint(line, color.FgGreen)
		}
		fmt.Fprintln(out, line)
	}
}

// Line returns a change as a line for people.
func (s Style) Line(c workspace.Change) string {
	line := fmt.Sprintf("%-7s  %s  %s  %d -> %d", c.Op, c.Kind, terminal.Cell(movedPath(c)), c.Before, c.After)
	return fmt.Sprintf("%d  %s  %s  %s\n", c.Revision, phrase.Time(c.Time), s.paintOp(c.Op, line),
		terminal.Cell(AuthorOf(c.Author).String()))
}
