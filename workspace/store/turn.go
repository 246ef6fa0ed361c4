package store

import (
	"context"
	"sync"
)

// Turns let one writer of an owner through at a time. The zero value is ready for use. Turns
// are safe for concurrent use.
type Turns struct {
	mu  sync.Mutex
	all map[string]*turn
}

type turn struct {
	taken   chan struct{} // holds a value while somebody has the turn
	callers int           // that have it or wait for it
}

// Enter waits for the turn of the owner whose [Owner.String] is name. The caller calls leave
// once, from any goroutine. The error is that of the context.
func (t *Turns) Enter(ctx context.Context, name string) (leave func(), err error) {
	t.mu.Lock()
	if t.all == nil {
		t.all = map[string]*turn{}
	}
	mine := t.all[name]
	if mine == nil {
		mine = &turn{taken: make(chan struct{}, 1)}
		t.all[name] = mine
	}
	mine.callers++
	t.mu.Unlock()
	forget := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.callers--; mine.callers == 0 {
			delete(t.all, name)
		}
	}
	select {
	case mine.taken <- struct{}{}:
		return func() { <-mine.taken; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}
