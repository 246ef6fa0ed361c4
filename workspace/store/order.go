package store

import "context"

// An Order applies a write in its place among others of its owner. The write may begin its
// transaction early, so that several share a commit. None of the functions waits.
type Order struct {
	// Queued is called when the transaction has its place: one that is queued later runs
	// later. A store that does not call it is slower, and as right.
	Queued func()

	// Begin is called in the transaction, before it reads. Its error ends the transaction, and
	// the write returns it.
	Begin func() error

	// Applied is called in the transaction when the write has done all that it does. The
	// transaction may still fail, or run again.
	Applied func()
}

type orderKey struct{}

// WithOrder returns a context for one write, which follows an Order.
func WithOrder(ctx context.Context, o Order) context.Context {
	return context.WithValue(ctx, orderKey{}, o)
}

// OrderOf returns the Order that a context carries. Without one, its functions do nothing.
func OrderOf(ctx context.Context) Order {
	if o, ok := ctx.Value(orderKey{}).(Order); ok {
		return o
	}
	return Order{func() {}, func() error { return nil }, func() {}}
}
