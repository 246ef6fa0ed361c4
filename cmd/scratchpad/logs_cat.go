package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/condition"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsCat struct {
	Log   string        `arg:""`
	Since *flags.Number `placeholder:"N" xor:"part" help:"Print only the entries after entry N."`
	Tail  flags.Count   `placeholder:"N" xor:"part" help:"Print only the last N entries."`
	Where string        `placeholder:"CONDITIONS" help:"Print only entries of JSON for which all conditions hold."`
	Count bool          `xor:"part" help:"Print only how many entries there are."`
}

// Run prints the entries.
func (c logsCat) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		last, err := newest(p, ws, c.Log)
		if err != nil {
			return err
		}
		if c.Count {
			return c.printCount(p, ws)
		}
		var since int64
		out := p.newEntryWriter()
		switch {
		case c.Since != nil:
			since = int64(*c.Since)
		case c.Tail > 0 && c.Where == "":
			since = max(0, last-int64(c.Tail))
		}
		if c.Where != "" {
			if err := c.setWhere(p, ws, out); err != nil {
				return err
			}
		}
		_, err = out.copy(p, ws, c.Log, since)
		return err
	})
}

// printCount prints how many entries the log has, or how many of them match.
func (c logsCat) printCount(p *process, ws *workspace.Workspace) error {
	page, err := ws.ReadLog(p.ctx, c.Log, workspace.ReadLogOptions{Where: c.Where,
		Zeros: []workspace.Arg{workspace.ArgLimit}})
	if err != nil {
		return err
	}
	n := page.Total
	if c.Where != "" {
		n = page.Matched
	}
	return p.say(map[string]int64{"count": n}, "%d", n)
}

// setWhere makes out write only the entries that match, and of those with --tail the last ones.
func (c logsCat) setWhere(p *process, ws *workspace.Workspace, out *entryWriter) error {
	page, err := ws.ReadLog(p.ctx, c.Log, workspace.ReadLogOptions{Where: c.Where,
		Zeros: []workspace.Arg{workspace.ArgLimit}})
	if err != nil {
		return err
	}
	if c.Tail > 0 {
		out.skip = page.Matched - int64(c.Tail)
	}
	out.where, err = condition.Parse(c.Where)
	return err
}
