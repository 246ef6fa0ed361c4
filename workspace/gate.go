package workspace

import (
	"context"
	"sync/atomic"
)

// The states of a gate.
const (
	gateOpen = iota
	gateBegun
	gateWithdrawn
)

// A startGate is for work that the end of a context can prevent, but not interrupt: the work
// passes it if it begins before the context ends. It is safe for
// concurrent use.
type startGate struct {
	ctx    context.Context // ends if the outer context ends before begin
	cancel context.CancelFunc
	stop   func() bool
	state  atomic.Int32
}

// newStartGate returns an open gate. close must be called when the work is over.
func newStartGate(ctx context.Context) *startGate {
	g := new(startGate)
	g.ctx, g.cancel = context.WithCancel(context.WithoutCancel(ctx))
	g.stop = context.AfterFunc(ctx, func() {
		if g.state.CompareAndSwap(gateOpen, gateWithdrawn) {
			g.cancel()
		}
	})
	return g
}

// context returns the context for the work.
func (g *startGate) context() context.Context { return g.ctx }

// begin reports whether the work may go on: it has begun, now or before.
func (g *startGate) begin() bool {
	g.state.CompareAndSwap(gateOpen, gateBegun)
	return g.state.Load() == gateBegun
}

// withdrawn reports whether the context ended before begin.
func (g *startGate) withdrawn() bool { return g.state.Load() == gateWithdrawn }

// close releases the gate.
func (g *startGate) close() {
	g.stop()
	g.cancel()
}
