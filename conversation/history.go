package conversation

import (
	"math"
	"sync"
)

// End is the end of a [History], for [History.Slice].
const End = math.MaxInt

// A History is a list of messages. The zero value is empty and ready for use. A
// History copies what it is given, and what it returns belongs to the caller. It is
// safe for concurrent use, and must not be copied.
type History struct {
	mu   sync.RWMutex // guards msgs
	msgs []Message
}

// Push adds the messages to the end. No other message comes between them.
func (h *History) Push(msgs ...Message) {
	clones := cloneAll(msgs)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.msgs = append(h.msgs, clones...)
}

// All returns the messages in their order.
func (h *History) All() []Message { return h.Slice(0, End) }

// Slice returns the messages from index from up to, but not including, index to. As
// in JavaScript, a negative index counts from the end, and an index out of range is
// moved to the nearest end of the list. Slice(-2, End) returns the last two.
func (h *History) Slice(from, to int) []Message {
	h.mu.RLock()
	defer h.mu.RUnlock()
	from, to = h.index(from), h.index(to)
	return cloneAll(h.msgs[from:max(from, to)])
}

// index returns the index in the list for an index of Slice.
func (h *History) index(i int) int {
	if i < 0 {
		i += len(h.msgs)
	}
	return max(0, min(i, len(h.msgs)))
}

// Replace replaces the message at index i, counted from 0. It reports whether there
// is such a message; if not, nothing changes.
func (h *History) Replace(i int, m Message) bool {
	m = m.clone()
	h.mu.Lock()
	defer h.mu.Unlock()
	if i < 0 || i >= len(h.msgs) {
		return false
	}
	h.msgs[i] = m
	return true
}

// Clear removes all messages.
func (h *History) Clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.msgs = nil
}

// Len returns how many messages there are.
func (h *History) Len() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.msgs)
}
