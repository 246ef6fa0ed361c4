// Package access gives a caller the workspaces that it may use. An [auth.Caller] says who
// calls; this package holds a call against it.
package access

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/lru"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// ErrDenied says that the caller may not do what it asks for. An error that wraps it also
// wraps [workspace.ErrInvalid].
var ErrDenied = errors.New("denied")

// denied is a refusal with a text for the caller.
type denied struct{ text string }

func (d denied) Error() string { return d.text }

func (d denied) Unwrap() []error { return []error{ErrDenied, workspace.ErrInvalid} }

// maxTenants is how many tenants' Services are kept. One that is missing is made again.
const maxTenants = 1024

// A Door leads callers to the workspaces of their tenants. It is safe for concurrent use.
type Door struct {
	base   *workspace.Service
	limits func(ctx context.Context, tenant string) (workspace.StoreLimits, error)

	mu      sync.Mutex // guards the following
	tenants *lru.Map[string, tenant]
}

// A tenant is a Service with the limits that it was made for.
type tenant struct {
	svc    *workspace.Service
	limits workspace.StoreLimits
}

// New returns a Door. base has the store and the options of all tenants. limits returns
// the limits of a tenant as they are now; every call asks for them.
func New(
	base *workspace.Service, limits func(ctx context.Context, tenant string) (workspace.StoreLimits, error),
) *Door {
	return &Door{base: base, limits: limits, tenants: lru.New[string, tenant](maxTenants)}
}

// Tenant returns the Service of a tenant, with the limits of this moment.
func (d *Door) Tenant(ctx context.Context, name string) (*workspace.Service, error) {
	limits, err := d.limits(ctx, name)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.tenants.Get(name); ok && t.limits == limits {
		return t.svc, nil
	}
	svc, err := d.base.Tenant(name, limits)
	if err == nil {
		d.tenants.Put(name, tenant{svc, limits})
	}
	return svc, err
}

// Workspace returns the workspace of an agent for the caller in ctx, if it has the scopes
// of need: Read, Write or both. A call that needs neither is refused. If the caller is bound
// to one agent, the empty name stands for it. What the caller may not do is refused without a
// look at the store: the answer is the same whether an agent exists or not.
//
// The caller is held against what it may do now, see [auth.Current].
//
// Errors: [ErrDenied], [workspace.ErrBusy] and those of the limits.
func (d *Door) Workspace(ctx context.Context, agent string, need auth.Scopes) (*workspace.Workspace, error) {
	c, ok, err := auth.Current(ctx)
	switch {
	case errors.Is(err, auth.ErrUnknown):
		return nil, denied{"your credential has expired or was revoked before the call could begin; get a new one"}
	case err != nil:
		return nil, fmt.Errorf("%v; try again: %w", err, workspace.ErrBusy)
	case !ok:
		return nil, denied{"this server serves nobody without a key, and it has none yet; its operator makes one " +
			"with: scratchpad keys create"}
	}
	only, bound := c.Agents.Only()
	if agent == "" && bound {
		agent = only
	}
	verb := "write"
	if missing := need &^ c.Scopes; missing.Has(auth.Read) {
		verb = "read"
	}
	switch {
	case !c.Agents.Allow(agent) && bound:
		return nil, denied{"agent_id is not the agent of your key; leave it out"}
	case !c.Agents.Allow(agent):
		return nil, denied{fmt.Sprintf("agent_id is not among the agents of your key (%s)", list(c.Agents))}
	case need == 0 || !c.Scopes.Has(need):
		return nil, denied{fmt.Sprintf("your key may not %s; ask the operator for one with the scope %s", verb, verb)}
	}
	svc, err := d.Tenant(ctx, c.Tenant)
	if err != nil {
		return nil, err
	}
	ws, err := svc.Agent(agent)
	if err != nil {
		return nil, err
	}
	return ws.As(workspace.Author{Key: c.Key}), nil
}

// list names the first few agents of a caller.
func list(a auth.Agents) string {
	const most, size = 5, 160
	text := ""
	for i, p := range a.Patterns() {
		if i == most || len(text)+len(p) > size {
			return text + ", ..."
		}
		if i > 0 {
			text += ", "
		}
		text += p
	}
	return text
}
