package main

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/setup"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// agentsCommand has the commands about agents.
type agentsCommand struct {
	Ls agentsLs `cmd:"" help:"List the agents and how much each one keeps."`
	Rm agentsRm `cmd:"" help:"Delete an agent with all its files and logs."`
}

// usageRecord is what an agent uses. The names are those of the tool get_usage_stats;
// log_count counts entries.
type usageRecord struct {
	Agent      string `json:"agent_id"`
	Bytes      int64  `json:"total_bytes"`
	Files      int64  `json:"file_count"`
	Entries    int64  `json:"log_count"`
	Logs       int64  `json:"logs"`
	Operations int64  `json:"total_operations"`
}

func usageOf(agent string, u workspace.Usage) usageRecord {
	return usageRecord{Agent: agent, Bytes: u.Bytes, Files: u.Files, Entries: u.Entries, Logs: u.Logs, Operations: u.Operations}
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
		return "", true, workspace.Errorf(workspace.ErrInvalid, "--tenant must be 1-128 characters of a-z A-Z 0-9 _ -, not %q", *p.line.Tenant)
	}
	return *p.line.Tenant, true, nil
}

// memory says which agent a client gets.
type memory struct {
	Agent   string
	Tenant  string // "": the default
	Project string // the folder of the project that the client's file belongs to; "": the file is the user's own
	named   bool   // by --agent, or by what the client's file has
	remote  string // a sentence: the client connects to a server, which knows
}

// String is a sentence for people.
func (m memory) String() string {
	switch {
	case m.remote != "":
		return m.remote
	case m.Agent == "":
		return "Memory: any agent, because the entry names none."
	}
	who := "Memory: agent " + m.Agent
	if m.Tenant != "" {
		who += " of the tenant " + m.Tenant
	}
	switch {
	case m.named:
		return who + "."
	case m.Project != "":
		return who + ", of the project " + m.Project + "; --agent names another."
	}
	return who + ", for all projects; --agent names another."
}

// memoryOf returns the memory that a client's file is for, and records nothing.
func (p *process) memoryOf(file string) (m memory, err error) {
	if m.Project, err = clientconfig.Project(file); err != nil {
		return m, err
	}
	tenant, given, err := p.tenantName()
	if err != nil {
		return m, err
	}
	if given {
		m.Tenant = tenant
	}
	if m.Agent, m.named, err = p.agentName(); err != nil || m.named || m.Project == "" {
		return m, err
	}
	if filepath.Base(file) == filepath.Base(clientconfig.HookFile("")) {
		if e := memoryOfEntry(filepath.Join(m.Project, ".mcp.json")); e.Agent != "" && (!given || e.Tenant == m.Tenant) {
			e.Project = m.Project
			return e, nil
		}
	}
	err = p.use(p.openToLook, func(db *database) error {
		m.Agent, err = p.projectAgent(db, m.Project)
		return err
	})
	if errors.Is(err, workspace.ErrNotFound) || defaultDB() == "" && p.line.DB == nil { // no project is recorded yet
		var svc *workspace.Service
		if svc, err = workspace.New(memstore.New(), workspace.Options{}); err == nil {
			m.Agent, err = svc.Project(p.ctx, m.Project)
		}
	}
	return m, err
}

func (p *process) projectAgent(db *database, project string) (string, error) {
	svc, err := db.service(p.ctx)
	if err != nil {
		return "", err
	}
	return svc.Project(p.ctx, project)
}

// memoryOfEntry returns the memory of the server in a file of Claude Code. Its Agent is ""
// if there is none. A file that cannot be read has none: it is not the one to be changed.
func memoryOfEntry(file string) memory {
	claude, _ := clientconfig.Find("claude-code")
	s, _, err := claude.ReadServer(file, setup.ServerName)
	if err != nil {
		return memory{}
	}
	return memoryOfArguments(s.Args)
}

// memoryOfArguments returns the memory that the arguments of a server name.
func memoryOfArguments(args []string) memory {
	value := func(flag string) string {
		if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
			return args[i+1]
		}
		return ""
	}
	return memory{Agent: value("--agent"), Tenant: value("--tenant"), named: true}
}

// takeMemory records that an agent belongs to a project.
func (p *process) takeMemory(m memory) error {
	if m.Project == "" || m.Agent == defaultAgent || m.Agent == "" || p.line.DB != nil && *p.line.DB == inMemory {
		return nil
	}
	return p.use(p.openDatabase, func(db *database) error {
		svc, err := db.service(p.ctx)
		if err != nil {
			return err
		}
		if m.Tenant != "" {
			if svc, err = svc.Tenant(m.Tenant, workspace.StoreLimits{}); err != nil {
				return err
			}
		}
		named := ""
		if m.named {
			named = m.Agent
		}
		agent, err := svc.TakeProject(p.ctx, m.Project, named)
		if err == nil && agent != m.Agent {
			err = workspace.Errorf(workspace.ErrConflict, "another project has just taken the agent %s; run the command again", m.Agent)
		}
		return err
	})
}
