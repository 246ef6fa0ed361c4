package mcpserver

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/arrival"
)

const (
	defaultMemory = 64 << 20
	leastMemory   = 1 << 20  // with less, the lanes are too small to limit anything
	smallCall     = 1 << 20  // a call of this weight or less never waits for a heavier one
	leastCall     = 16 << 10 // the weight of the lightest call
	smallBody     = (smallCall - leastCall) / bodyFactor
	maxCalls      = 1024 // at once, each of which takes about 64 KiB in the SDK; other calls wait outside
	maxWaiting    = 512  // calls among them that wait to read much; more are told to try again
)

// A budget limits the memory of all calls together. A request takes the parts of the
// budget in this order, and may leave one out:
//
//  1. bytes of arrivals, while its body arrives and until it has a weight
//  2. a place among calls, over HTTP
//  3. a weight in one of the lanes
//  4. a place among heavy
//  5. a place among reads
//
// A request never waits for a part while it holds a later one. A call that needs more
// weight in a lane gives its weight back before it waits. So a call that holds a weight
// or a place is working, and will end. On stdio, writes hold a weight while they wait for a
// write before them, but no write waits for more weight.
type budget struct {
	small, large             lane
	smallBodies, largeBodies *arrival.Limit      // two, so that small bodies do not wait for large ones
	reads, heavy             *semaphore.Weighted // see maxReads and maxHeavy
	calls                    *semaphore.Weighted // over HTTP
	waiting                  *semaphore.Weighted // over HTTP; fewer than calls, so that small calls always have places
	refused                  atomic.Uint64       // calls for which there was no memory
}

func newBudget(total int64) *budget {
	return &budget{
		small: newLane(total / 4), large: newLane(total - total/4 - total/8),
		smallBodies: arrival.NewLimit(total / 32), largeBodies: arrival.NewLimit(total/8 - total/32),
		reads: semaphore.NewWeighted(maxReads), heavy: semaphore.NewWeighted(maxHeavy),
		calls: semaphore.NewWeighted(maxCalls), waiting: semaphore.NewWeighted(maxWaiting),
	}
}

// arrival returns the account of a body of the given length, from a group of callers. A
// length of -1 is unknown, and counts as large. "" is no group.
func (b *budget) arrival(bytes int64, group string) *arrival.Body {
	if 0 <= bytes && bytes <= smallBody {
		return b.smallBodies.Open(group)
	}
	return b.largeBodies.Open(group)
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
	return b.small.held.Load() + b.large.held.Load() + b.smallBodies.Held() + b.largeBodies.Held()
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
	if c.tryTake(weight) {
		return nil
	}
	c.mu.Lock()
	c.releaseLocked()
	c.mu.Unlock()
	to, weight := c.b.laneOf(weight)
	if err := to.Acquire(ctx, weight); err != nil {
		return err
	}
	to.held.Add(weight)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setLocked(to, weight)
	return nil
}

// tryTake is take if it need not wait. Else it does nothing and returns false.
func (c *charge) tryTake(weight int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	to, weight := c.b.laneOf(weight)
	if c.lane == &c.b.large || weight <= c.weight {
		return true
	}
	if !to.TryAcquire(weight) {
		return false
	}
	to.held.Add(weight)
	c.releaseLocked()
	c.setLocked(to, weight)
	return true
}

func (c *charge) setLocked(to *lane, weight int64) {
	if c.lane, c.weight = to, weight; c.users == 0 {
		c.releaseLocked()
	}
}

// laneOf returns the lane for a weight, and what the weight is there.
func (b *budget) laneOf(weight int64) (*lane, int64) {
	to := &b.large
	if weight <= smallCall {
		to = &b.small
	}
	return to, min(weight, to.size)
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
