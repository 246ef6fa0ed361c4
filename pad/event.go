package pad

import "fmt"

// EventKind is what happened.
type EventKind int

const (
	EventSet    EventKind = iota + 1 // an entry was set; Update tells a new one from a changed one
	EventDelete                      // a live entry was deleted
	EventExpire                      // an entry that had expired was removed
	EventClear                       // a pad or a view was emptied
)

// String returns "set", "delete", "expire" or "clear".
func (k EventKind) String() string {
	switch k {
	case EventSet:
		return "set"
	case EventDelete:
		return "delete"
	case EventExpire:
		return "expire"
	case EventClear:
		return "clear"
	}
	return fmt.Sprintf("EventKind(%d)", int(k))
}

// Event is a change of a pad.
type Event struct {
	Kind   EventKind
	Key    string // the full key, also for handlers of a view; "" for a Clear
	Entry  Entry  // as it is now, for a Set; as it was, for a Delete or an Expire
	Update bool   // of a Set: the key had a live entry before
	Count  int    // of a Clear: the live entries that were removed
	Prefix string // of a Clear: the view that was cleared, with its colon; "" for the whole pad
	Seq    uint64 // ascending over all events of a pad, from 1
}

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
