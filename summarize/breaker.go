package summarize

import (
	"sync"
	"time"
)

const (
	breakerFailures = 5
	breakerTime     = 30 * time.Second
)

// A mark says what a call showed about the provider.
type mark int

const (
	neither mark = iota // nothing: the request was wrong, or its caller stopped it
	answers             // it answers
	fails               // it fails
)

// A breaker stops calls to a provider that has failed several times in a row. It
// opens for 30 s, then lets one call through to try. The zero value is closed. It is
// safe for concurrent use.
type breaker struct {
	mu       sync.Mutex // guards the rest
	failures int        // in a row
	until    time.Time  // open until then; then one call may try. Zero means closed
	trying   bool       // the one call is under way
	last     string     // the last failure, without words of the provider: all agents see it
}

// enter asks whether a call may be made. If closed is true it may, and leave must
// be called after it with the same trial. Otherwise enter returns how long the
// breaker stays open, and the last failure.
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

// leave records how a call went.
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
