package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type changesCommand struct {
	Since  *flags.Number `placeholder:"N"`
	Prefix string        `placeholder:"P" help:"Show only paths that begin with this, or one path."`
	All    bool          `help:"Show each change by itself."`
	Limit  flags.Count   `placeholder:"N" help:"Show at most N paths, up to 100. Default: 100, or 20 without --since."`
	Diffs  bool          `help:"Show the changed texts too, where they are short."`
	Follow bool          `short:"f"`
}

// Run shows what has changed.
func (c changesCommand) Run(p *process) error {
	switch {
	case c.Follow && (c.All || c.Diffs || c.Limit != 0):
		return invalid("--follow prints each change; leave --all, --diffs and --limit out")
	case c.Limit > 100:
		return invalid("--limit is %d, allowed are 1-100", c.Limit)
	case c.Follow:
		return p.whileRead(func(p *process) error {
			return p.with(p.openToLook, func(ws *workspace.Workspace) error { return c.print(p, ws) })
		})
	}
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		o := workspace.ChangesOptions{Recent: c.Since == nil, Each: c.All, Prefix: c.Prefix, Limit: int(c.Limit),
			Diffs: c.Diffs}
		if c.Since != nil {
			o.Since = int64(*c.Since)
		}
		all, err := ws.Changes(p.ctx, o)
		if err != nil {
			return err
		}
		if p.line.JSON {
			out := bufio.NewWriter(p.out)
			return errors.Join(report.WriteChanges(p.screen(out), all, o.Recent), out.Flush())
		}
		return c.answerText(p, ws, all)
	})
}

// answerText writes a table, the differences, and on standard error the cursor.
func (c changesCommand) answerText(p *process, ws *workspace.Workspace, all workspace.Changes) error {
	out := bufio.NewWriter(p.out)
	if err := p.style().Write(out, all); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if all.TooOld {
		p.note("revision %d is too old; these are the paths that changed last\n", *c.Since)
	}
	if all.Omitted > 0 {
		p.note("%s shown without content, or not with all of it\n", phrase.Plural(int64(all.Omitted), "path"))
	}
	if all.Cursor == 0 {
		return p.note("agent %s has written nothing yet; scratchpad agents ls lists the agents for --agent\n",
			ws.Agent())
	}
	what := "nothing new"
	if len(all.Paths) > 0 {
		what = "this is all"
	}
	switch recent := c.Since == nil || all.TooOld; {
	case all.More && recent:
		what = fmt.Sprintf("older ones are left out, and --since %d lists from the first", all.Oldest)
	case all.More:
		what = "there are more"
	}
	return p.note("%s; go on with scratchpad changes --since %d\n", what, all.Cursor)
}

// print prints each change until a signal comes, or nobody reads them.
func (c changesCommand) print(p *process, ws *workspace.Workspace) error {
	// This checks the prefix too.
	now, err := ws.Changes(p.ctx, workspace.ChangesOptions{Recent: true, Limit: 1, Prefix: c.Prefix})
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
	lines, style := report.Lines(p.screen(p.out)), p.style()
	for row, err := range ws.Watch(p.ctx, since) {
		switch {
		case err != nil:
			return err
		case !strings.HasPrefix(row.Path, prefix) && (row.From == "" || !strings.HasPrefix(row.From, prefix)):
			continue
		case p.line.JSON:
			err = lines.Encode(report.ChangeOf(row))
		default:
			_, err = io.WriteString(p.out, style.Line(row))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
