package summarize

import (
	"sync"
	"time"
)

const (
	breakerFailures = 5
	breakerTime     = 30 * time.Second
)

// A mark is what a call tells about the provider.
type mark int

const (
	neither mark = iota // the call's own fault, or its caller left
	answers
	fails
)

// A breaker keeps calls from a provider that has failed often in a row: it opens
// for 30 s, then lets one call try. The zero value is closed. It is safe for
// concurrent use.
type breaker struct {
	mu       sync.Mutex // guards the rest
	failures int        // in a row
	until    time.Time  // open until then, and after it for all but one; zero: closed
	trying   bool       // that one is under way
	last     string     // failure, in our words: all agents are told of it
}

// enter asks for a call. Where it may be made, closed is true and leave must
// follow with the same trial; otherwise it returns how long the breaker stays open
// and the last failure.
func (b *breaker) enter(now time.Time) (trial, closed bool, wait time.Duration, last string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.until.IsZero():
		return false, true, 0, ""
	case now.Before(b.until):
		return false, false, b.until.Sub(now), b.last
	case b.trying:
		return false, false, time.Second, b.last
	}
	b.trying = true
	return true, true, 0, ""
}

// leave tells how a call went.
func (b *breaker) leave(trial bool, m mark, why string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.trying = false
	}
	switch m {
	case answers:
		b.failures, b.until, b.last = 0, time.Time{}, ""
	case fails:
		b.failures++
		b.last = why
		if trial || b.until.IsZero() && b.failures >= breakerFailures {
			b.until = now.Add(breakerTime)
		}
	}
}
