package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/conversation"
)

// A flintSummariser remembers its requests.
type flintSummariser struct {
	requests []conversation.Request
	text     string // of the answer; "": how many messages there were
	err      error
}

func (s *flintSummariser) summarize(_ context.Context, r conversation.Request) (string, error) {
	s.requests = append(s.requests, r)
	if s.text == "" {
		return fmt.Sprintf("summary of %d", len(r.Messages)), s.err
	}
	return s.text, s.err
}

// flintMax returns a memory with Flint's first options, with messages of the user.
func flintMax(t *testing.T, s *flintSummariser, atMost, summarizeAt int, texts ...string) *conversation.Memory {
	t.Helper()
	return flintMemory(t, conversation.Options{Max: atMost, SummarizeAt: summarizeAt, Summarize: s.summarize}, texts...)
}

// flintMemory returns a memory with messages of the user, which were appended one by
// one.
func flintMemory(t *testing.T, o conversation.Options, texts ...string) *conversation.Memory {
	t.Helper()
	m, err := conversation.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if err := m.Append(t.Context(), conversation.UserText(text)); err != nil {
			t.Fatalf("append %q: %v", text, err)
		}
	}
	return m
}

func wantMessages(t *testing.T, m *conversation.Memory, want ...conversation.Message) {
	t.Helper()
	if diff := cmp.Diff(append([]conversation.Message{}, want...), m.Messages()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func wantSummary(t *testing.T, m *conversation.Memory, want string) {
	t.Helper()
	if got, ok := m.Summary(); got != want || ok != (want != "") {
		t.Errorf("summary is %q, %v, want %q", got, ok, want)
	}
}

// flintUsers returns messages of the user.
func flintUsers(texts ...string) (msgs []conversation.Message) {
	for _, text := range texts {
		msgs = append(msgs, conversation.UserText(text))
	}
	return msgs
}

// The cases of the tests of Flint's conversationMemory().
func TestFlintMemory(t *testing.T) {
	t.Run("starts with empty messages and no summary", func(t *testing.T) {
		m := flintMax(t, &flintSummariser{}, 5, 4)
		wantMessages(t, m)
		wantSummary(t, m, "")
	})
	t.Run("does not summarise below the threshold", func(t *testing.T) {
		s := &flintSummariser{}
		m := flintMax(t, s, 5, 4, "a", "b", "c")
		wantMessages(t, m, flintUsers("a", "b", "c")...)
		if len(s.requests) != 0 {
			t.Errorf("the summariser was called: %+v", s.requests)
		}
	})
	t.Run("returns a copy", func(t *testing.T) {
		m := flintMax(t, &flintSummariser{}, 5, 4, "x")
		got := append(m.Messages(), conversation.UserText("injected"))
		got[0].Content = "spoilt"
		wantMessages(t, m, flintUsers("x")...)
	})
	t.Run("summarises at the threshold", func(t *testing.T) {
		s := &flintSummariser{}
		m := flintMax(t, s, 5, 4, "a", "b", "c", "d")
		if len(s.requests) != 1 {
			t.Fatalf("the summariser was called %d times", len(s.requests))
		}
		if diff := cmp.Diff(flintUsers("a", "b", "c"), s.requests[0].Messages); diff != "" {
			t.Errorf("what was summarised (-want +got):\n%s", diff)
		}
		wantMessages(t, m, conversation.SystemText("Summary of prior conversation: summary of 3"), conversation.UserText("d"))
	})
	t.Run("returns the latest summary", func(t *testing.T) {
		s := &flintSummariser{text: "the summary text"}
		m := flintMax(t, s, 5, 4, "0", "1", "2", "3")
		wantSummary(t, m, "the summary text")
	})
	t.Run("leaves the messages when the summariser fails", func(t *testing.T) {
		boom := errors.New("boom")
		s, told := &flintSummariser{err: boom}, []error{}
		m := flintMemory(t, conversation.Options{Max: 5, SummarizeAt: 4, Summarize: s.summarize, OnError: func(err error) { told = append(told, err) }}, "a", "b", "c", "d")
		wantMessages(t, m, flintUsers("a", "b", "c", "d")...)
		wantSummary(t, m, "")
		if len(told) != 1 || !errors.Is(told[0], boom) {
			t.Errorf("OnError got %v", told)
		}
	})
	t.Run("clears", func(t *testing.T) {
		m := flintMax(t, &flintSummariser{}, 5, 4, "0", "1", "2", "3")
		if err := m.Clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantMessages(t, m)
		wantSummary(t, m, "")
	})
}

// How many messages are kept for max and summarizeAt. Flint's own rule is
// max - summarizeAt. In its documented example that is below 1, and it kept nothing.
func TestFlintMax(t *testing.T) {
	for _, c := range []struct{ max, summarizeAt, keep int }{
		{5, 4, 1}, {7, 4, 3}, {8, 4, 3}, {100, 4, 3}, {30, 20, 10}, {20, 30, 19}, {4, 4, 3}, {2, 30, 1}, {2, 2, 1},
	} {
		s := &flintSummariser{}
		var texts []string
		for i := range c.summarizeAt {
			texts = append(texts, fmt.Sprint("message ", i))
		}
		m := flintMax(t, s, c.max, c.summarizeAt, texts...)
		if got := len(m.Messages()) - 1; got != c.keep || len(s.requests) != 1 {
			t.Errorf("max %d, summarizeAt %d: %d messages were kept, %d summaries made, want %d, 1", c.max, c.summarizeAt, got, len(s.requests), c.keep)
		}
	}
	if _, err := conversation.New(conversation.Options{Max: 1, SummarizeAt: 4, Summarize: new(flintSummariser).summarize}); !errors.Is(err, conversation.ErrConfig) {
		t.Errorf("max 1: error %v, want ErrConfig", err)
	}
}

// The form of Flint's example: adapter, model, maxMessages 20, keepLast 6. The
// adapter and the model are the summariser here.
func TestFlintKeepLast(t *testing.T) {
	s := &flintSummariser{}
	m := flintMemory(t, conversation.Options{SummarizeAt: 20, KeepLast: 6, Summarize: s.summarize})
	for turn := range 20 {
		if err := m.Append(t.Context(), conversation.UserText(fmt.Sprint("question ", turn))); err != nil {
			t.Fatal(err)
		}
		if err := m.Append(t.Context(), conversation.AssistantText(fmt.Sprint("answer ", turn))); err != nil {
			t.Fatal(err)
		}
		if n := len(m.Messages()); n > 20 {
			t.Errorf("turn %d: %d messages", turn, n)
		}
	}
	said := slices.ContainsFunc(m.Messages(), func(msg conversation.Message) bool {
		return msg.Role == conversation.System && strings.Contains(msg.Content, "Summary")
	})
	if !said || len(s.requests) != 2 {
		t.Errorf("%d summaries, in the messages: %v; want 2, true", len(s.requests), said)
	}
	// 20 messages, of which 6 stay; 14 more, of which 6 stay; 6 more.
	if got := len(m.Messages()) - 1; got != 12 {
		t.Errorf("%d messages are left, want 12", got)
	}
	if r := s.requests[1]; r.Previous != "summary of 14" || len(r.Messages) != 14 || r.Messages[0].Content != "question 7" {
		t.Errorf("the second request has the previous summary %q and %d messages from %q on", r.Previous, len(r.Messages), r.Messages[0].Content)
	}
}

// The original loses a message that comes while the summary is made, the result of a
// call, and the question that is being answered.
func TestFlintFaults(t *testing.T) {
	t.Run("a message during the summary", func(t *testing.T) {
		var m *conversation.Memory
		s := func(ctx context.Context, r conversation.Request) (string, error) {
			return "summary", m.Append(ctx, conversation.UserText("meanwhile"))
		}
		m = flintMemory(t, conversation.Options{SummarizeAt: 4, KeepLast: 1, Summarize: s})
		if err := m.Append(t.Context(), flintUsers("a", "b", "c", "d")...); err != nil {
			t.Fatal(err)
		}
		wantMessages(t, m, append([]conversation.Message{conversation.SystemText(conversation.SummaryPrefix + "summary")}, flintUsers("d", "meanwhile")...)...)
	})
	t.Run("a call and its result", func(t *testing.T) {
		s := &flintSummariser{}
		m := flintMemory(t, conversation.Options{SummarizeAt: 4, KeepLast: 1, Summarize: s.summarize}, "a", "b")
		call := conversation.Message{Role: conversation.Assistant, ToolCalls: []conversation.ToolCall{{ID: "1", Name: "f", Arguments: []byte("{}")}}}
		result := conversation.ToolResult("1", "done")
		if err := m.Append(t.Context(), call, result); err != nil {
			t.Fatal(err)
		}
		wantMessages(t, m, conversation.SystemText(conversation.SummaryPrefix+"summary of 1"), conversation.UserText("b"), call, result)
	})
	t.Run("a summariser that fails is not asked each time", func(t *testing.T) {
		s := &flintSummariser{err: errors.New("boom")}
		stopped := func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }
		m := flintMemory(t, conversation.Options{SummarizeAt: 4, KeepLast: 1, Summarize: s.summarize, OnError: func(error) {}, Now: stopped})
		for i := range 200 {
			if err := m.Append(t.Context(), conversation.UserText(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		// At message 4, then after 1, 2, 4, 8, 16, 32, 64 and 64 more: 195 in all.
		if len(s.requests) != 9 {
			t.Errorf("the summariser was asked %d times, want 9", len(s.requests))
		}
	})
}
