package conversation_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// mutable are the valid conversations whose fields say what Raw says, so that a
// mutation knows which result is whose.
func mutable(p Provider) map[string][]Message {
	valid := validConversations()[p]
	chosen := map[string][]Message{}
	for _, name := range []string{"rich", "plain loop", "one item a message", "anthropic", "openai-chat", "openai-responses", "gemini"} {
		if msgs, ok := valid[name]; ok {
			chosen[name] = msgs
		}
	}
	return chosen
}

// callAt returns the message with the call, -1 where there is none.
func callAt(msgs []Message, id string) int {
	return slices.IndexFunc(msgs, func(m Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c ToolCall) bool { return c.ID == id })
	})
}

func resultAt(msgs []Message, id string) int {
	return slices.IndexFunc(msgs, func(m Message) bool { return m.Role == Tool && m.ToolCallID == id })
}

func without(msgs []Message, i int) []Message { return slices.Delete(slices.Clone(msgs), i, i+1) }

// wants fails where the rule is not named for the message.
func wants(t *testing.T, p Provider, msgs []Message, rule string, index int) {
	t.Helper()
	problems := Check(msgs, p)
	if !slices.ContainsFunc(problems, func(q Problem) bool { return q.Rule == rule && q.Index == index }) {
		t.Errorf("%s: %v, want %s at %d among them", p, problems, rule, index)
	}
}

func eachMutable(t *testing.T, mutate func(t *testing.T, p Provider, msgs []Message)) {
	for _, p := range all {
		for name, msgs := range mutable(p) {
			t.Run(string(p)+" "+name, func(t *testing.T) {
				none(t, p, msgs)
				mutate(t, p, msgs)
			})
		}
	}
}

func TestCheckDroppedResult(t *testing.T) {
	eachMutable(t, func(t *testing.T, p Provider, msgs []Message) {
		for i, m := range msgs {
			if m.Role == Tool {
				wants(t, p, without(msgs, i), "missing-result", callAt(msgs, m.ToolCallID))
			}
		}
	})
}

func TestCheckDroppedCall(t *testing.T) {
	eachMutable(t, func(t *testing.T, p Provider, msgs []Message) {
		for i, m := range msgs {
			for _, c := range m.ToolCalls {
				wants(t, p, without(msgs, i), "orphaned-result", resultAt(msgs, c.ID)-1)
			}
		}
	})
}

func TestCheckSwapped(t *testing.T) {
	eachMutable(t, func(t *testing.T, p Provider, msgs []Message) {
		for i := 1; i < len(msgs); i++ {
			swapped := slices.Clone(msgs)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			switch first, second := msgs[i-1], msgs[i]; {
			case first.Role == Tool && second.Role == Tool && !isArray(second):
				none(t, p, swapped)
			case second.Role == Tool && callAt(msgs, second.ToolCallID) == i-1:
				wants(t, p, swapped, "misplaced-result", i-1)
			case p == Anthropic && first.Role == Tool && len(second.ToolCalls) > 0 && callAt(msgs, first.ToolCallID) == i-2:
				none(t, p, swapped) // two messages with calls are one turn
			case first.Role == Tool && p != OpenAIResponses && !isArray(second):
				wants(t, p, swapped, "misplaced-result", i)
			}
		}
	})
}

// isArray says that the message continues the one before.
func isArray(m Message) bool { return bytes.HasPrefix(m.Raw, []byte("[")) }

func TestCheckDuplicatedID(t *testing.T) {
	eachMutable(t, func(t *testing.T, p Provider, msgs []Message) {
		var first ToolCall
		firstAt := -1
		for i, m := range msgs {
			for _, c := range m.ToolCalls {
				if firstAt < 0 {
					first, firstAt = c, i
					continue
				}
				renamed := rename(msgs, c.ID, first.ID)
				if p == Anthropic || p == OpenAIResponses || p == OpenAIChat && i == firstAt {
					wants(t, p, renamed, "duplicate-id", i)
				} else {
					none(t, p, renamed)
				}
			}
		}
	})
}

// rename gives a call another id, everywhere.
func rename(msgs []Message, from, to string) []Message {
	renamed := make([]Message, len(msgs))
	for i, m := range msgs {
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k := range m.ToolCalls {
			if m.ToolCalls[k].ID == from {
				m.ToolCalls[k].ID = to
			}
		}
		if m.ToolCallID == from {
			m.ToolCallID = to
		}
		m.Raw = bytes.ReplaceAll(m.Raw, []byte(`"`+from+`"`), []byte(`"`+to+`"`))
		if m.RawProvider == "" {
			m.Raw = nil
		}
		renamed[i] = m
	}
	return renamed
}

func TestCheckMovedInstruction(t *testing.T) {
	eachMutable(t, func(t *testing.T, p Provider, msgs []Message) {
		if msgs[0].Role != System {
			return
		}
		for to := 1; to < len(msgs); to++ {
			moved := slices.Insert(slices.Clone(msgs[1:]), to, msgs[0])
			if p == Anthropic || p == Gemini {
				one(t, p, moved, "system-position", to)
			} else if p == OpenAIChat && to+1 < len(moved) && moved[to+1].Role == Tool {
				wants(t, p, moved, "misplaced-result", to+1)
			} else if msgs[to].Role != Tool && (to+1 == len(msgs) || msgs[to+1].Role != Tool) && !isReasoning(msgs[to]) {
				none(t, p, moved)
			}
		}
	})
}

func isReasoning(m Message) bool { return bytes.Contains(m.Raw, []byte(`"type":"reasoning"`)) }

func TestCheckEmptied(t *testing.T) {
	eachMutable(t, func(t *testing.T, p Provider, msgs []Message) {
		for i, m := range msgs {
			if m.Role != User && m.Role != Assistant || len(m.ToolCalls) > 0 || isReasoning(m) {
				continue
			}
			emptied := slices.Clone(msgs)
			emptied[i] = Message{Role: m.Role}
			switch {
			case p == Gemini, p == Anthropic && (m.Role == User || i < len(msgs)-1):
				one(t, p, emptied, "empty-content", i)
			default:
				none(t, p, emptied)
			}
		}
	})
}

func TestCheckStrippedSignature(t *testing.T) {
	for p, name := range map[Provider]string{Anthropic: "rich", Gemini: "without ids"} {
		msgs := validConversations()[p][name]
		if p == Gemini {
			msgs = msgs[:len(msgs)-1] // a new question ends the turn in which it looks
			none(t, p, msgs)
		}
		stripped := 0
		for i, m := range msgs {
			if m.RawProvider != p {
				continue
			}
			for with, without := range map[string]string{
				`,"signature":"EqQB"`: ``, `"signature":"EqQB"`: `"signature":""`,
				`,"thoughtSignature":"CiQB"`: ``, `"data":"EmwK"`: `"data":""`,
			} {
				if !bytes.Contains(m.Raw, []byte(with)) {
					continue
				}
				stripped++
				changed := slices.Clone(msgs)
				changed[i].Raw = bytes.ReplaceAll(m.Raw, []byte(with), []byte(without))
				one(t, p, changed, "thinking-signature", i)
			}
		}
		if stripped < 2 {
			t.Errorf("%s: %d signatures", p, stripped)
		}
	}
}

func TestCheckDroppedItem(t *testing.T) {
	msgs := responsesConversations()["one item a message"]
	for i := range msgs {
		if i > 0 && isReasoning(msgs[i-1]) && msgs[i+1].RawProvider != OpenAIResponses {
			wants(t, OpenAIResponses, without(msgs, i), "orphaned-reasoning", i-1)
		}
	}
	wants(t, OpenAIResponses, without(msgs, 3), "orphaned-reasoning", 2)
}

// TestCheckSplit cuts at each index and says of both halves what must be found,
// and that there is nothing else.
func TestCheckSplit(t *testing.T) {
	eachMutable(t, func(t *testing.T, p Provider, msgs []Message) {
		for k := range msgs {
			same(t, p, msgs[:k], openCalls(p, msgs[:k]))
			same(t, p, msgs[k:], orphans(p, msgs[k:]))
		}
	})
}

func same(t *testing.T, p Provider, msgs []Message, want []string) {
	t.Helper()
	var got []string
	for _, q := range Check(msgs, p) {
		got = append(got, fmt.Sprint(q.Rule, " ", q.Index))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s, %d messages: %v, want %v", p, len(msgs), got, want)
	}
}

func openCalls(p Provider, head []Message) (want []string) {
	talk := slices.ContainsFunc(head, func(m Message) bool { return m.Role != System })
	if len(head) > 0 && !talk && (p == Anthropic || p == Gemini) {
		want = append(want, fmt.Sprint("first-message ", len(head)-1))
	}
	for i, m := range head {
		for _, c := range m.ToolCalls {
			if resultAt(head, c.ID) < 0 {
				want = append(want, fmt.Sprint("missing-result ", i))
			}
		}
	}
	if n := len(head) - 1; n >= 0 && p == OpenAIResponses && len(head[n].ToolCalls) == 0 && isReasoning(head[n]) {
		want = append(want, fmt.Sprint("orphaned-reasoning ", n))
	}
	return want
}

func orphans(p Provider, tail []Message) (want []string) {
	for i, m := range tail {
		if m.Role == Tool && callAt(tail, m.ToolCallID) < 0 {
			want = append(want, fmt.Sprint("orphaned-result ", i))
		}
	}
	first := slices.IndexFunc(tail, func(m Message) bool { return m.Role != System })
	if (p == Anthropic || p == Gemini) && tail[first].Role == Assistant {
		want = append(want, fmt.Sprint("first-message ", first))
	}
	return want
}
