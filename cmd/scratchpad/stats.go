package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
)

type statsCommand struct{}

type statsRecord struct {
	report.Agent
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
	return p.use(p.openToLook, func(db *database.Handle) error {
		ws, err := p.workspace(db)
		if err != nil {
			return err
		}
		u, err := ws.Usage(p.ctx)
		if err != nil {
			return err
		}
		all, err := db.Opened().StoreUsage(p.ctx)
		if err != nil {
			return err
		}
		most, mostOfAll := p.line.Limits, p.line.Store
		record := statsRecord{
			Agent:    report.AgentOf(u.Agent, u.Usage),
			MaxBytes: most.Bytes, MaxFiles: most.Files, MaxLogs: most.Logs, MaxEntries: most.Entries,
			Charged: u.Charge, StoreAgents: all.Agents, StoreBytes: all.Charged(), MaxAgents: mostOfAll.Agents,
			MaxTotalBytes: mostOfAll.TotalBytes,
		}
		rows := [][]string{{"AGENT " + terminal.Cell(u.Agent), "USED", "LIMIT", "SHARE"}}
		add := func(what string, used, limit int64) {
			rows = append(rows, report.Share(what, used, limit))
		}
		add("files", u.Files, most.Files)
		add("logs", u.Logs, most.Logs)
		add("entries", u.Entries, most.Entries)
		add("bytes", u.Bytes+u.Charge, most.Bytes)
		rows = append(rows,
			terminal.Row("- of content", u.Bytes, "", ""),
			terminal.Row("- for its rows", u.Charge, "", ""),
			terminal.Row("operations", u.Operations, "", ""),
			[]string{"ALL AGENTS", "", "", ""})
		add("agents", all.Agents, mostOfAll.Agents)
		add("bytes", all.Charged(), mostOfAll.TotalBytes)
		return p.answer(record, p.table(rows))
	})
}
