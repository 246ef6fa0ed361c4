package pad

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

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

// On calls a handler for each event of a kind that concerns the pad or the view,
// until stop is called or the pad is closed. A Clear concerns the views that hold
// the one that was cleared, that one included.
//
// A handler runs in the goroutine that made the change, before its call
// returns, and outside of the lock: it may call the pad. What it causes is
// delivered after it has returned. Events that one goroutine causes come in
// order; between goroutines only Seq tells it. A panic is reported to
// [Options].OnError and does not stop the other handlers.
func (p *Pad) On(kind EventKind, handler func(Event)) (stop func()) {
	h := &subscription{kind: kind, prefix: p.prefix, call: handler}
	if p.invalid || handler == nil {
		return func() {}
	}
	p.store.events.add(h)
	return func() {
		h.stopped.Store(true)
		p.store.events.remove(h)
	}
}

type subscription struct {
	kind    EventKind
	prefix  string
	call    func(Event)
	stopped atomic.Bool
}

func (h *subscription) wants(e Event) bool {
	if h.kind != e.Kind || h.stopped.Load() {
		return false
	}
	if e.Kind == EventClear {
		return strings.HasPrefix(e.Prefix, h.prefix)
	}
	return within(e.Key, h.prefix)
}

// events delivers to handlers.
type events struct {
	onError func(error)
	seq     uint64 // guarded by the store's lock

	handlers atomic.Pointer[[]*subscription] // replaced whole

	mu      sync.Mutex          // guards the following, and who replaces handlers
	running map[uint64]*[]Event // what the handlers under way in a goroutine have caused
}

func (v *events) add(h *subscription) {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := append(slices.Clone(v.list()), h)
	v.handlers.Store(&list)
}

func (v *events) remove(h *subscription) {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(v.list()), func(other *subscription) bool { return other == h })
	v.handlers.Store(&list)
}

func (v *events) clear() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, h := range v.list() {
		h.stopped.Store(true)
	}
	v.handlers.Store(nil)
}

func (v *events) list() []*subscription {
	if list := v.handlers.Load(); list != nil {
		return *list
	}
	return nil
}

// any reports whether somebody listens, so that events need to be made.
func (v *events) any() bool { return len(v.list()) > 0 }

// deliver calls the handlers, or leaves that to the call that the goroutine is
// in the middle of.
func (v *events) deliver(list []Event) {
	if len(list) == 0 || !v.any() {
		return
	}
	id := goroutine()
	v.mu.Lock()
	if queue := v.running[id]; queue != nil {
		*queue = append(*queue, list...)
		v.mu.Unlock()
		return
	}
	if v.running == nil {
		v.running = map[uint64]*[]Event{}
	}
	v.running[id] = &list
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		delete(v.running, id)
		v.mu.Unlock()
	}()
	for i := 0; ; i++ {
		v.mu.Lock()
		if i == len(list) {
			v.mu.Unlock()
			return
		}
		e := list[i]
		v.mu.Unlock()
		for _, h := range v.list() {
			if h.wants(e) {
				v.call(h, e)
			}
		}
	}
}

func (v *events) call(h *subscription, e Event) {
	defer func() {
		if r := recover(); r != nil {
			v.report(fmt.Errorf("pad: a handler of %v panicked: %v", e.Kind, r))
		}
	}()
	h.call(e)
}

// report tells OnError, which may panic itself.
func (v *events) report(err error) {
	defer func() { _ = recover() }()
	v.onError(err)
}

// goroutine returns the number of the goroutine, as its stack trace begins:
// "goroutine 18 [running]:". Whether a change is made by a handler or beside one
// cannot be told otherwise.
func goroutine() uint64 {
	var buf [40]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line = bytes.TrimPrefix(line, []byte("goroutine "))
	number, _, _ := bytes.Cut(line, []byte(" "))
	id, _ := strconv.ParseUint(string(number), 10, 64)
	return id
}
