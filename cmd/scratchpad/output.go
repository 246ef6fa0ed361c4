package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// answer writes the answer of a command: v as one line of JSON for --json, otherwise
// what text writes.
func (p *process) answer(v any, text func(io.Writer) error) error {
	out := bufio.NewWriter(p.out)
	if p.line.JSON {
		if err := report.Lines(p.screen(out)).Encode(v); err != nil {
			return err
		}
	} else if err := text(out); err != nil {
		return err
	}
	return out.Flush()
}

// say answers with v for --json, and for people with a line of text.
func (p *process) say(v any, format string, args ...any) error {
	return p.answer(v, func(out io.Writer) error {
		_, err := fmt.Fprintf(out, format+"\n", args...)
		return err
	})
}

// table returns an answer in columns. The first row is the header.
func (p *process) table(rows [][]string) func(io.Writer) error {
	return func(out io.Writer) error { return terminal.Table(out, rows) }
}

// screen returns a writer to out for text from an agent or a client.
func (p *process) screen(out io.Writer) io.Writer { return terminal.Writer(out, p.out) }

// paint colours a text if the output is coloured.
func (p *process) paint(s string, how ...color.Attribute) string {
	return terminal.Paint(terminal.Colored(p.line.Color, p.out), s, how...)
}

// style returns how changes and differences look on standard output.
func (p *process) style() report.Style {
	return report.Style{Paint: p.paint, OnTerminal: terminal.Is(p.out)}
}

// note tells a person something beside the answer.
func (p *process) note(format string, args ...any) error {
	_, err := io.WriteString(p.err, terminal.Visible(fmt.Sprintf(format, args...)))
	return err
}

// invalid returns the error of a command line or a value that is wrong.
func invalid(format string, args ...any) error {
	return workspace.Errorf(workspace.ErrInvalid, format, args...)
}

// list answers with a table. If there is nothing but its header, the first row, list
// says so on standard error.
func (p *process) list(records any, rows [][]string, empty string, args ...any) error {
	text := p.table(rows)
	if len(rows) == 1 {
		text = func(io.Writer) error {
			return p.note(empty+"\n", args...)
		}
	}
	return p.answer(records, text)
}

// confirm asks the user before something is deleted. yes is the answer of a script.
// Without it and without a terminal, nothing is deleted.
func (p *process) confirm(yes bool, named []string, format string, args ...any) error {
	if yes {
		return nil
	}
	if !terminal.Is(p.in) {
		command, _, _ := strings.Cut(p.command, " <")
		return invalid("%s %s needs a yes, and there is no terminal to ask on; give --yes", command,
			strings.Join(named, " "))
	}
	if err := p.note(format+" [y/N] ", args...); err != nil {
		return err
	}
	line, err := bufio.NewReader(p.input()).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return failure.ErrDeclined
	}
	return nil
}
