package pad

import (
	"fmt"
	"slices"
	"strings"
)

// events holds the handlers of a store and the calls that wait. The lock of the store
// guards all fields.
type events struct {
	seq        uint64 // of the newest event
	handlers   []*subscription
	waiting    []call // in the order of Seq, and then of the handlers
	delivering bool   // a goroutine calls handlers until no call waits
}

// subscription is a handler for one kind of event of a view.
type subscription struct {
	kind    EventKind
	prefix  string
	handler func(Event)
	stopped bool
}

// call is a call of a handler.
type call struct {
	to    *subscription
	event Event
}

func (h *subscription) wants(e Event) bool {
	switch {
	case h.kind != e.Kind:
		return false
	case e.Kind == EventClear:
		return strings.HasPrefix(e.Prefix, h.prefix)
	}
	return within(e.Key, h.prefix)
}

func (v *events) unsubscribe(h *subscription) {
	h.stopped = true
	v.handlers = slices.DeleteFunc(v.handlers, func(other *subscription) bool { return other == h })
}

// next returns the next call, nil if none waits.
func (v *events) next() *call {
	for len(v.waiting) > 0 {
		c := v.waiting[0]
		v.waiting[0] = call{} // so that the array does not keep the value
		if v.waiting = v.waiting[1:]; !c.to.stopped {
			return &c
		}
	}
	v.waiting = nil
	return nil
}

// event queues an event for its handlers. e may be nil. The lock must be held.
func (s *store) event(v Event, e *entry) {
	s.events.seq++
	if len(s.events.handlers) == 0 {
		return
	}
	v.Seq = s.events.seq
	if e != nil {
		v.Entry = e.public("")
	}
	for _, h := range s.events.handlers {
		if h.wants(v) {
			s.events.waiting = append(s.events.waiting, call{h, v})
		}
	}
}

// unlock ends a change. It shows the change to readers, releases the lock, and then delivers
// the events that wait, unless another goroutine or an outer call is delivering already.
func (s *store) unlock() {
	s.root.Store(s.content.root)
	deliver := len(s.events.waiting) > 0 && !s.events.delivering
	s.events.delivering = s.events.delivering || deliver
	s.mu.Unlock()
	if deliver {
		s.deliver()
	}
}

// deliver calls handlers until no call waits. If a handler calls runtime.Goexit, the
// deferred call delivers the rest before the goroutine ends.
func (s *store) deliver() {
	done := false
	defer func() {
		if !done {
			s.deliver()
		}
	}()
	for c := s.nextCall(); c != nil; c = s.nextCall() {
		s.call(c)
	}
	done = true
}

func (s *store) nextCall() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.events.next()
	s.events.delivering = c != nil
	return c
}

func (s *store) call(c *call) {
	defer func() {
		if r := recover(); r != nil {
			s.report(fmt.Errorf("pad: handler of %v events panicked: %v", c.event.Kind, r))
		}
	}()
	c.to.handler(c.event)
}

// report calls OnError, which may panic. The lock must not be held.
func (s *store) report(err error) {
	defer func() { _ = recover() }()
	s.o.OnError(err)
}
