package main

import (
	"math"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/condition"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsCat struct {
	Log   string        `arg:""`
	Since *flags.Number `placeholder:"N" xor:"part" help:"Print only the entries after entry N."`
	Tail  flags.Count   `placeholder:"N" xor:"part,count" help:"Print only the last N entries."`
	Where string        `placeholder:"CONDITIONS" help:"Print only entries of JSON for which all conditions hold."`
	Count bool          `xor:"count" help:"Print only how many entries there are."`
}

// Run prints the entries.
func (c logsCat) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		last, err := newest(p, ws, c.Log)
		if err != nil {
			return err
		}
		var since int64
		out := p.newEntryWriter()
		switch {
		case c.Since != nil:
			since = int64(*c.Since)
		case c.Tail > 0 && c.Where == "":
			since = max(0, last-int64(c.Tail))
		}
		if c.Count {
			return c.printCount(p, ws, since)
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

// printCount prints how many entries are after since, or how many of them match.
func (c logsCat) printCount(p *process, ws *workspace.Workspace, since int64) error {
	page, err := ws.ReadLog(p.ctx, c.Log, workspace.ReadLogOptions{Where: c.Where, Tail: 1})
	if err != nil {
		return err
	}
	n := page.Matched
	switch {
	case c.Where == "":
		n = min(page.Total, max(0, page.Last-since))
	case since > 0: // the page counts all that match
		out := p.newEntryWriter()
		if out.where, err = condition.Parse(c.Where); err != nil {
			return err
		}
		out.skip = math.MaxInt64
		if _, err := out.copy(p, ws, c.Log, since); err != nil {
			return err
		}
		n = math.MaxInt64 - out.skip
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
