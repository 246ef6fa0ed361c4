package report

import (
	"context"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// An Agent is what an agent uses. The names are those of the tool get_usage_stats;
// log_count counts entries.
type Agent struct {
	ID         string `json:"agent_id"`
	Bytes      int64  `json:"total_bytes"`
	Files      int64  `json:"file_count"`
	Entries    int64  `json:"log_count"`
	Logs       int64  `json:"logs"`
	Operations int64  `json:"total_operations"`
}

// AgentOf returns what an agent uses.
func AgentOf(agent string, u workspace.Usage) Agent {
	return Agent{ID: agent, Bytes: u.Bytes, Files: u.Files, Entries: u.Entries, Logs: u.Logs, Operations: u.Operations}
}

// A Tenant is what a tenant uses and may use. A limit of 0 is none.
type Tenant struct {
	Name      string `json:"tenant"`
	Agents    int64  `json:"agents"`
	MaxAgents int64  `json:"max_agents"`
	Bytes     int64  `json:"bytes"` // content and charge
	MaxBytes  int64  `json:"max_bytes"`
	Keys      int64  `json:"keys"` // that can be used
	MaxKeys   int64  `json:"max_keys"`
}

// TenantOf adds to a tenant what it uses.
func TenantOf(ctx context.Context, store workspace.Store, keys *auth.Keys, t auth.Tenant) (Tenant, error) {
	svc, err := workspace.New(store, workspace.Options{Tenant: t.Name})
	if err != nil {
		return Tenant{}, err
	}
	sum, err := svc.StoreUsage(ctx)
	if err != nil {
		return Tenant{}, err
	}
	live, err := keys.Count(ctx, t.Name)
	most := func(limit int64) int64 { return max(limit, 0) }
	return Tenant{
		Name: t.Name, Agents: sum.Agents, Bytes: sum.Charged(), Keys: live,
		MaxAgents: most(t.Limits.Agents), MaxBytes: most(t.Limits.Bytes), MaxKeys: most(t.Limits.Keys),
	}, err
}

// TenantHeader is the first row of a table of tenants, and [Tenant.Row] one of the others.
var TenantHeader = []string{"TENANT", "AGENTS", "LIMIT", "BYTES", "LIMIT", "KEYS", "LIMIT"}

// Row returns the row of the tenant in a table.
func (t Tenant) Row() []string {
	return terminal.Row(t.Name, t.Agents, limitOr(t.MaxAgents), t.Bytes, limitOr(t.MaxBytes), t.Keys,
		limitOr(t.MaxKeys))
}

func limitOr(n int64) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// Share is a row that says how much of a limit is used. A limit of 0 is none.
func Share(what string, used, limit int64) []string {
	if limit == 0 {
		return terminal.Row(what, used, "none", "")
	}
	return terminal.Row(what, used, limit, fmt.Sprintf("%.1f%%", 100*float64(used)/float64(limit)))
}
