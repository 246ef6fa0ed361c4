package pad

// On calls a handler for each event of a kind that is caused from now on and
// concerns the pad or the view, until stop is called or the pad is closed. A Clear
// concerns the views that hold the cleared one, and the cleared view itself.
//
// The handlers of a pad are called one at a time, in the order of Seq, and without
// a lock: they may call the pad. The goroutine that makes a change calls the
// handlers before its own call returns. If a handler is running already, in the same
// goroutine or in another one, the change leaves its events to the goroutine that
// runs that handler, and returns at once. So with one goroutine all events come before
// the change returns, except for changes that a handler makes: their events follow
// when the handler has returned.
//
// Events wait in memory, and nothing bounds their number. A handler should be quick,
// or pass its work on to another goroutine. The goroutine that delivers goes on
// until no event waits. A handler that never returns holds up all others.
//
// A panic in a handler is reported to [Options].OnError. Neither a panic nor a
// [runtime.Goexit] keeps the other handlers from being called. A call that has begun
// when stop or Close returns may still be running.
func (p *Pad) On(kind EventKind, handler func(Event)) (stop func()) {
	if p.invalid || handler == nil {
		return func() {}
	}
	s := p.store
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.events.subscribe(kind, p.prefix, handler)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.events.unsubscribe(h)
	}
}
