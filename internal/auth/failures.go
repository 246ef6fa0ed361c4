package auth

import (
	"net/netip"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/lru"
)

const (
	failuresEach = time.Minute
	maxFailures  = 10     // of an address, in that time
	maxAddresses = 16_384 // that are remembered, in about 3 MB
)

// Failures count wrong credentials by the address that they come from: an address of
// IPv4, or the first 64 bits of one of IPv6. An address with ten of them within a minute
// is blocked until one of the ten is a minute old. Attempts that run at the same moment
// are all counted, but not stopped. Failures remember 16,384 addresses, the last ones
// that failed or were looked up. They are safe for concurrent use, and never look at the
// store.
type Failures struct {
	now func() time.Time

	mu    sync.Mutex // guards table
	table *lru.Map[netip.Prefix, *failures]
}

// failures are the times of the last failures, in a ring.
type failures struct {
	at   [maxFailures]time.Time
	next int // the oldest
}

// NewFailures returns Failures without any. nil for now is [time.Now].
func NewFailures(now func() time.Time) *Failures {
	if now == nil {
		now = time.Now
	}
	return &Failures{now: now, table: lru.New[netip.Prefix, *failures](maxAddresses)}
}

// Blocked reports whether an address is blocked, and for how long still. Whoever is
// blocked is refused with any credential.
func (f *Failures) Blocked(a netip.Addr) (retryAfter time.Duration, blocked bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.table.Get(network(a))
	if !ok {
		return 0, false
	}
	oldest := found.at[found.next]
	if oldest.IsZero() {
		return 0, false
	}
	if age := f.now().Sub(oldest); age < failuresEach {
		return min(failuresEach-age, failuresEach), true
	}
	return 0, false
}

// Failed counts a wrong credential. A request without a credential is none, and neither
// is [ErrUnavailable].
func (f *Failures) Failed(a netip.Addr) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, ok := f.table.Get(network(a))
	if !ok {
		found = new(failures)
		f.table.Put(network(a), found)
	}
	found.at[found.next] = f.now()
	found.next = (found.next + 1) % maxFailures
}

// network returns what one user of the net has. Addresses that are not valid share one.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap()
	bits := 64
	if a.Is4() {
		bits = 32
	}
	p, _ := a.WithZone("").Prefix(bits)
	return p
}
