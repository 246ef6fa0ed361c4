package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fatih/color"

	"github.com/agent-scratchpad/scratchpad/internal/flags"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type changesCommand struct {
	Since  *flags.Number `placeholder:"N" help:"Show what has changed after revision N. Default: the paths that changed last."`
	Prefix string        `placeholder:"P" help:"Show only paths that begin with this, such as notes/."`
	Limit  flags.Count   `placeholder:"N" help:"Show at most N paths, 100 at most. Default: 100, or 20 without --since."`
	Diffs  bool          `help:"Show what has changed in files and logs too, as far as it is short."`
	Follow bool          `short:"f" help:"Print each change as it comes, from any process, until Ctrl-C, SIGTERM, or the reader closes the pipe. Begins after revision --since, or with the next change."`
}

// Help is shown by scratchpad changes --help.
func (changesCommand) Help() string {
	return `Every write is a change and has the next revision, a number. The answer names the last one: give it as --since the next time. There is one line for each path, whatever happened to it since.

Examples:

  scratchpad changes
  scratchpad changes --since 0 --diffs
  scratchpad changes --json --prefix notes/
  scratchpad changes --follow`
}

type changeRecord struct {
	Revision int64     `json:"revision,omitempty"`
	Op       string    `json:"op"`
	Kind     string    `json:"kind"`
	Path     string    `json:"path"`
	From     string    `json:"from,omitempty"`
	Before   int64     `json:"before"`
	After    int64     `json:"after"`
	Author   *author   `json:"author,omitempty"`
	Time     time.Time `json:"time"`
	Diff     string    `json:"diff,omitempty"`
}

// cursorRecord is the last line of an answer.
type cursorRecord struct {
	Cursor  int64 `json:"cursor"`
	Count   int   `json:"count"`
	HasMore bool  `json:"has_more"`
	TooOld  bool  `json:"too_old,omitempty"`
	Omitted int   `json:"omitted,omitempty"`
}

// Run shows what has changed.
func (c changesCommand) Run(p *process) error {
	switch {
	case c.Follow && (c.Diffs || c.Limit != 0):
		return workspace.Errorf(workspace.ErrInvalid, "--follow prints each change; leave --diffs and --limit out")
	case c.Limit > 100:
		return workspace.Errorf(workspace.ErrInvalid, "--limit is %d, allowed are 1-100", c.Limit)
	case c.Follow:
		return c.follow(p)
	}
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		o := workspace.ChangesOptions{Recent: c.Since == nil, Prefix: c.Prefix, Limit: int(c.Limit), Diffs: c.Diffs}
		if c.Since != nil {
			o.Since = int64(*c.Since)
		}
		all, err := ws.Changes(p.ctx, o)
		if err != nil {
			return err
		}
		if p.line.JSON {
			return c.answerJSON(p, all)
		}
		return c.answerText(p, ws, all)
	})
}

func recordOf(c workspace.Change) changeRecord {
	return changeRecord{
		Revision: c.Revision, Op: string(c.Op), Kind: string(c.Kind), Path: c.Path, From: c.From,
		Before: c.Before, After: c.After, Author: authorOf(c.Author), Time: c.Time.UTC(),
	}
}

// answerJSON writes a line for each path, and one with the cursor.
func (c changesCommand) answerJSON(p *process, all workspace.Changes) error {
	out := bufio.NewWriter(p.out)
	lines := json.NewEncoder(p.screen(out))
	lines.SetEscapeHTML(false)
	diffs := all.Diffs
	for _, row := range all.Paths {
		record := recordOf(row)
		if len(diffs) > 0 && diffs[0].Path == row.Path && diffs[0].Kind == row.Kind {
			record.Diff, diffs = string(diffs[0].Text), diffs[1:]
		}
		if err := lines.Encode(record); err != nil {
			return err
		}
	}
	if err := lines.Encode(cursorRecord{all.Cursor, len(all.Paths), all.More, all.TooOld, all.Omitted}); err != nil {
		return err
	}
	return out.Flush()
}

// answerText writes a table, the differences, and on standard error the cursor.
func (c changesCommand) answerText(p *process, ws *workspace.Workspace, all workspace.Changes) error {
	rows := [][]string{{"OP", "KIND", "PATH", "BEFORE", "AFTER", "BY", "WHEN"}}
	for _, row := range all.Paths {
		rows = append(rows, []string{string(row.Op), string(row.Kind), terminal.Cell(movedPath(row)), fmt.Sprint(row.Before), fmt.Sprint(row.After), terminal.Cell(authorOf(row.Author).String()), phrase.Time(row.Time)})
	}
	out := bufio.NewWriter(p.out)
	if len(rows) > 1 {
		var table bytes.Buffer
		if err := p.table(rows)(&table); err != nil {
			return err
		}
		for i, line := range strings.SplitAfter(table.String(), "\n") {
			if i > 0 && i < len(rows) {
				line = p.paintOp(all.Paths[i-1].Op, line)
			}
			out.WriteString(line)
		}
	}
	for _, d := range all.Diffs {
		fmt.Fprintf(out, "\n")
		for line := range strings.SplitSeq(string(d.Text), "\n") {
			fmt.Fprintln(out, p.paintDiff(d.Kind, line))
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if all.TooOld {
		p.note("revision %d is too old; these are the paths that changed last\n", *c.Since)
	}
	if all.Omitted > 0 {
		p.note("%s shown without its content: it is new or too long, or its old version is not kept\n", phrase.Plural(int64(all.Omitted), "path"))
	}
	if all.Cursor == 0 {
		return p.note("agent %s has written nothing yet; scratchpad agents ls lists the agents for --agent\n", ws.Agent())
	}
	what := "nothing new"
	if len(all.Paths) > 0 {
		what = "this is all"
	}
	if all.More {
		what = "there are more"
	}
	return p.note("%s; go on with scratchpad changes --since %d\n", what, all.Cursor)
}

func movedPath(c workspace.Change) string {
	if c.From == "" {
		return c.Path
	}
	return c.From + " -> " + c.Path
}

var opColors = map[workspace.ChangeOp]color.Attribute{
	workspace.OpCreate: color.FgGreen, workspace.OpAppend: color.FgGreen, workspace.OpDelete: color.FgRed, workspace.OpTrim: color.FgRed, workspace.OpMove: color.FgCyan,
}

// paintOp colours the operation with which a line begins.
func (p *process) paintOp(op workspace.ChangeOp, line string) string {
	rest, begins := strings.CutPrefix(line, string(op))
	how, known := opColors[op]
	if !begins || !known {
		return line
	}
	return p.paint(string(op), how) + rest
}

// paintDiff colours a line of a difference, and on a terminal shows its control characters.
func (p *process) paintDiff(kind workspace.PathKind, line string) string {
	if terminal.Is(p.out) {
		line = terminal.Visible(line)
	}
	if kind == workspace.KindLog {
		return line
	}
	switch {
	case strings.HasPrefix(line, "@@"):
		return p.paint(line, color.FgCyan)
	case strings.HasPrefix(line, "-"):
		return p.paint(line, color.FgRed)
	case strings.HasPrefix(line, "+"):
		return p.paint(line, color.FgGreen)
	}
	return line
}

// follow prints each change until a signal comes, or nobody reads them.
func (c changesCommand) follow(p *process) error {
	ctx, cancel := context.WithCancelCause(p.ctx)
	defer cancel(nil)
	err := p.use(p.awaitDatabase, func(db *database) error {
		ws, err := db.workspace()
		if err != nil {
			return err
		}
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			c.awaitReader(ctx, cancel, p)
		}()
		defer func() { cancel(nil); <-watched }()
		return c.print(ctx, p, ws)
	})
	if p.ctx.Err() != nil || errors.Is(err, errReaderGone) || errors.Is(context.Cause(ctx), errReaderGone) {
		return nil
	}
	return err
}

// awaitReader calls cancel when nobody reads the output any more.
func (changesCommand) awaitReader(ctx context.Context, cancel context.CancelCauseFunc, p *process) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if native.ReaderGone(p.out) {
				cancel(errReaderGone)
			}
		}
	}
}

func (c changesCommand) print(ctx context.Context, p *process, ws *workspace.Workspace) error {
	now, err := ws.Changes(ctx, workspace.ChangesOptions{Recent: true, Limit: 1, Prefix: c.Prefix}) // checks the prefix too
	if err != nil {
		return err
	}
	since, prefix := now.Cursor, c.Prefix
	if path, err := workspace.UnicodePaths.Parse(strings.TrimSuffix(prefix, "/")); err == nil { // in NFC
		prefix = path.String() + prefix[len(strings.TrimSuffix(prefix, "/")):]
	}
	if c.Since != nil {
		since = int64(*c.Since)
	} else {
		p.note("waiting for changes after revision %d\n", since)
	}
	out := p.screen(p.out)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for row, err := range ws.Watch(ctx, since) {
		switch {
		case err != nil:
			return err
		case !strings.HasPrefix(row.Path, prefix) && (row.From == "" || !strings.HasPrefix(row.From, prefix)):
			continue
		case p.line.JSON:
			err = lines.Encode(recordOf(row))
		default:
			_, err = io.WriteString(p.out, p.changeLine(row))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changeLine returns a change as a line for people.
func (p *process) changeLine(c workspace.Change) string {
	line := fmt.Sprintf("%-7s  %s  %s  %d -> %d", c.Op, c.Kind, terminal.Cell(movedPath(c)), c.Before, c.After)
	return fmt.Sprintf("%d  %s  %s  %s\n", c.Revision, phrase.Time(c.Time), p.paintOp(c.Op, line), terminal.Cell(authorOf(c.Author).String()))
}
