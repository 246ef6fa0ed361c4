package check

import "github.com/agent-scratchpad/scratchpad/conversation/internal/clip"

// A turn holds the calls of the model's last turn. Their results must follow
// directly. The Responses API does not use it: there a result may come later.
type turn struct {
	calls  []turnCall
	places map[string]int // index of the first call with an id; filled if there are many calls
	mapped int            // how many calls are in places
	next   int            // index of the call after the one that was answered last
	cut    int            // how many calls came before the model said something else
	closed bool           // something else than a result came: further results are too late
}

type turnCall struct {
	id, name string
	index    int // of the message
	twin     int // index of the next call with this id; 0: none
	answered bool
}

// many is the number of calls above which a map is faster than a search.
const many = 16

// find returns the index of the call with an id, or -1. If several calls have the
// id, it prefers one without a result.
func (t *turn) find(id string) int {
	if t.next < len(t.calls) && t.calls[t.next].id == id {
		return t.next
	}
	if len(t.calls) > many {
		return t.lookUp(id)
	}
	found := -1
	for k := range t.calls {
		if t.calls[k].id != id {
			continue
		}
		if !t.calls[k].answered {
			return k
		}
		found = k
	}
	return found
}

// lookUp is find by map.
func (t *turn) lookUp(id string) int {
	if t.places == nil {
		t.places = make(map[string]int, len(t.calls))
	}
	for ; t.mapped < len(t.calls); t.mapped++ {
		id := t.calls[t.mapped].id
		first, ok := t.places[id]
		if !ok {
			t.places[id] = t.mapped
			continue
		}
		t.calls[t.mapped].twin, t.calls[first].twin = t.calls[first].twin, t.mapped
	}
	k, ok := t.places[id]
	if !ok {
		return -1
	}
	for t.calls[k].answered && t.calls[k].twin != 0 {
		k = t.calls[k].twin
	}
	return k
}

func (t *turn) reset() { *t = turn{calls: t.calls[:0]} }

// call adds a call to the turn. A call without an id is not added: it was reported
// already.
func (c *Checker) call(i int, id, name string) {
	if id != "" {
		c.turn.calls = append(c.turn.calls, turnCall{id: id, name: name, index: i})
	}
}

// result pairs a result with its call.
func (c *Checker) result(i int, id string) {
	c.answer(i, id, c.turn.find(id))
}

// answer pairs a result with the call at an index of the turn, or -1.
func (c *Checker) answer(i int, id string, place int) {
	t := &c.turn
	switch {
	case place < 0:
		c.orphan(i, id)
	case t.calls[place].answered:
		c.twice(i, id)
	default:
		t.calls[place].answered = true
		t.next = place + 1
		if t.closed || place < t.cut {
			c.add(i, MisplacedResult, "the result of call %q does not follow its call directly, which is in message "+
				"%d: move it there, before everything between them", clip.Text(id), t.calls[place].index)
		}
	}
}

// interrupt notes that something else than a result came.
func (c *Checker) interrupt() { c.turn.closed = true }

// cutCalls notes that the model said something else than a call in its turn.
func (c *Checker) cutCalls() { c.turn.cut = len(c.turn.calls) }

// endTurn reports the calls without a result, and begins a new turn.
func (c *Checker) endTurn() {
	for k := range c.turn.calls {
		if call := &c.turn.calls[k]; !call.answered {
			c.unanswered(call.index, call.id)
		}
	}
	c.turn.reset()
}

func (c *Checker) unanswered(i int, id string) {
	c.missing = append(c.missing, stray{id, len(c.problems)})
	c.add(i, MissingResult, "the call %q has no result after it: add the result, or drop the call", clip.Text(id))
}

func (c *Checker) orphan(i int, id string) {
	c.orphans = append(c.orphans, stray{id, len(c.problems)})
	c.add(i, OrphanedResult, "the result of call %q has no call before it: keep the message with the call, or drop "+
		"the result", clip.Text(id))
}

func (c *Checker) twice(i int, id string) {
	c.add(i, DuplicateResult, "the call %q has a result already: keep one of the two", clip.Text(id))
}
