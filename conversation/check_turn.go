package conversation

import "github.com/agent-scratchpad/scratchpad/conversation/internal/clip"

// A callList has tool calls, and finds them by their ids.
type callList struct {
	calls  []listedCall
	places map[string]int // index of the last call with an id
}

type listedCall struct {
	id, name string
	kind     string // of the Responses API: the type of its output; "": any
	index    int    // of the message
	before   int    // index of the earlier call with this id; -1: none
	answered bool
}

// list adds a call, and reports whether there is another one with its id.
func (l *callList) list(call listedCall) (isTwin bool) {
	if l.places == nil {
		l.places = make(map[string]int)
	}
	before, isTwin := l.places[call.id]
	if call.before = before; !isTwin {
		call.before = -1
	}
	l.places[call.id] = len(l.calls)
	l.calls = append(l.calls, call)
	return isTwin
}

// find returns the index of the call with an id, or -1. If several calls have the
// id, it prefers one without a result.
func (l *callList) find(id string) int {
	place, ok := l.places[id]
	if !ok {
		return -1
	}
	for l.calls[place].answered && l.calls[place].before >= 0 {
		place = l.calls[place].before
	}
	return place
}

// A turn holds the calls of the model's last turn. Their results must follow
// directly. The Responses API does not use it: there a result may come later.
type turn struct {
	callList
	cut    int  // how many calls came before the model said something else
	closed bool // something else than a result came: further results are too late
}

func (t *turn) reset() { *t = turn{callList: callList{calls: t.calls[:0]}} }

// call adds a call to the turn. A call without an id is not added: it was reported
// already. call reports whether the turn has another call with the id.
func (c *checker) call(i int, id, name string) (isTwin bool) {
	return id != "" && c.turn.list(listedCall{id: id, name: name, index: i})
}

// result pairs a result with its call.
func (c *checker) result(i int, id string) {
	c.answer(i, id, c.turn.find(id))
}

// answer pairs a result with the call at an index of the turn, or -1.
func (c *checker) answer(i int, id string, place int) {
	t := &c.turn
	switch {
	case place < 0:
		c.orphan(i, id)
	case t.calls[place].answered:
		c.twice(i, id)
	default:
		t.calls[place].answered = true
		if t.closed || place < t.cut {
			c.add(i, RuleMisplacedResult, "the result of call %q does not follow its call directly, which is in "+
				"message %d: move it there, before everything between them", clip.Text(id), t.calls[place].index)
		}
	}
}

// interrupt notes that something else than a result came.
func (c *checker) interrupt() { c.turn.closed = true }

// cutCalls notes that the model said something else than a call in its turn.
func (c *checker) cutCalls() { c.turn.cut = len(c.turn.calls) }

// endTurn reports the calls without a result, and begins a new turn.
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
	c.add(i, RuleMissingResult, "the call %q has no result after it: add the result, or drop the call", clip.Text(id))
}

func (c *checker) orphan(i int, id string) {
	c.orphans = append(c.orphans, stray{id, len(c.problems)})
	c.add(i, RuleOrphanedResult, "the result of call %q has no call before it: keep the message with the call, or "+
		"drop the result", clip.Text(id))
}

func (c *checker) twice(i int, id string) {
	c.add(i, RuleDuplicateResult, "the call %q has a result already: keep one of the two", clip.Text(id))
}
