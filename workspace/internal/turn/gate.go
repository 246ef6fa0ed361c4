package turn

import (
	"context"
	"sync/atomic"
)

// The states of a Gate.
const (
	open = iota
	begun
	withdrawn
)

// A Gate is for work that the end of a context can prevent, but not interrupt: the work
// passes the Gate if it begins before the context ends. It is safe for concurrent
// use.
type Gate struct {
	ctx    context.Context // ends if the outer context ends before Begin
	cancel context.CancelFunc
	stop   func() bool
	state  atomic.Int32
}

// NewGate returns an open Gate. Close must be called when the work is over.
func NewGate(ctx context.Context) *Gate {
	g := new(Gate)
	g.ctx, g.cancel = context.WithCancel(context.WithoutCancel(ctx))
	g.stop = context.AfterFunc(ctx, func() {
		if g.state.CompareAndSwap(open, withdrawn) {
			g.cancel()
		}
	})
	return g
}

// Context returns the context for the work.
func (g *Gate) Context() context.Context { return g.ctx }

// Begin reports whether the work may go on: it has begun, now or before.
func (g *Gate) Begin() bool {
	g.state.CompareAndSwap(open, begun)
	return g.state.Load() == begun
}

// Withdrawn reports whether the context ended before Begin.
func (g *Gate) Withdrawn() bool { return g.state.Load() == withdrawn }

// Close releases the Gate.
func (g *Gate) Close() {
	g.stop()
	g.cancel()
}
