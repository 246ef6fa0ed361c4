package main

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/database"
	"github.com/agent-scratchpad/scratchpad/internal/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/usage"
)

type agentsLs struct{}

// agentRecord is an agent in the list.
type agentRecord struct {
	usage.Agent
	Project string `json:"project,omitempty"` // the folder whose memory it is
}

// Help is shown by scratchpad agents ls --help.
func (agentsLs) Help() string {
	return `The agents of one tenant are listed: those of local, or of --tenant. The last column is the folder of the project that the agent belongs to.

Examples:

  scratchpad agents ls
  scratchpad agents ls --json`
}

// Run lists all agents.
func (agentsLs) Run(p *process) error {
	return p.use(p.openToLook, func(db *database.Handle) error {
		svc, err := db.Service(p.ctx)
		if err != nil {
			return err
		}
		records := []agentRecord{}
		rows := [][]string{{"AGENT", "FILES", "LOGS", "ENTRIES", "BYTES", "OPERATIONS", "PROJECT"}}
		for after := ""; ; {
			page, err := svc.Agents(p.ctx, after, 0)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				break
			}
			for _, a := range page {
				r := agentRecord{Agent: usage.Of(a.Agent, a.Usage)}
				if r.Project, err = svc.ProjectFolder(p.ctx, a.Agent); err != nil {
					return err
				}
				records = append(records, r)
				rows = append(rows, []string{terminal.Cell(r.ID), fmt.Sprint(r.Files), fmt.Sprint(r.Logs), fmt.Sprint(r.Entries), fmt.Sprint(r.Bytes), fmt.Sprint(r.Operations), terminal.Cell(r.Project)})
			}
			after = page[len(page)-1].Agent
		}
		return p.list(records, rows, "no agents; an agent appears with its first write")
	})
}
