package mcpserver

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
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
//  2. a place among calls, if it is one
//  3. a weight in one of the lanes
//  4. a place among heavy
//  5. a place among reads
//
// A request never waits for a part while it holds a later one. A call that needs more
// weight in a lane gives its weight back before it waits. So a call that holds a weight
// or a place is working, and will end. On stdio, writes hold a weight while they wait for a
// write before them, but no write waits for more weight.
type budget struct {
	small, large             *admission.Semaphore // the lanes
	smallBodies, largeBodies *admission.Semaphore // two, so that small bodies do not wait for large ones
	reads, heavy             *admission.Semaphore // see maxReads and maxHeavy
	calls                    *admission.Semaphore
	waiting                  *admission.Semaphore // over HTTP; fewer than calls, so that small calls always have places
	refused                  atomic.Uint64        // calls for which there was no memory
}

func newBudget(total int64) *budget {
	limit := func(size int64) *admission.Semaphore { return admission.New(size, size) }
	shared := func(size int64) *admission.Semaphore { return admission.New(size, size/2) }
	return &budget{
		small: limit(total / 4), large: limit(total - total/4 - total/8),
		smallBodies: shared(total / 32), largeBodies: shared(total/8 - total/32),
		reads: limit(maxReads), heavy: limit(maxHeavy), calls: limit(maxCalls), waiting: limit(maxWaiting),
	}
}

// arrival returns the part of a body of the given length, from a group of callers. A
// length of -1 is unknown, and counts as large. "" is no group.
func (b *budget) arrival(bytes int64, group string) *admission.Part {
	if 0 <= bytes && bytes <= smallBody {
		return b.smallBodies.Open(group)
	}
	return b.largeBodies.Open(group)
}

// errFull says that there is no memory for a call. Some calls wait before they get it.
var errFull = errors.New("the server is at its memory limit; try again")

// held returns the bytes that calls hold.
func (b *budget) held() int64 {
	return b.small.Held() + b.large.Held() + b.smallBodies.Held() + b.largeBodies.Held()
}

// lane returns the lane for a weight. A lane serves calls in the order in which they arrive.
func (b *budget) lane(weight int64) *admission.Semaphore {
	if weight <= smallCall {
		return b.small
	}
	return b.large
}

// A charge is the part of the budget that one request holds until its answer is
// written. It is safe for concurrent use.
type charge struct {
	b    *budget
	seen *observation // of the call; nil: there is no call

	mu    sync.Mutex // guards the following
	users int        // that still need it: the carrier of the request, and its call
	lane  *admission.Semaphore
	part  *admission.Part // of the lane; nil: the weight is 0
}

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
		c.part.Leave()
	}
	c.mu.Unlock()
	if last {
		c.seen.over()
	}
}

// take waits until the charge has the given weight in place of the one before. A weight
// that is larger than its lane takes the whole lane. A charge in the large lane keeps
// the weight that it has: if it waited there again, it could wait for itself. So the
// first take in the large lane must ask for all that follows.
func (c *charge) take(ctx context.Context, weight int64) error {
	if c.tryTake(weight) {
		return nil
	}
	c.set(nil, nil)
	lane := c.b.lane(weight)
	part, err := lane.Take(ctx, "", weight)
	if err == nil {
		c.set(lane, part)
	}
	return err
}

// tryTake is take if it need not wait. Else it does nothing and returns false.
func (c *charge) tryTake(weight int64) bool {
	lane := c.b.lane(weight)
	c.mu.Lock()
	enough := c.lane == c.b.large || min(weight, lane.Size()) <= c.part.Weight()
	c.mu.Unlock()
	if enough {
		return true
	}
	part, ok := lane.TryTake("", weight)
	if ok {
		c.set(lane, part)
	}
	return ok
}

// set puts a part of a lane in the place of the one before.
func (c *charge) set(lane *admission.Semaphore, part *admission.Part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.part.Leave()
	if c.lane, c.part = lane, part; c.users == 0 {
		c.part.Leave()
	}
}

// shrink gives back all above the given weight.
func (c *charge) shrink(weight int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.part.Shrink(weight)
}
