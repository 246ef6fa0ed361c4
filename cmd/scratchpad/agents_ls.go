package main

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/report"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type agentsLs struct{}

// agentRecord is an agent in the list.
type agentRecord struct {
	report.Agent
	Project  string     `json:"project,omitempty"`  // the folder whose memory it is
	Name     string     `json:"name,omitempty"`     // that the Memory Stores API has given it
	Archived *time.Time `json:"archived,omitempty"` // when that was; nil: it is not
}

// Run lists all agents.
func (agentsLs) Run(p *process) error {
	return p.use(p.openToLook, func(db *database.Handle) error {
		svc := db.Opened()
		projects, err := p.projects(p.ctx, db)
		if err != nil {
			return err
		}
		folders, err := projects.Folders(p.ctx)
		if err != nil {
			return err
		}
		records := []agentRecord{}
		rows := [][]string{{"AGENT", "FILES", "LOGS", "ENTRIES", "BYTES", "OPERATIONS", "PROJECT", "NAME"}}
		for q := (workspace.AgentsQuery{Patterns: []string{"*"}}); ; {
			page, err := svc.Agents(p.ctx, q)
			if err != nil {
				return err
			}
			for _, a := range page.Agents {
				r := agentRecord{Agent: report.AgentOf(a.Agent, a.Usage), Project: folders[a.Agent]}
				profile, _, err := svc.Profile(p.ctx, a.Agent)
				if err != nil {
					return err
				}
				title := profile.Name
				if r.Name = title; !profile.Archived.IsZero() {
					r.Archived, title = &profile.Archived, title+" (archived)"
				}
				records = append(records, r)
				rows = append(rows, terminal.Row(r.ID, r.Files, r.Logs, r.Entries, r.Bytes, r.Operations, r.Project,
					title))
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		return p.list(records, rows, "no agents; an agent appears with its first write")
	})
}
