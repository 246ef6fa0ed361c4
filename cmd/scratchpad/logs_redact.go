package main

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type logsRedact struct {
	Log   string      `arg:""`
	Entry flags.Count `arg:"" help:"The number of the entry."`
	Yes   bool        `short:"y" help:"Do not ask first."`
}

type redactEntryRecord struct {
	Path     string          `json:"path"`
	EntryID  int64           `json:"entry_id"`
	Redacted *redactedRecord `json:"redacted"`
}

// Run removes the text of the entry.
func (c logsRedact) Run(p *process) error {
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		const question = "Remove the text of entry %d of log %s of agent %s for good?"
		named := []string{c.Log, fmt.Sprint(c.Entry)}
		if err := p.confirm(c.Yes, named, question, c.Entry, c.Log, ws.Agent()); err != nil {
			return err
		}
		e, err := ws.RedactEntry(p.ctx, c.Log, int64(c.Entry))
		if err != nil {
			return err
		}
		record := redactEntryRecord{c.Log, e.ID, redactedOf(e.Redacted)}
		return p.say(record, "%s: entry %d, redacted %s", c.Log, e.ID, record.Redacted)
	})
}
