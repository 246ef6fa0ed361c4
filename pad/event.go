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
