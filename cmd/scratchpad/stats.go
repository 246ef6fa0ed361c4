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
	agent, _, err := p.agentName()
	if err != nil {
		return err
	}
	return p.use(p.openToLook, func(db *database) error {
		var u workspace.OwnerState
		err := db.peek(agent, func(r workspace.Reader) (err error) {
			u, err = r.Owner()
			return err
		})
		if err != nil {
			return fmt.Errorf("usage of %s: %w", agent, err)
		}
		most := p.line.Limits
		record := statsRecord{
			usageRecord: usageOf(agent, u.Usage),
			MaxBytes:    most.Bytes, MaxFiles: most.Files, MaxLogs: most.Logs, MaxEntries: most.Entries,
		}
		rows := [][]string{{"AGENT " + cell(agent), "USED", "LIMIT", "SHARE"}}
		for _, r := range []struct {
			what        string
			used, limit int64
		}{
			{"files", u.Files, most.Files},
			{"logs", u.Logs, most.Logs},
			{"entries", u.Entries, most.Entries},
			{"bytes", u.Bytes, most.Bytes},
		} {
			share := fmt.Sprintf("%.1f%%", 100*float64(r.used)/float64(r.limit))
			rows = append(rows, []string{r.what, fmt.Sprint(r.used), fmt.Sprint(r.limit), share})
		}
		rows = append(rows, []string{"operations", fmt.Sprint(u.Operations), "-", "-"})
		return p.answer(record, p.table(rows))
	})
}
