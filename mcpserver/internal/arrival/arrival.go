// Package arrival limits the memory of request bodies while they arrive.
package arrival

import (
	"context"
	"sync"
)

// A Limit limits the bytes of incomplete bodies. When they have used all of it, one of
// them may still grow, the one that has waited longest. So one body always gets
// complete, however many incomplete ones there are. The bodies of a group have half of it
// at most. So a group whose bodies never get complete leaves half to others.
// It is safe for concurrent use.
type Limit struct {
	size int64

	mu      sync.Mutex // guards the following
	free    int64
	groups  map[string]int64 // the bytes of each that has any
	elder   *Body
	waiting []*growth // the one that has waited longest first
}

// NewLimit returns a limit of so many bytes.
func NewLimit(size int64) *Limit {
	return &Limit{size: size, free: size, groups: map[string]int64{}}
}

// Held returns how many bytes all bodies hold.
func (in *Limit) Held() int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.size - in.free
}

// Open returns the account of a body, from a group. "" is no group. End closes it.
func (in *Limit) Open(group string) *Body { return &Body{in: in, group: group} }

// A Body is the account of one body. One goroutine uses it.
type Body struct {
	in    *Limit
	group string
	held  int64 // guarded by in.mu
}

type growth struct {
	of      *Body
	bytes   int64
	granted chan struct{}
}

// Grow waits until the body may hold the given bytes more. The error is that of ctx.
func (a *Body) Grow(ctx context.Context, bytes int64) error {
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
func (in *Limit) serve() {
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

// End gives back all bytes that the body holds.
func (a *Body) End() {
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
