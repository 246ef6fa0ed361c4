package main

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

type statsCommand struct{}

// Help is shown by scratchpad stats --help.
func (statsCommand) Help() string {
	return `Examples:

  scratchpad stats
  scratchpad stats --agent reviewer --json`
}

type statsRecord struct {
	usageRecord
	MaxBytes   int64 `json:"max_bytes"`
	MaxFiles   int64 `json:"max_files"`
	MaxLogs    int64 `json:"max_logs"`
	MaxEntries int64 `json:"max_entries"`
}

// Run shows what the agent uses.
func (statsCommand) Run(p *process) error {
	return p.with(p.openExisting, func(ws *workspace.Workspace) error {
		u, err := ws.Usage(p.ctx)
		if err != nil {
			return err
		}
		record := statsRecord{
			usageRecord: usageOf(u.Agent, u.Usage),
			MaxBytes:    u.Limits.Bytes, MaxFiles: u.Limits.Files, MaxLogs: u.Limits.Logs, MaxEntries: u.Limits.Entries,
		}
		rows := [][]string{{"AGENT " + cell(u.Agent), "USED", "LIMIT", "SHARE"}}
		for _, r := range []struct {
			what        string
			used, limit int64
		}{
			{"files", u.Files, u.Limits.Files},
			{"logs", u.Logs, u.Limits.Logs},
			{"entries", u.Entries, u.Limits.Entries},
			{"bytes", u.Bytes, u.Limits.Bytes},
		} {
			share := fmt.Sprintf("%.1f%%", 100*float64(r.used)/float64(r.limit))
			rows = append(rows, []string{r.what, fmt.Sprint(r.used), fmt.Sprint(r.limit), share})
		}
		rows = append(rows, []string{"operations", fmt.Sprint(u.Operations), "-", "-"})
		return p.answer(record, p.table(rows))
	})
}
