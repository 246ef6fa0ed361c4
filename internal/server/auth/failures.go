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
	lookupTime   = 5 * time.Second // to wait for a lookup
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
type Failures struct {
	now func() time.Time

	mu    sync.Mutex // guards table and what it has
	table *lru.Map[netip.Prefix, *failures]
}

// NewFailures returns Failures without any. nil for now is [time.Now].
func NewFailures(now func() time.Time) *Failures {
	if now == nil {
		now = time.Now
	}
	return &Failures{now: now, table: lru.New[netip.Prefix, *failures](maxAddresses)}
}

// Enter is called before a credential is looked up that is not known yet, and leave after.
// It waits while another one is looked up for an address with too many failures. ok is
// false after five seconds, or when the context ends.
func (f *Failures) Enter(ctx context.Context, a netip.Addr) (leave func(), ok bool) {
	lookup := f.lookup(Network(a))
	if lookup == nil {
		return func() {}, true
	}
	wait, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	select {
	case lookup <- struct{}{}:
		return func() { <-lookup }, true
	case <-wait.Done():
		return nil, false
	}
}

// Failed counts a wrong credential, unless the address has failed too often already: then
// counted is false. retryAfter is how long the address has failed too often, and 0 if it
// has not. A request without a credential is no failure, and neither are [ErrNoGuess] and
// [ErrUnavailable].
func (f *Failures) Failed(a netip.Addr) (retryAfter time.Duration, counted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of, ok := f.table.Get(Network(a))
	if !ok {
		of = new(failures)
		f.table.Put(Network(a), of)
	}
	if after := f.tooMany(of); after > 0 {
		return after, false
	}
	of.at[of.next] = f.now()
	of.next = (of.next + 1) % maxFailures
	return f.tooMany(of), true
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

// failures are the times of the last failures, in a ring.
type failures struct {
	at     [maxFailures]time.Time
	next   int           // the oldest
	lookup chan struct{} // has room for one; nil: it was not needed yet
}

// tooMany returns for how long there were too many, 0 if there were not. The caller holds mu.
func (f *Failures) tooMany(of *failures) time.Duration {
	oldest := of.at[of.next]
	if oldest.IsZero() {
		return 0
	}
	return max(0, min(failuresEach-f.now().Sub(oldest), failuresEach))
}

// lookup returns a channel with room for the one credential that is looked up, nil if all may be.
func (f *Failures) lookup(network netip.Prefix) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	of, ok := f.table.Get(network)
	if !ok || f.tooMany(of) == 0 {
		return nil
	}
	if of.lookup == nil {
		of.lookup = make(chan struct{}, 1)
	}
	return of.lookup
}
