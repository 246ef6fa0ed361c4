package workspace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// StoreLimits bound the agents of a tenant together. A zero field takes its
// default; a negative one sets no bound.
//
// They are not exact, because agents share no row: processes whose agents write for
// the first time at the same moment can exceed Agents by one each, and Bytes can be
// exceeded by what is written within five seconds. What is over a limit stays.
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
	if l.Agents == 0 {
		l.Agents = d.Agents
	}
	if l.Bytes == 0 {
		l.Bytes = d.Bytes
	}
	return l
}

// totalAge is how long a sum of what all agents have is used.
const totalAge = 5 * time.Second

// storeTotal is what all agents have, and the limits of that.
type storeTotal struct {
	limits StoreLimits
	new    chan struct{} // holds a token while an agent writes for the first time

	adding chan struct{} // holds a token while somebody adds up

	mu    sync.Mutex // guards the following
	known bool
	at    time.Time
	bytes int64
}

func newStoreTotal(l StoreLimits) storeTotal {
	return storeTotal{limits: l.withDefaults(), new: make(chan struct{}, 1), adding: make(chan struct{}, 1)}
}

// weigh tells a write how many bytes the store holds, as of the last five
// seconds. Of those who ask at once one adds up, and the others take the sum before:
// they wait only for the first one.
func (s *Service) weigh(ctx context.Context, a *attempt) error {
	t := &s.total
	if t.limits.Bytes < 0 || a.deletes {
		return nil
	}
	known, fresh := t.last(s.now(), a)
	if fresh {
		return nil
	}
	select {
	case t.adding <- struct{}{}:
	default:
		if known {
			return nil
		}
		if err := enter(ctx, t.adding); err != nil {
			return err
		}
	}
	defer func() { <-t.adding }()
	if _, fresh := t.last(s.now(), a); fresh {
		return nil
	}
	sum, err := s.store.Totals(ctx, s.tenant)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.known, t.at, t.bytes = true, s.now(), sum.Charged()
	t.mu.Unlock()
	a.total = sum.Charged()
	return nil
}

// last gives a write the last sum. It is fresh for five seconds, unless the clock
// was set back since.
func (t *storeTotal) last(now time.Time, a *attempt) (known, fresh bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a.total = t.bytes
	age := now.Sub(t.at)
	return t.known, t.known && age >= 0 && age < totalAge
}

// checkRoom refuses a change that takes the agent further over a limit of its
// own, or the store further over the one of all agents.
func (s *Service) checkRoom(a *attempt, before, after OwnerState) error {
	if err := s.limits.checkQuota(before, after); err != nil {
		return err
	}
	limit, adds := s.total.limits.Bytes, after.charged()-before.charged()
	if limit < 0 || a.deletes || adds <= 0 || a.total+adds <= limit {
		return nil
	}
	return fmt.Errorf("all agents of this store use %d bytes of %d, this write adds %d: ask the operator to delete agents or to raise --max-total-bytes: %w",
		a.total, limit, adds, ErrQuota)
}

// admit lets an agent that holds nothing begin, if the store has room for one more.
// A deletion is not refused, but leaves no trace of such an agent. The caller is
// the only one of this process who has an agent admitted, until it has written.
func (s *Service) admit(ctx context.Context, o Owner, a *attempt) error {
	err := s.roomForAgent(ctx)
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
	// It is read after the row was seen to be missing, and so after the record was
	// raised to the numbers of that row.
	floor, err := s.floorOf(ctx, o)
	if err == nil {
		a.floor = &floor
	}
	return err
}

func (s *Service) roomForAgent(ctx context.Context) error {
	limit := s.total.limits.Agents
	if limit < 0 {
		return nil
	}
	sum, err := s.store.Totals(ctx, s.tenant)
	if err == nil && sum.Agents >= limit {
		err = fmt.Errorf("agent limit of this store reached (%d of %d), and this agent would be new: use an agent_id that is there, or ask the operator to delete agents or to raise --max-agents: %w",
			sum.Agents, limit, ErrQuota)
	}
	return err
}

// enter waits for the only place in a room, no longer than the context lasts.
func enter(ctx context.Context, room chan struct{}) error {
	select {
	case room <- struct{}{}:
		return nil
	default:
	}
	select {
	case room <- struct{}{}:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("the deadline came before it could begin, nothing happened; try again: %w: %w", ErrBusy, ctx.Err())
		}
		return ctx.Err()
	}
}

// Totals are sums over the agents of a tenant.
type Totals struct {
	Agents                                          int64 // that hold anything
	Files, Logs, Entries, Versions, Requests, Bytes int64
}

// Charged returns the bytes that count against [StoreLimits.Bytes]: those of the
// content, and the charge for its rows.
func (t Totals) Charged() int64 {
	s := OwnerState{Usage: Usage{Files: t.Files, Logs: t.Logs, Entries: t.Entries, Bytes: t.Bytes}, Versions: t.Versions, Requests: t.Requests}
	return s.charged()
}

// StoreUsage is what all agents have, and the limits of that.
type StoreUsage struct {
	Totals
	Limits StoreLimits // a negative one sets no bound
}

// StoreUsage returns what all agents have, as it is now. Errors: those of the store.
func (s *Service) StoreUsage(ctx context.Context) (StoreUsage, error) {
	if err := checkContext(ctx, "usage of", "store"); err != nil {
		return StoreUsage{}, err
	}
	sum, err := s.store.Totals(ctx, s.tenant)
	if err != nil {
		return StoreUsage{}, within("usage of", "store", err)
	}
	return StoreUsage{Totals: sum, Limits: s.total.limits}, nil
}
