package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/strictjson"
)

type statsCommand struct{}

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
		record := strictjson.Object{
			"agent_id", u.Agent, "total_bytes", u.Bytes, "file_count", u.Files, "log_count", u.Entries,
			"logs", u.Logs, "deleted_bytes", u.DeletedBytes,
			"total_operations", u.Operations, "max_bytes", u.Limits.Bytes,
		}
		rows := [][]string{{"AGENT " + terminal.Cell(u.Agent), "USED", "LIMIT", "SHARE"}}
		add := func(what string, used, limit int64) {
			rows = append(rows, report.Share(what, used, limit))
		}
		for _, c := range u.Counts() {
			record = append(record, c.Key(), c.Max)
			add(c.Name, c.Used, c.Max)
		}
		most := p.line.StoreLimits                         // 0: no limit
		record = append(record, "charged_bytes", u.Charge, // counts against max_bytes in addition to total_bytes
			"store_agents", all.Agents, "store_bytes", all.Charged(), // content and charge
			"max_agents", most.Agents, "max_total_bytes", most.TotalBytes)
		add("bytes", u.Bytes+u.Charge, u.Limits.Bytes)
		rows = append(rows,
			terminal.Row("- of content", u.Bytes-u.DeletedBytes, "", ""),
			terminal.Row("- of deleted files", u.DeletedBytes, "", ""),
			terminal.Row("- for its rows", u.Charge, "", ""),
			terminal.Row("operations", u.Operations, "", ""),
			[]string{"ALL AGENTS", "", "", ""})
		add("agents", all.Agents, most.Agents)
		add("bytes", all.Charged(), most.TotalBytes)
		return p.answer(record, p.table(rows))
	})
}
