package mcpserver

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"
)

const (
	defaultMemory = 64 << 20
	leastMemory   = 1 << 20  // less leaves no lane that bounds anything
	smallCall     = 1 << 20  // what weighs no more never waits for what weighs more
	leastCall     = 16 << 10 // the weight of any call
	smallBody     = (smallCall - leastCall) / bodyFactor
	maxCalls      = 1024 // with the SDK at once, where each takes some 64 KiB; others wait outside
	maxWaiting    = 512  // of these, that wait to read much; others are told to try again
)

// A budget bounds the memory of all calls together. A request takes its parts in this
// order, and may leave one out:
//
//  1. bytes of arrivals, while its body arrives and until it has a weight
//  2. a place among calls, over HTTP
//  3. a weight in one of the lanes
//  4. a place among diffs
//
// A request never waits for a part while it holds a later one. A call that needs
// more weight in a lane gives its weight back before it waits. So whoever holds a
// weight or a diff's place is at work, and ends.
type budget struct {
	small, large             lane
	smallBodies, largeBodies arrivals            // so that small ones do not wait for large ones
	diffs                    *semaphore.Weighted // a place for each processor
	calls                    *semaphore.Weighted // over HTTP
	waiting                  *semaphore.Weighted // over HTTP; fewer than calls, so that small ones have places
}

func newBudget(total int64) *budget {
	return &budget{
		small: newLane(total / 4), large: newLane(total - total/4 - total/8),
		smallBodies: arrivals{free: total / 32}, largeBodies: arrivals{free: total/8 - total/32},
		diffs: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))),
		calls: semaphore.NewWeighted(maxCalls), waiting: semaphore.NewWeighted(maxWaiting),
	}
}

// arrival returns the account of a body of so many bytes. One whose length is not
// known, which is -1, counts as large.
func (b *budget) arrival(bytes int64) *arrival {
	if 0 <= bytes && bytes <= smallBody {
		return &arrival{in: &b.smallBodies}
	}
	return &arrival{in: &b.largeBodies}
}

// errFull says that there is no memory for a call, after a wait or at once.
var errFull = errors.New("the server is at its memory limit; try again")

// takeSoon is take for a request over HTTP. Where too many wait for much already, it
// returns errFull at once.
func (b *budget) takeSoon(ctx context.Context, c *charge, weight int64) error {
	if weight > smallCall {
		if !b.waiting.TryAcquire(1) {
			return errFull
		}
		defer b.waiting.Release(1)
	}
	return c.take(ctx, weight)
}

// A lane serves in the order of arrival.
type lane struct {
	size int64
	*semaphore.Weighted
}

func newLane(size int64) lane { return lane{size, semaphore.NewWeighted(size)} }

// A charge is what one request holds of the budget, until its answer is written.
// It is safe for concurrent use.
type charge struct {
	b *budget

	mu     sync.Mutex // guards the following
	users  int        // who still need it: the carrier of the request, and its call
	lane   *lane      // nil: the weight is 0
	weight int64
}

func (b *budget) open() *charge { return &charge{b: b, users: 1} }

// join adds a user. It reports false when all have left.
func (c *charge) join() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == 0 {
		return false
	}
	c.users++
	return true
}

// leave gives everything back when the last user leaves.
func (c *charge) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users--; c.users == 0 {
		c.releaseLocked()
	}
}

func (c *charge) releaseLocked() {
	if c.lane != nil {
		c.lane.Release(c.weight)
	}
	c.lane, c.weight = nil, 0
}

// take waits until the charge has a weight, which replaces the one before. What is
// larger than its lane takes all of it. A charge in the large lane keeps what it
// has: who waited there a second time could wait for itself, so the first time
// must be for all that follows.
func (c *charge) take(ctx context.Context, weight int64) error {
	c.mu.Lock()
	if c.lane == &c.b.large || weight <= c.weight {
		c.mu.Unlock()
		return nil
	}
	c.releaseLocked()
	c.mu.Unlock()
	to := &c.b.large
	if weight <= smallCall {
		to = &c.b.small
	}
	weight = min(weight, to.size)
	if err := to.Acquire(ctx, weight); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lane, c.weight = to, weight; c.users == 0 {
		c.releaseLocked()
	}
	return nil
}

// shrink gives back what is over a weight.
func (c *charge) shrink(weight int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lane != nil && weight < c.weight {
		c.lane.Release(c.weight - weight)
		c.weight = weight
	}
}

// arrivals bounds the bytes of bodies that are not complete. When they take all
// there is, one of them may still grow, the one that waits longest: so that one
// gets complete at any time, however many halves there are.
type arrivals struct {
	mu      sync.Mutex // guards the following
	free    int64
	elder   *arrival
	waiting []*growth // the longest wait first
}

// An arrival is what one body holds.
type arrival struct {
	in   *arrivals
	held int64 // guarded by in.mu
}

type growth struct {
	of      *arrival
	bytes   int64
	granted chan struct{}
}

// grow waits until the body may hold so many bytes more.
func (a *arrival) grow(ctx context.Context, bytes int64) error {
	g := &growth{a, bytes, make(chan struct{})}
	in := a.in
	in.mu.Lock()
	in.waiting = append(in.waiting, g)
	if in.elder == a { // nobody waits before it
		in.waiting = in.waiting[:len(in.waiting)-1]
		close(g.granted)
	}
	in.serve()
	in.mu.Unlock()
	select {
	case <-g.granted:
		return nil
	case <-ctx.Done():
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, w := range in.waiting {
		if w == g {
			in.waiting = append(in.waiting[:i:i], in.waiting[i+1:]...)
			in.serve()
			break
		}
	}
	return ctx.Err() // what was granted meanwhile is given back with the rest
}

// serve grants what it can, in order. The caller holds mu.
func (in *arrivals) serve() {
	for len(in.waiting) > 0 {
		g := in.waiting[0]
		switch {
		case g.bytes <= in.free:
			in.free -= g.bytes
			g.of.held += g.bytes
		case in.elder == nil:
			in.elder = g.of // beside the bound
		default:
			return
		}
		close(g.granted)
		in.waiting = in.waiting[1:]
	}
}

// end gives back all that the body holds.
func (a *arrival) end() {
	a.in.mu.Lock()
	defer a.in.mu.Unlock()
	a.in.free += a.held
	a.held = 0
	if a.in.elder == a {
		a.in.elder = nil
	}
	a.in.serve()
}
