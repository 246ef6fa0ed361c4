package conversation

import "slices"

// A scanner goes through a conversation and says between which messages no unit
// lies. That depends on the messages before alone: a call that is answered behind
// the place, and one that never is, both forbid it.
type scanner struct {
	open map[string]int // calls without a result so far, by id
	run  reasoningRun

	question bool // the last message is the user's, and no result in a form of the provider's
}

// A reasoningRun is a row of assistant messages that began with a reasoning
// item: the Responses API wants it together.
type reasoningRun uint8

const (
	noRun    reasoningRun = iota
	thinking              // reasoning so far
	answered              // and what belongs to it
)

// next takes the next message, and says whether a cut may be made before it and,
// as far as is known, behind it.
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
	return before, len(s.open) == 0 && s.run == noRun
}

// pairs takes the calls and the results of a message.
func (s *scanner) pairs(m *Message, t traits) {
	if t.pairs {
		for _, id := range t.calls {
			delete(s.open, id) // one that was lost does not wait beside its namesake
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

// call opens a call. One without an id can have no result.
func (s *scanner) call(id string) {
	if id == "" {
		return
	}
	if s.open == nil {
		s.open = map[string]int{}
	}
	s.open[id]++
}

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

// SafeCuts returns where a conversation may be cut: the indexes strictly inside
// the list, ascending, before which no unit began that goes on behind them, so
// that msgs[:i] and msgs[i:] each hold whole units. Behind a call without a
// result there is none. Before an assistant message Anthropic and Gemini want a
// message of the user in front of the rest, which [Trim] sees to. It takes
// linear time.
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

// OpenCalls returns the tool calls without a result, in their order: such as a
// process leaves that ended while its tools ran. No provider takes a thread with
// one, and no summary covers it. Answer each with its result, or with a Tool
// message that has IsError and says that the tool was interrupted, before
// anything else follows.
func OpenCalls(msgs []Message) []ToolCall {
	var open []ToolCall
	for _, m := range msgs {
		open = append(open, m.clone().ToolCalls...)
		if i := slices.IndexFunc(open, func(c ToolCall) bool { return c.ID == m.ToolCallID }); m.Role == Tool && i >= 0 {
			open = slices.Delete(open, i, i+1)
		}
	}
	return open
}
