// Package turn decides when a call may begin: a [Turn] lets one begin at a time, and a
// [Gate] lets it begin unless its context has ended.
package turn

import "context"

// A Turn is held by one caller at a time. It is safe for concurrent use.
type Turn struct{ held chan struct{} }

// New returns a Turn that nobody holds.
func New() Turn { return Turn{make(chan struct{}, 1)} }

// TryTake takes the turn if nobody holds it, and reports whether it did.
func (t Turn) TryTake() bool {
	select {
	case t.held <- struct{}{}:
		return true
	default:
		return false
	}
}

// Take takes the turn, or returns the error of ctx if ctx ends first. It takes a free turn
// even if ctx has ended.
func (t Turn) Take(ctx context.Context) error {
	if t.TryTake() {
		return nil
	}
	select {
	case t.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Give gives the turn back.
func (t Turn) Give() { <-t.held }
