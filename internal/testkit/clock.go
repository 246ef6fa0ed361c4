package testkit

import (
	"sync"
	"time"
)

// Start is when the clock of [NewClock] stands at first.
var Start = time.Date(2026, 11, 21, 4, 50, 0, 0, time.UTC)

// A Clock stands still except for what the test does to it. It is safe for
// concurrent use.
type Clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

// NewClock returns a clock that stands at [Start].
func NewClock() *Clock { return ClockAt(Start) }

// ClockAt returns a clock that stands at the given time.
func ClockAt(t time.Time) *Clock { return &Clock{now: t} }

// Now returns the time at which the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock, back if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
