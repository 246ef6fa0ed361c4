// Package ctxmutex has a mutex that one can stop waiting for.
package ctxmutex

import "context"

// A Mutex is held by one caller at a time. It is safe for concurrent use.
type Mutex struct{ held chan struct{} }

// New returns a Mutex that nobody holds.
func New() Mutex { return Mutex{make(chan struct{}, 1)} }

// TryLock locks the mutex if nobody holds it, and reports whether it did.
func (m Mutex) TryLock() bool {
	select {
	case m.held <- struct{}{}:
		return true
	default:
		return false
	}
}

// Lock locks the mutex, or returns the error of ctx if ctx ends first. It locks a free mutex
// even if ctx has ended.
func (m Mutex) Lock(ctx context.Context) error {
	if m.TryLock() {
		return nil
	}
	select {
	case m.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unlock lets another caller lock the mutex.
func (m Mutex) Unlock() { <-m.held }
