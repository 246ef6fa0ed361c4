package pad

// On adds a handler for one kind of event. The handler is called for each later change
// in the pad or the view, until stop is called or the pad is closed. A Clear of a view
// is also an event of the views around it. On a view without a valid name, and with a
// nil handler, On does nothing.
//
// The handlers of a pad are called one at a time, in the order of Seq, and for one event
// in the order in which they were added. No lock is held: a handler may call the pad.
//
// The goroutine that makes a change calls the handlers before its call returns. There is
// one exception: if a handler is already running, in this goroutine or in another, the
// change returns at once. The goroutine of that handler delivers the event afterwards.
//
// Events wait in memory, and their number has no limit. A goroutine that delivers
// events continues until none waits, also for the changes of other goroutines. So
// handlers should be quick: send longer work to another goroutine. A handler that
// never returns blocks all others.
//
// A panic in a handler is reported to [Options].OnError. Delivery continues after a
// panic and after [runtime.Goexit]. When stop or Close returns, a call that began
// earlier may still be running.
func (p *Pad) On(kind EventKind, handler func(Event)) (stop func()) {
	if p.invalid || handler == nil {
		return func() {}
	}
	s := p.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.events.subscribe(kind, p.prefix, handler)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.events.unsubscribe(h)
	}
}
