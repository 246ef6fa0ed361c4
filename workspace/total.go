package workspace

import (
	"cmp"
	"context"
	"errors"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/floors"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/quota"
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

// readTotal tells a write how many bytes the store holds, as of the last five seconds.
func (s *Service) readTotal(ctx context.Context, a *attempt) error {
	if a.deletes {
		return nil
	}
	n, err := s.total.Bytes(ctx)
	a.storeBytes = n
	return beforeStart(err)
}

// checkRoom refuses a change that takes the agent further over one of its limits, or the
// store further over its limit of bytes.
func (s *Service) checkRoom(a *attempt, before, after OwnerState) error {
	if err := s.limits.checkQuota(before, after); err != nil || a.deletes {
		return err
	}
	return s.total.CheckBytes(a.storeBytes, quota.Charged(after)-quota.Charged(before))
}

// admit lets an agent that holds nothing write, if the store has room for one more
// agent. It does not refuse a deletion, but then the deletion leaves no trace of the
// agent. The caller holds the turn of admitting until the agent has written.
func (s *Service) admit(ctx context.Context, o Owner, a *attempt) error {
	err := s.total.CheckAgents(ctx)
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
	floor, err := floors.Of(ctx, s.store, o)
	if err == nil {
		a.floor = &floor
	}
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
	sum, err := s.store.Totals(ctx, s.tenant)
	if err != nil {
		return StoreUsage{}, within("usage of", "store", err)
	}
	return StoreUsage{Totals: sum, Limits: StoreLimits(s.total.Limits)}, nil
}
