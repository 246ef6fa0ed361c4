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
		if c.Where != "" {
			if err := c.setWhere(p, ws, out); err != nil {
				return err
			}
		}
		_, err = out.copy(p, ws, c.Log, since)
		return err
	})
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
