package main

import (
	"github.com/agent-scratchpad/scratchpad/workspace"
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
