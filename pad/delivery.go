package pad

import (
	"slices"
	"strings"
)

// events holds the handlers of a pad and the events that wait for them. The lock of the
// pad guards all fields.
type events struct {
	seq        uint64 // of the newest event
	handlers   []*subscription
	waiting    []Event // in the order of Seq
	delivering bool    // a goroutine calls handlers until no event waits

	current Event           // the event being delivered
	rest    []*subscription // the handlers that it was not offered to yet
}

// subscription is a handler for one kind of event of a view.
type subscription struct {
	kind    EventKind
	prefix  string
	since   uint64 // Seq of the last event before the handler was added
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

// subscribe adds a handler. It copies the list, which rest may share.
func (v *events) subscribe(kind EventKind, prefix string, call func(Event)) *subscription {
	h := &subscription{kind: kind, prefix: prefix, since: v.seq, call: call}
	v.handlers = append(slices.Clone(v.handlers), h)
	return h
}

func (v *events) unsubscribe(h *subscription) {
	h.stopped = true
	v.handlers = slices.DeleteFunc(slices.Clone(v.handlers), func(other *subscription) bool { return other == h })
}

// end removes all handlers and all events that wait.
func (v *events) end() {
	for _, h := range v.handlers {
		h.stopped = true
	}
	v.handlers, v.waiting = nil, nil
}

// any reports whether there are handlers.
func (v *events) any() bool { return len(v.handlers) > 0 }

// next returns the next handler to call and its event, and false if there is none.
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
		v.waiting[0] = Event{} // so that the array does not keep the value
		v.waiting = v.waiting[1:]
	}
}
