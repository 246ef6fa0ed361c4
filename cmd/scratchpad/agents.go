package main

import (
	"errors"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/cli/pgurl"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
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

// memoryOf returns the memory that a client's file is for, and records nothing.
func (p *process) memoryOf(file string) (m clientconfig.Memory, err error) {
	if err := p.checkServer(); err != nil {
		return m, err
	}
	if m.Project, err = clientconfig.Project(file); err != nil {
		return m, err
	}
	if p.line.Tenant != nil {
		m.Tenant = *p.line.Tenant
	}
	if m.Agent, m.Named, err = p.agentName(); err != nil || m.Named || m.Project == "" {
		return m, err
	}
	err = p.use(p.openToLook, func(db *database.Handle) (err error) {
		m.Agent, err = db.Opened().Project(p.ctx, m.Project)
		return err
	})
	if errors.Is(err, workspace.ErrNotFound) || database.Default() == "" && p.line.DB == nil {
		// No project is recorded yet.
		var svc *workspace.Service
		if svc, err = workspace.New(memstore.New(), workspace.Options{}); err == nil {
			m.Agent, err = svc.Project(p.ctx, m.Project)
		}
	}
	return m, err
}

// takeMemory records that an agent belongs to a project.
func (p *process) takeMemory(m clientconfig.Memory) error {
	if m.Project == "" || m.Agent == defaultAgent || m.Agent == "" || p.line.DB != nil &&
		*p.line.DB == database.InMemory {
		return nil
	}
	return p.use(p.openDatabase, func(db *database.Handle) (err error) {
		svc := db.Opened()
		if m.Tenant != "" {
			if svc, err = svc.Tenant(m.Tenant, workspace.StoreLimits{}); err != nil {
				return err
			}
		}
		named := ""
		if m.Named {
			named = m.Agent
		}
		agent, err := svc.TakeProject(p.ctx, m.Project, named)
		if err == nil && agent != m.Agent {
			err = workspace.Errorf(workspace.ErrConflict,
				"another project has just taken the agent %s; run the command again", m.Agent)
		}
		return err
	})
}
