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

// StoreLimits limit all agents of a tenant together. A zero field takes its default. A
// negative field sets no limit.
//
// The limits are not exact, because agents share no row. If agents in several processes write
// for the first time at the same moment, each process can exceed Agents by one. Bytes can be
// exceeded by as much as is written within five seconds. A limit never removes content.
type StoreLimits struct {
	Agents int64 // agents that hold anything; default 10,000
	Bytes  int64 // the sum of what counts against each agent's Limits.Bytes; default 10,000,000,000
}

// DefaultStoreLimits returns the limits that the zero StoreLimits stands for.
func DefaultStoreLimits() StoreLimits {
	return StoreLimits{Agents: storeLimits[0].Default, Bytes: storeLimits[1].Default}
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

	adding *admission.Semaphore // guards the following; held while they are added up
	at     time.Time            // when they were; zero: never
	bytes  int64                // that count against the limit
}

func newTotal(l StoreLimits) *total {
	return &total{limits: l.withDefaults(), admitting: admission.New(1, 1), adding: admission.New(1, 1)}
}

// totals adds up what the agents of the tenant have.
func (s *Service) totals(ctx context.Context) (Totals, error) {
	list, err := s.store.Owners(ctx, store.OwnersQuery{Which: store.OwnerTotals, Tenant: s.o.Tenant})
	return list.Totals, err
}

// totalBytes returns how many bytes the agents have, as of the last five seconds; 0 without a
// limit.
func (s *Service) totalBytes(ctx context.Context) (int64, error) {
	t := s.total
	if t.limits.Bytes < 0 {
		return 0, nil
	}
	turn, err := t.adding.Take(ctx, "", 1)
	if err != nil {
		return 0, err
	}
	defer turn.Leave()
	if age := s.o.Now().Sub(t.at); age >= 0 && age < totalAge { // a clock may be set back
		return t.bytes, nil
	}
	sum, err := s.totals(ctx)
	if err == nil {
		t.at, t.bytes = s.o.Now(), sum.Charged()
	}
	return t.bytes, err
}

// checkBytes refuses a change that adds bytes to those that are used, if the limit has no
// room for them. used is what totalBytes returned, and deleted the bytes of the agent's own deleted
// files.
func (t *total) checkBytes(used, adds, deleted int64) error {
	limit := t.limits.Bytes
	if limit < 0 || adds <= 0 || used+adds <= limit {
		return nil
	}
	met := Quota{Of: store.StoreBytes, Used: used, Adds: adds, Limit: limit}
	if deleted > 0 {
		return or(fault.Exceeded(met, "all agents of this store use %d bytes of %d, this write adds %d, and %d are of "+
			"deleted files of this agent", used, limit, adds, deleted), store.DoDropDeleted, 0)
	}
	return or(fault.Exceeded(met, "all agents of this store use %d bytes of %d, this write adds %d", used, limit, adds),
		store.DoFreeStore, 0)
}

// checkAgents refuses one more agent if the limit has no room for it.
func (s *Service) checkAgents(ctx context.Context) error {
	limit := s.total.limits.Agents
	if limit < 0 {
		return nil
	}
	sum, err := s.totals(ctx)
	if err == nil && sum.Agents >= limit {
		met := Quota{Of: store.StoreAgents, Used: sum.Agents, Adds: 1, Limit: limit}
		return or(fault.Exceeded(met, "agent limit of this store reached (%d of %d), and this agent would be new",
			sum.Agents, limit), store.DoFreeStore, 0)
	}
	return err
}

// admit lets an agent that holds nothing write, if the store has room for one more agent. seen is
// the state of the agent, and the agent may write as long as it has that state. admit does not
// refuse a deletion, but then the deletion leaves no trace of the agent. The caller holds the
// turn of admitting until the agent has written.
func (r *run) admit(ctx context.Context, seen store.OwnerState) error {
	svc := r.w.svc
	err := svc.checkAgents(ctx)
	if r.deletes && errors.Is(err, ErrQuota) {
		r.key, err = "", nil
	}
	if err == nil && seen == (store.OwnerState{}) {
		// The state was missing before this read of the record. So the record has been raised
		// to the numbers of the state.
		r.floor, err = registry.FloorOf(ctx, svc.store, r.w.owner)
	}
	r.admitted = &seen
	return err
}

// StoreUsage is the usage of all agents of a tenant together, and their limits.
type StoreUsage struct {
	Totals
	Limits StoreLimits // a negative field sets no limit
}

// StoreUsage returns the present usage of all agents of the tenant together. Errors: those of the
// store.
func (s *Service) StoreUsage(ctx context.Context) (StoreUsage, error) {
	err := checkContext(ctx)
	var sum Totals
	if err == nil {
		sum, err = s.totals(ctx)
	}
	if err != nil {
		return StoreUsage{}, within("usage of", "store", err)
	}
	return StoreUsage{Totals: sum, Limits: s.total.limits}, nil
}
