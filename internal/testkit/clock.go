package testkit

import (
	"sync"
	"time"
)

// Start is the time that the clock of [NewClock] shows at first.
var Start = time.Date(2026, 11, 21, 4, 50, 0, 0, time.UTC)

// A Clock moves only when the test advances it. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

// NewClock returns a clock that stands at [Start].
func NewClock() *Clock { return ClockAt(Start) }

// ClockAt returns a clock that stands at the given time.
func ClockAt(t time.Time) *Clock { return &Clock{now: t} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward, or back if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
