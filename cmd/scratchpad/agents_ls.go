package main

import "fmt"

type agentsLs struct{}

// Help is shown by scratchpad agents ls --help.
func (agentsLs) Help() string {
	return `Examples:

  scratchpad agents ls
  scratchpad agents ls --json`
}

// Run lists all agents.
func (agentsLs) Run(p *process) error {
	return p.use(p.openToLook, func(db *database) error {
		svc, err := db.service(p.ctx)
		if err != nil {
			return err
		}
		records := []usageRecord{}
		rows := [][]string{{"AGENT", "FILES", "LOGS", "ENTRIES", "BYTES", "OPERATIONS"}}
		for after := ""; ; {
			page, err := svc.Agents(p.ctx, after, 0)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				break
			}
			for _, a := range page {
				r := usageOf(a.Agent, a.Usage)
				records = append(records, r)
				rows = append(rows, []string{cell(r.Agent), fmt.Sprint(r.Files), fmt.Sprint(r.Logs), fmt.Sprint(r.Entries), fmt.Sprint(r.Bytes), fmt.Sprint(r.Operations)})
			}
			after = page[len(page)-1].Agent
		}
		return p.list(records, rows, "no agents; an agent appears with its first write")
	})
}
