package pad

import "fmt"

// EventKind is the kind of a change.
type EventKind int

const (
	EventSet    EventKind = iota + 1 // an entry was set
	EventDelete                      // a live entry was deleted
	EventExpire                      // an expired entry was removed
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

// Event describes a change of a pad.
type Event struct {
	Kind   EventKind
	Key    string // the full key, also for handlers of a view; "" for a Clear
	Entry  Entry  // Set: the new entry; Delete and Expire: the removed entry
	Update bool   // Set: the key had a live entry before
	Count  int    // Clear: how many live entries were removed
	Prefix string // Clear: the view that was cleared, with its colon; "" for the whole pad
	Seq    uint64 // number of the event in its pad, from 1. Events without a handler are counted too
}
