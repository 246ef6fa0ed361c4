package pad

import (
	"fmt"
	"slices"
	"strings"
)

// events are the handlers of a store, and what they are still to be told. The
// store's lock guards all of it.
type events struct {
	seq        uint64 // of the newest event
	handlers   []*subscription
	waiting    []Event // in the order of Seq
	delivering bool    // a goroutine calls the handlers, and goes on until nothing waits

	current Event           // the event being delivered
	rest    []*subscription // the handlers that were not offered it yet
}

// subscription is a handler for one kind of event of a view.
type subscription struct {
	kind    EventKind
	prefix  string
	since   uint64 // events up to this Seq came before the handler
	call    func(Event)
	stopped bool
}

func (h *subscription) wants(e Event) bool {
	if h.stopped || h.kind != e.Kind || e.Seq <= h.since {
		return false
	}
	if e.Kind == EventClear {
		return strings.HasPrefix(e.Prefix, h.prefix)
	}
	return within(e.Key, h.prefix)
}

// subscribe adds a handler. It leaves the old list alone, which rest may share.
func (v *events) subscribe(kind EventKind, prefix string, call func(Event)) *subscription {
	h := &subscription{kind: kind, prefix: prefix, since: v.seq, call: call}
	v.handlers = append(slices.Clone(v.handlers), h)
	return h
}

func (v *events) unsubscribe(h *subscription) {
	h.stopped = true
	v.handlers = slices.DeleteFunc(slices.Clone(v.handlers), func(other *subscription) bool { return other == h })
}

// end removes all handlers, and what they were still to be told.
func (v *events) end() {
	for _, h := range v.handlers {
		h.stopped = true
	}
	v.handlers, v.waiting = nil, nil
}

// any reports whether there are handlers, so that events need to be made.
func (v *events) any() bool { return len(v.handlers) > 0 }

// next returns the next call to make, and false when there is none.
func (v *events) next() (h *subscription, e Event, ok bool) {
	for {
		for len(v.rest) > 0 {
			h, v.rest = v.rest[0], v.rest[1:]
			if h.wants(v.current) {
				return h, v.current, true
			}
		}
		if len(v.waiting) == 0 {
			v.current, v.rest, v.waiting = Event{}, nil, nil
			return nil, Event{}, false
		}
		v.current, v.rest = v.waiting[0], v.handlers
		v.waiting[0] = Event{} // the slice must not keep its value
		v.waiting = v.waiting[1:]
	}
}

// event queues an event, under the lock. e may be nil.
func (s *store) event(v Event, e *entry) {
	s.events.seq++
	if !s.events.any() {
		return
	}
	v.Seq = s.events.seq
	if e != nil {
		v.Entry = e.public(*s.now.Load(), e.key)
	}
	s.events.waiting = append(s.events.waiting, v)
}

// unlock ends a change: it releases the lock, and then delivers all events that
// wait, unless another goroutine or an outer call is doing so.
func (s *store) unlock() {
	deliver := len(s.events.waiting) > 0 && !s.events.delivering
	if deliver {
		s.events.delivering = true
	}
	s.mu.Unlock()
	if deliver {
		s.deliver()
	}
}

// deliver calls handlers until no event waits. If a handler ends the goroutine, it
// goes on while the goroutine ends.
func (s *store) deliver() {
	done := false
	defer func() {
		if !done {
			s.deliver()
		}
	}()
	for h, e, ok := s.nextCall(); ok; h, e, ok = s.nextCall() {
		s.call(h, e)
	}
	done = true
}

func (s *store) nextCall() (*subscription, Event, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, e, ok := s.events.next()
	s.events.delivering = ok
	return h, e, ok
}

func (s *store) call(h *subscription, e Event) {
	defer func() {
		if r := recover(); r != nil {
			s.report(fmt.Errorf("pad: handler of %v events panicked: %v", e.Kind, r))
		}
	}()
	h.call(e)
}

// report tells OnError, which may panic itself. The lock must not be held.
func (s *store) report(err error) {
	defer func() { _ = recover() }()
	s.o.OnError(err)
}
