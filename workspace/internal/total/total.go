// Package total keeps what all agents of a tenant have together below its limits.
package total

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/count"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/quota"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/turn"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// age is how long the sum over all agents is used before it is made again.
const age = 5 * time.Second

// Limits are those of all agents of a tenant together. A negative field sets no limit.
type Limits struct{ Agents, Bytes int64 }

// A Total is what all agents of a tenant have together. It is safe for concurrent use.
type Total struct {
	Limits    Limits
	Admitting turn.Turn // held while an agent writes for the first time

	store  store.Store
	tenant string
	bytes  *count.Recent // that count against the limit
}

// New returns the Total of a tenant.
func New(s store.Store, tenant string, l Limits, now func() time.Time) *Total {
	return &Total{Admitting: turn.New(), store: s, tenant: tenant, Limits: l, bytes: count.NewRecent(age, now)}
}

// Bytes returns how many bytes the agents have, as of the last five seconds; 0 without a
// limit.
func (t *Total) Bytes(ctx context.Context) (int64, error) {
	if t.Limits.Bytes < 0 {
		return 0, nil
	}
	return t.bytes.Get(ctx, func() (int64, error) {
		sum, err := t.store.Totals(ctx, t.tenant)
		return sum.Charged(), err
	})
}

// CheckBytes refuses a change that adds bytes to those that are used, if the limit has no
// room for them. used is what Bytes returned.
func (t *Total) CheckBytes(used, adds int64) error {
	limit := t.Limits.Bytes
	if limit < 0 || adds <= 0 || used+adds <= limit {
		return nil
	}
	met := store.Quota{Of: store.StoreBytes, Used: used, Adds: adds, Limit: limit}
	return fault.Or(quota.Exceeded(met, "all agents of this store use %d bytes of %d, this write adds %d", used, limit, adds), store.DoFreeStore, 0)
}

// CheckAgents refuses one more agent if the limit has no room for it.
func (t *Total) CheckAgents(ctx context.Context) error {
	limit := t.Limits.Agents
	if limit < 0 {
		return nil
	}
	sum, err := t.store.Totals(ctx, t.tenant)
	if err == nil && sum.Agents >= limit {
		met := store.Quota{Of: store.StoreAgents, Used: sum.Agents, Adds: 1, Limit: limit}
		return fault.Or(quota.Exceeded(met, "agent limit of this store reached (%d of %d), and this agent would be new", sum.Agents, limit), store.DoFreeStore, 0)
	}
	return err
}
