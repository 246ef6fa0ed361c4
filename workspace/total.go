package workspace

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// StoreLimits limit all agents of a tenant together. A zero field takes its default, a
// negative field sets no limit.
//
// They are not exact, because agents share no row. Processes whose agents write for the
// first time at the same moment can exceed Agents by one each. Bytes can be exceeded by
// what is written within five seconds. What is over a limit stays.
type StoreLimits struct {
	Agents int64 // that hold anything; 10,000
	Bytes  int64 // what counts against [Limits.Bytes], of all agents; 10,000,000,000
}

// DefaultStoreLimits are the limits that the zero StoreLimits stands for.
func DefaultStoreLimits() StoreLimits {
	return StoreLimits{Agents: 10_000, Bytes: 10_000_000_000}
}

func (l StoreLimits) withDefaults() StoreLimits {
	d := DefaultStoreLimits()
	return StoreLimits{Agents: cmp.Or(l.Agents, d.Agents), Bytes: cmp.Or(l.Bytes, d.Bytes)}
}

// totalAge is how long the sum over all agents is used before it is made again.
const totalAge = 5 * time.Second

// A total is what all agents of a tenant have together. It is safe for concurrent use.
type total struct {
	limits    StoreLimits          // with defaults
	admitting *admission.Semaphore // held while an agent writes for the first time

	store  Store
	tenant string
	bytes  *recent // that count against the limit
}

func newTotal(s Store, tenant string, l StoreLimits, now func() time.Time) *total {
	return &total{admitting: admission.New(1, 1), store: s, tenant: tenant, limits: l.withDefaults(),
		bytes: newRecent(totalAge, now)}
}

// totalsOf adds up what the agents of a tenant have.
func totalsOf(ctx context.Context, s Store, tenant string) (Totals, error) {
	list, err := s.Owners(ctx, store.OwnersQuery{Which: store.OwnerTotals, Tenant: tenant})
	return list.Totals, err
}

// readBytes returns how many bytes the agents have, as of the last five seconds; 0 without a
// limit.
func (t *total) readBytes(ctx context.Context) (int64, error) {
	if t.limits.Bytes < 0 {
		return 0, nil
	}
	return t.bytes.get(ctx, func() (int64, error) {
		sum, err := totalsOf(ctx, t.store, t.tenant)
		return sum.Charged(), err
	})
}

// checkBytes refuses a change that adds bytes to those that are used, if the limit has no
// room for them. used is what readBytes returned.
func (t *total) checkBytes(used, adds int64) error {
	limit := t.limits.Bytes
	if limit < 0 || adds <= 0 || used+adds <= limit {
		return nil
	}
	met := Quota{Of: StoreBytes, Used: used, Adds: adds, Limit: limit}
	return or(fault.Exceeded(met, "all agents of this store use %d bytes of %d, this write adds %d", used, limit, adds),
		DoFreeStore, 0)
}

// checkAgents refuses one more agent if the limit has no room for it.
func (t *total) checkAgents(ctx context.Context) error {
	limit := t.limits.Agents
	if limit < 0 {
		return nil
	}
	sum, err := totalsOf(ctx, t.store, t.tenant)
	if err == nil && sum.Agents >= limit {
		met := Quota{Of: StoreAgents, Used: sum.Agents, Adds: 1, Limit: limit}
		return or(fault.Exceeded(met, "agent limit of this store reached (%d of %d), and this agent would be new",
			sum.Agents, limit), DoFreeStore, 0)
	}
	return err
}

// readTotal tells a write how many bytes the store holds, as of the last five seconds.
func (s *Service) readTotal(ctx context.Context, a *attempt) error {
	if a.deletes {
		return nil
	}
	n, err := s.total.readBytes(ctx)
	a.storeBytes = n
	return beforeStart(err)
}

// checkRoom refuses a change that takes the agent further over one of its limits, or the
// store further over its limit of bytes.
func (s *Service) checkRoom(a *attempt, before, after store.OwnerState) error {
	if err := s.limits.checkQuota(before, after); err != nil || a.deletes {
		return err
	}
	return s.total.checkBytes(a.storeBytes, charged(after)-charged(before))
}

// admitNewAgent lets an agent that holds nothing write, if the store has room for one more
// agent. It does not refuse a deletion, but then the deletion leaves no trace of the
// agent. The caller holds the turn of admitting until the agent has written.
func (s *Service) admitNewAgent(ctx context.Context, o store.Owner, a *attempt) error {
	err := s.total.checkAgents(ctx)
	if a.deletes && errors.Is(err, ErrQuota) {
		a.key, err = "", nil
	}
	if err != nil {
		return err
	}
	a.admitted = true
	if !a.noRow { // the row has the numbers
		return nil
	}
	// The row was missing before this read of the record. So the record has been raised
	// to the numbers of the row.
	a.floor, err = registry.FloorOf(ctx, s.store, o)
	return err
}

// StoreUsage is what all agents of a tenant have, and their limits.
type StoreUsage struct {
	Totals
	Limits StoreLimits // a negative field sets no limit
}

// StoreUsage returns what all agents have at this moment. Errors: those of the store.
func (s *Service) StoreUsage(ctx context.Context) (StoreUsage, error) {
	if err := checkContext(ctx, "usage of", "store"); err != nil {
		return StoreUsage{}, err
	}
	sum, err := totalsOf(ctx, s.store, s.tenant)
	if err != nil {
		return StoreUsage{}, within("usage of", "store", err)
	}
	return StoreUsage{Totals: sum, Limits: s.total.limits}, nil
}
