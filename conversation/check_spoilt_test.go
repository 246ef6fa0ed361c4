package conversation_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// mutable returns the valid conversations whose fields say the same as Raw, so that a
// test knows which result belongs to which call.
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

// callAt returns the index of the message with the call, or -1.
func callAt(msgs []Message, id string) int {
	return slices.IndexFunc(msgs, func(m Message) bool {
		return slices.ContainsFunc(m.ToolCalls, func(c ToolCall) bool { return c.ID == id })
	})
}

func resultAt(msgs []Message, id string) int {
	return slices.IndexFunc(msgs, func(m Message) bool { return m.Role == Tool && m.ToolCallID == id })
}

func without(msgs []Message, i int) []Message { return slices.Delete(slices.Clone(msgs), i, i+1) }

// wants fails the test if Check does not report the rule for the message.
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

// isArray reports whether the message continues the one before it.
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

// rename replaces the id of a call everywhere.
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
			msgs = msgs[:len(msgs)-1] // a new question ends the turn that is checked
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

// A conversation is cut at each index. Check finds in both halves what the cut broke,
// and nothing else.
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

// generated calls use with random conversations of each provider. They are the same in
// every run.
func generated(t *testing.T, count int, o providertest.GenerateOptions, use func(t *testing.T, r *rand.Rand, p Provider, msgs []Message)) {
	for _, p := range providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			for seed := range count {
				r := rand.New(rand.NewPCG(uint64(seed), 1))
				use(t, r, p, providertest.Conversation(r, p, o))
				if t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
		})
	}
}

// Check finds nothing in conversations that the provider accepts.
func TestCheckGenerated(t *testing.T) {
	generated(t, count(500, 5000), providertest.GenerateOptions{}, func(t *testing.T, _ *rand.Rand, p Provider, msgs []Message) {
		for _, problem := range Check(msgs, p) {
			t.Errorf("message %d of %d: %s: %s\n%s", problem.Index, len(msgs), problem.Rule, problem.Text, around(msgs, problem.Index))
		}
	})
}

// Check finds what was spoilt, but not what only another provider would refuse.
func TestCheckMutated(t *testing.T) {
	for _, mutation := range providertest.Mutations() {
		t.Run(mutation.Name, func(t *testing.T) {
			for _, p := range providers {
				spoilt := 0
				for seed := 0; spoilt < count(30, 300); seed++ {
					if seed == 300 && spoilt == 0 {
						if mutation.Rules[p] != nil {
							t.Errorf("%s: nothing to spoil in %d conversations", p, seed)
						}
						break
					}
					r := rand.New(rand.NewPCG(uint64(seed), 3))
					msgs := providertest.Conversation(r, p, providertest.GenerateOptions{Messages: 1 + seed%30})
					if msgs = mutation.Apply(r, p, msgs); msgs == nil {
						continue
					}
					spoilt++
					checkMutated(t, mutation, p, msgs)
				}
			}
		})
	}
}

func checkMutated(t *testing.T, mutation providertest.Mutation, p Provider, msgs []Message) {
	t.Helper()
	var found []string
	problems := Check(msgs, p)
	for _, problem := range problems {
		found = append(found, problem.Rule)
	}
	want, spoils := mutation.Rules[p]
	switch {
	case !spoils && len(found) > 0:
		t.Fatalf("%s: %s (message %d), want nothing\n%s", p, found, problems[0].Index, around(msgs, problems[0].Index))
	case spoils && !slices.ContainsFunc(found, func(rule string) bool { return slices.Contains(want, rule) }):
		t.Fatalf("%s: found %s, want one of %s\n%s", p, found, want, around(msgs, len(msgs)-4))
	}
}

// count returns how many cases to try.
func count(few, many int) int {
	if testkit.Long() {
		return many
	}
	return few
}

// around prints the messages near an index.
func around(msgs []Message, index int) string {
	var b strings.Builder
	for i := max(0, index-3); i < min(len(msgs), index+4); i++ {
		text, err := msgs[i].MarshalJSON()
		if err != nil {
			text = []byte(err.Error())
		}
		b.Write(append([]byte{' '}, append(text[:min(len(text), 600)], '\n')...))
	}
	return b.String()
}
