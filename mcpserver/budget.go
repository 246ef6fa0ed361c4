package mcpserver

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

const (
	defaultMemory = 64 << 20
	leastMemory   = 1 << 20  // with less, the lanes are too small to limit anything
	smallCall     = 1 << 20  // a call of this weight or less never waits for a heavier one
	leastCall     = 16 << 10 // the weight of the lightest call
	smallBody     = (smallCall - leastCall) / bodyFactor
	maxCalls      = 1024 // in the SDK at once, where each takes about 64 KiB; other calls wait outside
	maxWaiting    = 512  // calls among them that wait to read much; more are told to try again
)

// A budget limits the memory of all calls together. A request takes the parts of the
// budget in this order, and may leave one out:
//
//  1. bytes of arrivals, while its body arrives and until it has a weight
//  2. a place among calls, over HTTP
//  3. a weight in one of the lanes
//  4. a place among diffs
//
// A request never waits for a part while it holds a later one. A call that needs more
// weight in a lane gives its weight back before it waits. So a call that holds a weight
// or a place for a diff is working, and will end.
type budget struct {
	small, large             lane
	smallBodies, largeBodies arrivals            // two, so that small bodies do not wait for large ones
	diffs                    *semaphore.Weighted // a place for each processor
	calls                    *semaphore.Weighted // over HTTP
	waiting                  *semaphore.Weighted // over HTTP; fewer than calls, so that small calls always have places
	refused                  atomic.Uint64       // calls for which there was no memory
}

func newBudget(total int64) *budget {
	return &budget{
		small: newLane(total / 4), large: newLane(total - total/4 - total/8),
		smallBodies: newArrivals(total / 32), largeBodies: newArrivals(total/8 - total/32),
		diffs: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))),
		calls: semaphore.NewWeighted(maxCalls), waiting: semaphore.NewWeighted(maxWaiting),
	}
}

// arrival returns the account of a body of the given length, from a group of callers. A
// length of -1 is unknown, and counts as large. "" is no group.
func (b *budget) arrival(bytes int64, group string) *arrival {
	if 0 <= bytes && bytes <= smallBody {
		return &arrival{in: &b.smallBodies, group: group}
	}
	return &arrival{in: &b.largeBodies, group: group}
}

// errFull says that there is no memory for a call. Some calls wait before they get it.
var errFull = errors.New("the server is at its memory limit; try again")

// takeSoon is take for a request over HTTP. It returns errFull at once if too many
// calls already wait for a large weight.
func (b *budget) takeSoon(ctx context.Context, c *charge, weight int64) error {
	if weight > smallCall {
		if !b.waiting.TryAcquire(1) {
			return errFull
		}
		defer b.waiting.Release(1)
	}
	return c.take(ctx, weight)
}

// A lane serves calls in the order in which they arrive.
type lane struct {
	size int64
	held *atomic.Int64
	*semaphore.Weighted
}

func newLane(size int64) lane { return lane{size, new(atomic.Int64), semaphore.NewWeighted(size)} }

func (l lane) give(weight int64) {
	l.held.Add(-weight)
	l.Release(weight)
}

// held returns the bytes that calls hold.
func (b *budget) held() int64 {
	return b.small.held.Load() + b.large.held.Load() + b.smallBodies.held() + b.largeBodies.held()
}

// A charge is the part of the budget that one request holds until its answer is
// written. It is safe for concurrent use.
type charge struct {
	b      *budget
	seen   *observation    // of the call; nil: there is no call
	values context.Context // for the call; nil: those of the request

	mu     sync.Mutex // guards the following
	users  int        // that still need it: the carrier of the request, and its call
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
	c.users--
	last := c.users == 0
	if last {
		c.releaseLocked()
	}
	c.mu.Unlock()
	if last {
		c.seen.over()
	}
}

func (c *charge) releaseLocked() {
	if c.lane != nil {
		c.lane.give(c.weight)
	}
	c.lane, c.weight = nil, 0
}

// take waits until the charge has the given weight in place of the one before. A weight
// that is larger than its lane takes the whole lane. A charge in the large lane keeps
// the weight that it has: if it waited there again, it could wait for itself. So the
// first take in the large lane must ask for all that follows.
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
	to.held.Add(weight)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lane, c.weight = to, weight; c.users == 0 {
		c.releaseLocked()
	}
	return nil
}

// shrink gives back all above the given weight.
func (c *charge) shrink(weight int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lane != nil && weight < c.weight {
		c.lane.give(c.weight - weight)
		c.weight = weight
	}
}

// arrivals limits the bytes of incomplete bodies. When they have used all of it, one of
// them may still grow, the one that has waited longest. So one body always gets
// complete, however many incomplete ones there are. The bodies of a group have half of it
// at most. So a group whose bodies never get complete leaves half to others.
type arrivals struct {
	size int64

	mu      sync.Mutex // guards the following
	free    int64
	groups  map[string]int64 // the bytes of each that has any
	elder   *arrival
	waiting []*growth // the one that has waited longest first
}

func newArrivals(size int64) arrivals {
	return arrivals{size: size, free: size, groups: map[string]int64{}}
}

func (in *arrivals) held() int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.size - in.free
}

// An arrival is the account of one body.
type arrival struct {
	in    *arrivals
	group string
	held  int64 // guarded by in.mu
}

type growth struct {
	of      *arrival
	bytes   int64
	granted chan struct{}
}

// grow waits until the body may hold the given bytes more.
func (a *arrival) grow(ctx context.Context, bytes int64) error {
	g := &growth{a, bytes, make(chan struct{})}
	in := a.in
	in.mu.Lock()
	in.waiting = append(in.waiting, g)
	if in.elder == a { // it never waits
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
	return ctx.Err() // bytes that were granted meanwhile are given back with the rest
}

// serve grants what it can, in order. Only bodies of a group that has its half let others
// pass. The caller holds mu.
func (in *arrivals) serve() {
	var full []*growth // of groups that have their half
	for i, g := range in.waiting {
		a := g.of
		over := a.group != "" && in.groups[a.group]+g.bytes > in.size/2
		switch {
		case g.bytes <= in.free && !over:
			in.free -= g.bytes
			a.held += g.bytes
			in.groups[a.group] += g.bytes
		case in.elder == nil:
			in.elder = a // may exceed the limits
		case over:
			full = append(full, g)
			continue
		default:
			in.waiting = append(full, in.waiting[i:]...)
			return
		}
		close(g.granted)
	}
	in.waiting = full
}

// end gives back all bytes that the body holds.
func (a *arrival) end() {
	a.in.mu.Lock()
	defer a.in.mu.Unlock()
	a.in.free += a.held
	if a.in.groups[a.group] -= a.held; a.in.groups[a.group] == 0 {
		delete(a.in.groups, a.group)
	}
	a.held = 0
	if a.in.elder == a {
		a.in.elder = nil
	}
	a.in.serve()
}
