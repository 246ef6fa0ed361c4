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

// A gate is for work that the end of a context can prevent, but not interrupt: the work
// passes the gate if it begins before the context ends. It is safe for
// concurrent use.
type gate struct {
	ctx    context.Context // ends if the outer context ends before begin
	cancel context.CancelFunc
	stop   func() bool
	state  atomic.Int32
}

// newGate returns an open gate. close must be called when the work is over.
func newGate(ctx context.Context) *gate {
	g := new(gate)
	g.ctx, g.cancel = context.WithCancel(context.WithoutCancel(ctx))
	g.stop = context.AfterFunc(ctx, func() {
		if g.state.CompareAndSwap(gateOpen, gateWithdrawn) {
			g.cancel()
		}
	})
	return g
}

// context returns the context for the work.
func (g *gate) context() context.Context { return g.ctx }

// begin reports whether the work may go on: it has begun, now or before.
func (g *gate) begin() bool {
	g.state.CompareAndSwap(gateOpen, gateBegun)
	return g.state.Load() == gateBegun
}

// withdrawn reports whether the context ended before begin.
func (g *gate) withdrawn() bool { return g.state.Load() == gateWithdrawn }

// close releases the gate.
func (g *gate) close() {
	g.stop()
	g.cancel()
}
