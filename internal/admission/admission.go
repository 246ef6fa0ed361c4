// Package admission is a weighted semaphore that is fair between groups. It decides whether a
// call may have memory or a place now, and whether its caller leaves room for others.
package admission

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
)

// ErrShare says that a call waited for other calls of its own group, which has its share.
var ErrShare = errors.New("the other calls of the group have its share")

// A Semaphore limits what calls have at the same time, such as bytes or places. Calls wait in
// line, and none passes another. A group of callers gets a share at most. Beyond that its calls
// wait for each other, outside the line, so that the calls of other groups pass. A Semaphore is
// safe for concurrent use.
type Semaphore struct {
	size, share int64

	mu     sync.Mutex // guards the following, and the parts
	held   int64
	groups map[string]int64 // what the calls of each have, and what those in line wait for
	line   []*waiter        // the first comes first
	crowd  []*waiter        // those outside the line; the first comes first
	elder  *Part            // may grow beyond the limits; nil: there is none
}

// A waiter is a call that waits.
type waiter struct {
	of      *Part
	weight  int64
	grows   bool
	granted chan struct{}
}

// New returns a semaphore. A group has at most the share. A group that holds nothing may take one
// part that is larger. The group "" has no limit of its own.
func New(size, share int64) *Semaphore {
	return &Semaphore{size: size, share: share, groups: map[string]int64{}}
}

// A Part is what one call has of a Semaphore. A nil Part has nothing.
type Part struct {
	Waited bool // others had to leave first

	of    *Semaphore
	group string
	held  int64 // guarded by of.mu
}

// Take waits for a part of a weight, until Leave. A weight over the size takes all there is. If
// ctx ends before, the error is [ErrShare] while the group has its share, and else that of ctx.
// What is there at once is given even if ctx has ended.
func (s *Semaphore) Take(ctx context.Context, group string, weight int64) (*Part, error) {
	p := s.Open(group)
	if err := p.wait(ctx, min(weight, s.size), false); err != nil {
		p.Leave()
		return nil, err
	}
	return p, nil
}

// TryTake is Take if no call has to leave first. Otherwise ok is false.
func (s *Semaphore) TryTake(group string, weight int64) (p *Part, ok bool) {
	p = s.Open(group)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.enter(p, min(weight, s.size), false)
	if s.withdraw(t) {
		return nil, false
	}
	return p, true
}

// Open returns a part without weight, which can grow.
func (s *Semaphore) Open(group string) *Part { return &Part{of: s, group: group} }

// Grow waits until the part may have more. So that parts do not wait for each other for ever,
// the one that has waited longest may exceed the size and the share until it leaves. The errors
// are those of Take. After an error the part keeps what it has.
func (p *Part) Grow(ctx context.Context, more int64) error { return p.wait(ctx, more, true) }

func (p *Part) wait(ctx context.Context, weight int64, grows bool) error {
	s := p.of
	s.mu.Lock()
	t := s.enter(p, weight, grows)
	s.mu.Unlock()
	select {
	case <-t.granted:
		return nil
	default:
		p.Waited = true
	}
	select {
	case <-t.granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	crowded := slices.Contains(s.crowd, t)
	s.withdraw(t) // if it was granted meanwhile, the part has the weight until it leaves
	if crowded {
		return ErrShare
	}
	return ctx.Err()
}

// Shrink gives back all but some weight, and returns how much the part keeps.
func (p *Part) Shrink(weight int64) (kept int64) {
	if p == nil {
		return 0
	}
	s := p.of
	s.mu.Lock()
	defer s.mu.Unlock()
	kept = min(p.held, weight)
	s.held -= p.held - kept
	s.count(p.group, kept-p.held)
	p.held = kept
	s.serve()
	return kept
}

// Weight returns what the part has.
func (p *Part) Weight() int64 { return p.Shrink(math.MaxInt64) }

// Leave gives back everything. A second call does nothing.
func (p *Part) Leave() {
	if p == nil {
		return
	}
	p.of.mu.Lock()
	if p.of.elder == p {
		p.of.elder = nil
	}
	p.of.mu.Unlock()
	p.Shrink(0)
}

// Size returns what there is for all calls.
func (s *Semaphore) Size() int64 { return s.size }

// Share returns what a group may have.
func (s *Semaphore) Share() int64 { return s.share }

// Held returns what all calls have.
func (s *Semaphore) Held() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// The caller of the following holds mu.

func (s *Semaphore) enter(p *Part, weight int64, grows bool) *waiter {
	t := &waiter{p, weight, grows, make(chan struct{})}
	if grows && s.elder == p {
		close(t.granted)
		return t
	}
	s.crowd = append(s.crowd, t)
	s.serve()
	return t
}

// withdraw takes a waiter out. It reports false if the waiter has what it waited for.
func (s *Semaphore) withdraw(t *waiter) bool {
	if i := slices.Index(s.crowd, t); i >= 0 {
		s.crowd = slices.Delete(s.crowd, i, i+1)
	} else if i := slices.Index(s.line, t); i >= 0 {
		s.line = slices.Delete(s.line, i, i+1)
		s.count(t.of.group, -t.weight)
	} else {
		return false
	}
	s.serve()
	return true
}

// serve lets those into the line whose group has less than its share, and grants what there is.
func (s *Semaphore) serve() {
	full := map[string]bool{}
	s.crowd = slices.DeleteFunc(s.crowd, func(t *waiter) bool {
		group := t.of.group
		if has := s.groups[group]; group != "" && has > 0 && has+t.weight > s.share || full[group] {
			full[group] = true
			return false
		}
		s.count(group, t.weight)
		s.line = append(s.line, t)
		return true
	})
	for len(s.line) > 0 && (s.held+s.line[0].weight <= s.size || s.honour(s.line[0])) {
		t := s.line[0]
		s.line = s.line[1:]
		if t.of == s.elder {
			s.count(t.of.group, -t.weight)
		} else {
			s.held += t.weight
			t.of.held += t.weight
		}
		close(t.granted)
	}
	if len(s.crowd) > 0 && s.honour(s.crowd[0]) {
		close(s.crowd[0].granted)
		s.crowd = s.crowd[1:]
	}
}

// honour makes a part that grows the elder, if there is none.
func (s *Semaphore) honour(t *waiter) bool {
	if s.elder != nil || !t.grows {
		return false
	}
	s.elder = t.of
	return true
}

// count adds to what a group has.
func (s *Semaphore) count(group string, weight int64) {
	if s.groups[group] += weight; s.groups[group] == 0 {
		delete(s.groups, group)
	}
}
