package main

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/terminal"
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

	Charged       int64 `json:"charged_bytes"` // count against max_bytes in addition to total_bytes
	StoreAgents   int64 `json:"store_agents"`
	StoreBytes    int64 `json:"store_bytes"` // content and charge
	MaxAgents     int64 `json:"max_agents"`  // 0: no limit
	MaxTotalBytes int64 `json:"max_total_bytes"`
}

// Run shows what the agent uses, and what all agents use.
func (statsCommand) Run(p *process) error {
	return p.use(p.openToLook, func(db *database) error {
		ws, err := db.workspace()
		if err != nil {
			return err
		}
		u, err := ws.Usage(p.ctx)
		if err != nil {
			return err
		}
		svc, err := db.service(p.ctx)
		if err != nil {
			return err
		}
		all, err := svc.StoreUsage(p.ctx)
		if err != nil {
			return err
		}
		most, mostOfAll := p.line.Limits, p.line.Store
		record := statsRecord{
			usageRecord: usageOf(u.Agent, u.Usage),
			MaxBytes:    most.Bytes, MaxFiles: most.Files, MaxLogs: most.Logs, MaxEntries: most.Entries,
			Charged: u.Charge, StoreAgents: all.Agents, StoreBytes: all.Charged(), MaxAgents: mostOfAll.Agents, MaxTotalBytes: mostOfAll.TotalBytes,
		}
		rows := [][]string{{"AGENT " + terminal.Cell(u.Agent), "USED", "LIMIT", "SHARE"}}
		add := func(what string, used, limit int64) {
			rows = append(rows, shareRow(what, used, limit))
		}
		add("files", u.Files, most.Files)
		add("logs", u.Logs, most.Logs)
		add("entries", u.Entries, most.Entries)
		add("bytes", u.Bytes+u.Charge, most.Bytes)
		rows = append(rows,
			[]string{"- of content", fmt.Sprint(u.Bytes), "-", "-"},
			[]string{"- for its rows", fmt.Sprint(u.Charge), "-", "-"},
			[]string{"operations", fmt.Sprint(u.Operations), "-", "-"},
			[]string{"ALL AGENTS", "", "", ""})
		add("agents", all.Agents, mostOfAll.Agents)
		add("bytes", all.Charged(), mostOfAll.TotalBytes)
		return p.answer(record, p.table(rows))
	})
}

// shareRow says how much of a limit is used. A limit of 0 is none.
func shareRow(what string, used, limit int64) []string {
	if limit == 0 {
		return []string{what, fmt.Sprint(used), "none", "-"}
	}
	return []string{what, fmt.Sprint(used), fmt.Sprint(limit), fmt.Sprintf("%.1f%%", 100*float64(used)/float64(limit))}
}
