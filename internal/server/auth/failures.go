package auth

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/lru"
)

const (
	failuresEach = time.Minute
	maxFailures  = 10              // of an address or of a key, in that time
	maxAddresses = 16_384          // that are remembered, in about 3 MB
	turnTime     = 5 * time.Second // for a turn to come
)

// Failures count wrong credentials by the address that they come from: an address of
// IPv4, or the first 64 bits of one of IPv6. Ten wrong ones within a minute are too many.
// From then on, until one of the ten is a minute old, the unknown credentials of the
// address are looked up one at a time, and the wrong ones among them are told to come
// later. A right credential is never refused, because many people may share an address.
//
// Attempts that run at the same moment are all counted, but not held back. Failures
// remember 16,384 addresses, the last ones that failed or were looked up. They are safe
// for concurrent use, and never look at the store.
type Failures struct{ addresses *tally[netip.Prefix] }

// NewFailures returns Failures without any. nil for now is [time.Now].
func NewFailures(now func() time.Time) *Failures {
	if now == nil {
		now = time.Now
	}
	return &Failures{newTally[netip.Prefix](now, maxAddresses)}
}

// Enter is called before a credential is looked up that is not known yet, and leave after.
// It waits while another one is looked up for an address with too many failures. ok is
// false after five seconds, or when the context ends.
func (f *Failures) Enter(ctx context.Context, a netip.Addr) (leave func(), ok bool) {
	turn := f.addresses.turn(Network(a))
	if turn == nil {
		return func() {}, true
	}
	wait, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, true
	case <-wait.Done():
		return nil, false
	}
}

// Failed counts a wrong credential, unless the address has failed too often already: then
// counted is false. retryAfter is how long the address has failed too often, and 0 if it
// has not. A request without a credential is no failure, and neither are [ErrNoGuess] and
// [ErrUnavailable].
func (f *Failures) Failed(a netip.Addr) (retryAfter time.Duration, counted bool) {
	return f.addresses.add(Network(a))
}

// Network returns what one user of the net has: an address of IPv4, or the first 64 bits of
// one of IPv6. Addresses that are not valid share one.
func Network(a netip.Addr) netip.Prefix {
	a = a.Unmap()
	bits := 64
	if a.Is4() {
		bits = 32
	}
	p, _ := a.WithZone("").Prefix(bits)
	return p
}

// A tally counts failures of addresses, or of others.
type tally[K comparable] struct {
	now func() time.Time

	mu    sync.Mutex // guards table and what it has
	table *lru.Map[K, *failures]
}

// failures are the times of the last failures, in a ring.
type failures struct {
	at   [maxFailures]time.Time
	next int           // the oldest
	turn chan struct{} // has room for one; nil: it was not needed yet
}

func newTally[K comparable](now func() time.Time, most int) *tally[K] {
	return &tally[K]{now: now, table: lru.New[K, *failures](most)}
}

// tooMany returns for how long there were too many, 0 if there were not. The caller holds mu.
func (t *tally[K]) tooMany(f *failures) time.Duration {
	oldest := f.at[f.next]
	if oldest.IsZero() {
		return 0
	}
	return max(0, min(failuresEach-t.now().Sub(oldest), failuresEach))
}

func (t *tally[K]) isOver(k K) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.table.Get(k)
	return ok && t.tooMany(f) > 0
}

// turn returns a channel with room for the one whose turn it is, nil if nobody needs a turn.
func (t *tally[K]) turn(k K) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.table.Get(k)
	if !ok || t.tooMany(f) == 0 {
		return nil
	}
	if f.turn == nil {
		f.turn = make(chan struct{}, 1)
	}
	return f.turn
}

// add is [Failures.Failed].
func (t *tally[K]) add(k K) (retryAfter time.Duration, counted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.table.Get(k)
	if !ok {
		f = new(failures)
		t.table.Put(k, f)
	}
	if after := t.tooMany(f); after > 0 {
		return after, false
	}
	f.at[f.next] = t.now()
	f.next = (f.next + 1) % maxFailures
	return t.tooMany(f), true
}
