package main

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsLs struct {
	Prefix string `arg:"" optional:"" help:"List only names that begin with this, such as runs/."`
}

type logRecord struct {
	Path        string    `json:"path"`
	Entries     int64     `json:"entries"`
	Bytes       int64     `json:"bytes"`
	LastEntryID int64     `json:"last_entry_id"`
	Updated     time.Time `json:"updated"`
}

// Run lists the logs below the prefix.
func (c logsLs) Run(p *process) error {
	return p.with(p.openToLook, func(ws *workspace.Workspace) error {
		records := []logRecord{}
		rows := [][]string{{"LOG", "ENTRIES", "BYTES", "LAST", "UPDATED"}}
		for o := (workspace.ListOptions{Prefix: c.Prefix}); ; {
			page, err := ws.ListLogs(p.ctx, o)
			if err != nil {
				return err
			}
			for _, l := range page.Logs {
				records = append(records, logRecord{Path: l.Path, Entries: l.Entries(), Bytes: l.Bytes,
					LastEntryID: l.Last,
					Updated:     l.Updated.UTC()})
				rows = append(rows, terminal.Row(l.Path, l.Entries(), l.Bytes, l.Last, l.Updated))
			}
			if o.After = page.Next; !page.More {
				break
			}
		}
		return p.list(records, rows, "no logs%s of agent %s; scratchpad logs append LOG TEXT makes one, and "+
			"scratchpad agents ls lists the agents for --agent", below(c.Prefix), ws.Agent())
	})
}
