package conversation

// A turn holds the calls of the model's last turn. Results must come directly
// behind it; Responses, which pairs them anywhere, does without.
type turn struct {
	calls  []turnCall
	places map[string]int // of the first call with an id, where they are many
	mapped int            // the calls that are in places
	next   int            // the call after the one that was answered last
	cut    int            // the calls behind which the model said something else
	closed bool           // something else came: a result would be too late
}

type turnCall struct {
	id, name string
	index    int // of the message
	twin     int // the place of the next call with this id; 0: none
	answered bool
}

// many is where a map is faster than looking at each call.
const many = 16

// find returns the place of the call, -1 where there is none. Of several with the
// id it prefers one that waits.
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

// call takes up a call of the turn. A call without id waits for nothing: its
// problem is named already.
func (c *checker) call(i int, id, name string) {
	if id != "" {
		c.turn.calls = append(c.turn.calls, turnCall{id: id, name: name, index: i})
	}
}

// result takes up a result.
func (c *checker) result(i int, id string) {
	c.answer(i, id, c.turn.find(id))
}

func (c *checker) answer(i int, id string, place int) {
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
			c.add(i, ruleMisplaced, "the result of call %q does not stand directly behind its call, which is in message %d: move it there, before what stands between", clip(id), t.calls[place].index)
		}
	}
}

// interrupt says that something else than a result came.
func (c *checker) interrupt() { c.turn.closed = true }

// cutCalls says that something else than a call came, in the model's turn itself.
func (c *checker) cutCalls() { c.turn.cut = len(c.turn.calls) }

// endTurn reports the calls that nobody answered.
func (c *checker) endTurn() {
	for k := range c.turn.calls {
		if call := &c.turn.calls[k]; !call.answered {
			c.unanswered(call.index, call.id)
		}
	}
	c.turn.reset()
}

func (c *checker) unanswered(i int, id string) {
	c.missing = append(c.missing, stray{id, len(c.problems)})
	c.add(i, ruleMissing, "the call %q has no result behind it: add the result, or drop the call", clip(id))
}

func (c *checker) orphan(i int, id string) {
	c.orphans = append(c.orphans, stray{id, len(c.problems)})
	c.add(i, ruleOrphan, "the result of call %q has no such call before it: keep the message with the call, or drop the result", clip(id))
}

func (c *checker) twice(i int, id string) {
	c.add(i, ruleTwice, "the call %q has a result already: keep one", clip(id))
}
