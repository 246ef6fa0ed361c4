package main

import (
	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// agentsCommand has the commands about agents.
type agentsCommand struct {
	Ls agentsLs `cmd:"" help:"List the agents and how much each one keeps."`
	Rm agentsRm `cmd:"" help:"Delete an agent with all its files and logs."`
}

// defaultAgent is the agent of every command but mcp, unless --agent names another.
const defaultAgent = "default"

// agentName returns --agent. An empty one is an error, because a server would serve
// every agent without it.
func (p *process) agentName() (name string, given bool, err error) {
	if p.line.Agent == nil {
		return defaultAgent, false, nil
	}
	id, err := workspace.ParseAgentID(*p.line.Agent)
	if err != nil {
		return "", true, &workspace.Error{Op: "--agent", Kind: workspace.ErrInvalid, Err: err}
	}
	return id.String(), true, nil
}

// defaultTenant is the tenant of every command, unless --tenant names another.
const defaultTenant = "local"

// tenantName returns --tenant. An empty one is an error, because somebody meant to name one.
func (p *process) tenantName() (name string, given bool, err error) {
	if p.line.Tenant == nil {
		return defaultTenant, false, nil
	}
	if _, err := workspace.ParseAgentID(*p.line.Tenant); err != nil { // the rule is the same
		return "", true, invalid("--tenant must be 1-128 characters of a-z A-Z 0-9 _ -, not %q", *p.line.Tenant)
	}
	return *p.line.Tenant, true, nil
}

// checkServer looks at the flags that name the memory of a server in a client's file.
func (p *process) checkServer() error {
	if p.line.DB != nil {
		if _, err := p.databasePath(false); err != nil {
			return err
		}
		if pgurl.HasSecret(*p.line.DB) {
			return invalid("the URL of the database has a password, which would stand in the client's file for " +
				"everybody to read; leave it out of the URL, and put it into ~/.pgpass or the file that PGPASSFILE " +
				"names, or give a service: --db 'postgres://?service=NAME'")
		}
	}
	if _, _, err := p.tenantName(); err != nil {
		return err
	}
	_, _, err := p.agentName()
	return err
}

// memoryFor returns the memory that a client's entry is for. folder is what stands there for
// the folder that the client works in; "": the client does not know it.
func (p *process) memoryFor(folder string) (m clientconfig.Memory, err error) {
	if err := p.checkServer(); err != nil {
		return m, err
	}
	if p.line.Tenant != nil {
		m.Tenant = *p.line.Tenant
	}
	agent, given, err := p.agentName()
	if m.Folder = folder; given || folder == "" {
		m.Agent, m.Folder = agent, ""
	}
	return m, err
}
