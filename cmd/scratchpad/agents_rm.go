package main

import (
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/phrase"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

type agentsRm struct {
	Name string `arg:"" help:"The agent."`
	Yes  bool   `short:"y" help:"Do not ask first."`
}

type agentDeleted struct {
	Agent   string `json:"agent_id"`
	Deleted bool   `json:"deleted"`
}

// Run deletes the agent.
func (c agentsRm) Run(p *process) error {
	if _, err := workspace.ParseAgentID(c.Name); err != nil {
		return err
	}
	// The variable is set for all commands, so it may name another agent.
	if p.onLine("agent") && *p.line.Agent != c.Name {
		return invalid("delete agent %s: --agent names another, %s; leave it out", c.Name, *p.line.Agent)
	}
	return p.use(p.openExisting, func(db *database.Handle) error {
		svc := db.Opened()
		look, err := svc.Look(c.Name)
		if err != nil {
			return err
		}
		has, err := look.Usage(p.ctx)
		if err != nil {
			return err
		}
		_, named, err := svc.Profile(p.ctx, c.Name)
		if err != nil {
			return err
		}
		if has.Usage == (workspace.Usage{}) && !named {
			return workspace.Errorf(workspace.ErrNotFound,
				"delete agent %s: there is no such agent; scratchpad agents ls lists them", c.Name)
		}
		gone, deletedToo := "", ""
		if n := has.DeletedBytes; n > 0 {
			gone = fmt.Sprintf(", %d of them of deleted files", n)
			deletedToo = ", " + phrase.Plural(n, "byte") + " of deleted files"
		}
		if err := p.confirm(c.Yes, []string{c.Name}, "Delete agent %s with %s, %s, %s, %s%s?", c.Name,
			phrase.Plural(has.Files, "file"), phrase.Plural(has.Logs, "log"), phrase.Entries(has.Entries),
			phrase.Plural(has.Bytes, "byte"), gone); err != nil {
			return err
		}
		deleted, err := svc.DeleteAgent(p.ctx, c.Name)
		if err != nil {
			return err
		}
		return p.say(agentDeleted{Agent: c.Name, Deleted: deleted}, "%s: deleted, %s, %s%s",
			c.Name, phrase.Plural(has.Files, "file"), phrase.Plural(has.Logs, "log"), deletedToo)
	})
}
