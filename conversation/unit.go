package conversation

import "slices"

// A scanner goes through a conversation and finds the places between units. Whether a
// place is one depends only on the messages before it: if a call before it has no
// result yet, the place is inside of a unit, whether the result comes later or never.
type scanner struct {
	open map[string]int // calls without a result so far, by id
	run  reasoningRun

	question  bool // the last message is the user's, and not a result in a provider's form
	compacted bool // the last message carries what the provider compacted
}

// A reasoningRun is a row of assistant messages that began with a reasoning item. The
// Responses API needs them together.
type reasoningRun uint8

const (
	noRun    reasoningRun = iota
	thinking              // only reasoning so far
	answered              // and the item that it led to
)

// next reads the next message. It reports whether a cut may be made before it, and
// after it unless the next message forbids that.
func (s *scanner) next(m *Message) (before, after bool) {
	t := m.traits()
	before = len(s.open) == 0
	switch {
	case m.Role != Assistant:
		s.run = noRun
	case s.run != noRun && !(s.run == answered && t.reasoning):
		before = false
		if !t.thought {
			s.run = answered
		}
	case t.thought:
		s.run = thinking
	case t.reasoning:
		s.run = answered
	}
	s.pairs(m, t)
	s.question = m.Role == User && t.results == nil
	s.compacted = t.compacted
	return before, len(s.open) == 0 && s.run == noRun
}

// pairs reads the calls and the results of a message.
func (s *scanner) pairs(m *Message, t traits) {
	if t.pairs {
		for _, id := range t.calls {
			delete(s.open, id) // a lost call does not wait beside another one with its id
		}
		for _, id := range t.calls {
			s.call(id)
		}
		for _, id := range t.results {
			s.result(id)
		}
		return
	}
	for i := range m.ToolCalls {
		delete(s.open, m.ToolCalls[i].ID)
	}
	for i := range m.ToolCalls {
		s.call(m.ToolCalls[i].ID)
	}
	if m.Role == Tool {
		s.result(m.ToolCallID)
		s.result(unnamedCall)
	}
}

// call notes a call that needs a result. A call without an id cannot have one.
func (s *scanner) call(id string) {
	if id == "" {
		return
	}
	if s.open == nil {
		s.open = map[string]int{}
	}
	s.open[id]++
}

// result notes the result of a call.
func (s *scanner) result(id string) {
	switch {
	case id == everyCall:
		clear(s.open)
	case s.open[id] > 1:
		s.open[id]--
	default:
		delete(s.open, id)
	}
}

// SafeCuts returns where a conversation may be cut. For each index i that it returns,
// msgs[:i] and msgs[i:] hold whole units, and neither is empty. The indexes are
// ascending. There is none after a call without a result. SafeCuts takes linear time.
//
// Anthropic and Gemini need a message of the user at the beginning. If msgs[i] is not
// one, put one before it, as [Trim] does. A cut after a compaction of the provider loses
// what the compaction carries; Trim makes none.
func SafeCuts(msgs []Message) []int {
	var cuts []int
	var s scanner
	for i := range msgs {
		if before, _ := s.next(&msgs[i]); before && i > 0 {
			cuts = append(cuts, i)
		}
	}
	return cuts
}

// OpenCalls returns the tool calls without a result, in order. A process that ends
// while its tools run leaves such calls. No provider accepts them, and no summary
// covers them. Before anything else, append for each call its result, or a Tool
// message with IsError that says that the tool was interrupted.
func OpenCalls(msgs []Message) []ToolCall {
	var open []ToolCall
	for _, m := range msgs {
		open = append(open, m.clone().ToolCalls...)
		if i := slices.IndexFunc(open, func(c ToolCall) bool { return c.ID == m.ToolCallID }); m.Role == Tool &&
			i >= 0 {
			open = slices.Delete(open, i, i+1)
		}
	}
	return open
}
