package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsCat struct {
	Log   string        `arg:"" help:"The log."`
	Since *flags.Number `placeholder:"N" xor:"part" help:"Print only the entries after entry N."`
	Tail  flags.Count   `placeholder:"N" xor:"part" help:"Print only the last N entries."`
}

// Run prints the entries.
func (c logsCat) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		last, err := newest(p, ws, c.Log)
		if err != nil {
			return err
		}
		var since int64
		switch {
		case c.Since != nil:
			since = int64(*c.Since)
		case c.Tail > 0:
			since = max(0, last-int64(c.Tail))
		}
		_, err = p.newEntryWriter().copy(p, ws, c.Log, since)
		return err
	})
}
