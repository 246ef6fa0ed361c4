package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testing/providertest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The window after each of some messages that come one by one.
func TestWindow(t *testing.T) {
	u, a := UserText, AssistantText
	for name, c := range map[string]struct {
		o    Options
		msgs []Message
		want string
		asks string // the messages of each request
	}{
		"nothing is due": {Options{SummarizeAt: 4, KeepLast: 1}, users("a b c"), "a b c", ""},
		"the first":      {Options{SummarizeAt: 4, KeepLast: 1}, users("a b c d"), "S d", "a b c"},
		"and the second": {Options{SummarizeAt: 4, KeepLast: 1}, users("a b c d e f g"), "S g", "a b c|d e f"},
		"leading system messages do not count": {Options{SummarizeAt: 4, KeepLast: 1},
			append([]Message{SystemText("x"), SystemText("y")}, users("a b c d")...), "x y S d", "a b c"},
		"a later one does": {Options{SummarizeAt: 4, KeepLast: 1},
			[]Message{u("a"), SystemText("x"), u("b"), u("c")}, "S c", "a x b"},
		"a unit is kept whole": {Options{SummarizeAt: 6, KeepLast: 2},
			[]Message{u("a"), a("b"), u("c"), call("1", "2"), ToolResult("1", ""), ToolResult("2", "")}, "S c (1)(2) =1 =2", "a b"},
		"results that come late": {Options{SummarizeAt: 8, KeepLast: 1},
			[]Message{u("a"), a("b"), u("c"), call("1", "2"), ToolResult("2", ""), u("d"), ToolResult("1", ""), u("e")}, "S e", "a b c (1)(2) =2 d =1"},
		"an open call is never summarised": {Options{SummarizeAt: 4, KeepLast: 1},
			[]Message{u("a"), call("1"), u("b"), u("c"), u("d"), u("e")}, "a (1) b c d e", ""},
		"nor what it waits for": {Options{SummarizeAt: 5, KeepLast: 1},
			[]Message{u("a"), a("b"), u("c"), call("1"), u("d")}, "S c (1) d", "a b"},
		"the newest user message stands before the tail": {Options{SummarizeAt: 6, KeepLast: 2},
			[]Message{u("a"), call("1"), ToolResult("1", ""), call("2"), ToolResult("2", ""), a("b")}, "S a (2) =2 b", "(1) =1"},
		"and is summarised when there is a newer one": {Options{SummarizeAt: 6, KeepLast: 2},
			[]Message{u("a"), call("1"), ToolResult("1", ""), call("2"), ToolResult("2", ""), a("b"), u("c"), a("d")}, "S c d", "(1) =1|a (2) =2 b"},
		"the tail begins with the user": {Options{SummarizeAt: 5, KeepLast: 2},
			[]Message{u("a"), a("b"), u("c"), a("d"), u("e")}, "S c d e", "a b"},
		"the user within a unit begins no tail": {Options{SummarizeAt: 8, KeepLast: 2},
			[]Message{u("a"), a("b"), u("c"), call("1"), u("d"), ToolResult("1", ""), a("e"), u("f")}, "S c (1) d =1 e f", "a b"},
		"nobody ever asked": {Options{SummarizeAt: 4, KeepLast: 1},
			[]Message{a("a"), a("b"), a("c"), a("d")}, "S d", "a b c"},
		"nothing kept": {Options{SummarizeAt: 4}, []Message{u("a"), a("b"), u("c"), a("d")}, "S c", "a b c d"},
		"nothing kept, a result that nobody has seen": {Options{SummarizeAt: 3}, []Message{u("a"), a("b"), u("c"), call("1"), ToolResult("1", "")}, "S c (1) =1", "a b"},
		"nothing kept, reasoning without its answer": {Options{SummarizeAt: 4},
			[]Message{u("a"), a("b"), u("c"), providerMessage(OpenAIResponses, Assistant, `{"type":"reasoning","id":"r"}`)}, "S c ", "a b"},
		"nothing kept, a question last": {Options{SummarizeAt: 4}, []Message{u("a"), a("b"), u("c"), u("d")}, "S d", "a b c"},
	} {
		r := &recorder{}
		c.o.Summarize = r.summarize
		m := newMemory(t, c.o)
		add(t, m, c.msgs...)
		var asks []string
		for _, q := range r.requests {
			asks = append(asks, texts(q.Messages))
		}
		if got := texts(m.Messages()); got != c.want {
			t.Errorf("%s: the window is %q, want %q", name, got, c.want)
		}
		if got := strings.Join(asks, "|"); got != c.asks {
			t.Errorf("%s: summaries of %q, want %q", name, got, c.asks)
		}
	}
}

func TestTokens(t *testing.T) {
	length := func(m Message) int { return len(m.Content) }
	msg := func(n int) Message { return UserText(strings.Repeat("x", n)) }
	for name, c := range map[string]struct {
		o     Options
		sizes []int
		kept  []int
		calls int
	}{
		"below":                        {Options{SummarizeAtTokens: 100, KeepTokens: 30}, []int{50, 49}, []int{50, 49}, 0},
		"reached":                      {Options{SummarizeAtTokens: 100, KeepTokens: 30}, []int{50, 40, 10}, []int{10}, 1},
		"more is never kept than fits": {Options{SummarizeAtTokens: 100, KeepTokens: 30}, []int{50, 20, 20, 10}, []int{20, 10}, 1},
		"messages are reached first":   {Options{SummarizeAt: 3, KeepLast: 2, SummarizeAtTokens: 100, KeepTokens: 90}, []int{1, 2, 3}, []int{2, 3}, 1},
		"tokens are reached first":     {Options{SummarizeAt: 9, KeepLast: 8, SummarizeAtTokens: 100, KeepTokens: 30}, []int{60, 30, 10}, []int{10}, 1},
		"tokens, messages kept":        {Options{SummarizeAtTokens: 100, KeepLast: 2}, []int{10, 20, 30, 40}, []int{30, 40}, 1},
	} {
		r := &recorder{}
		c.o.Summarize, c.o.CountTokens = r.summarize, length
		m := newMemory(t, c.o)
		for _, n := range c.sizes {
			add(t, m, msg(n))
		}
		var kept []int
		for _, m := range m.Messages() {
			if m.Role == User {
				kept = append(kept, len(m.Content))
			}
		}
		if !slices.Equal(kept, c.kept) || r.calls() != c.calls {
			t.Errorf("%s: %v kept, %d calls, want %v and %d", name, kept, r.calls(), c.kept, c.calls)
		}
	}
}

// From one summary to the next, the bytes before the kept messages stay the same.
func TestPrefixStays(t *testing.T) {
	testkit.SkipInShort(t)
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 8, KeepLast: 2, Summarize: r.summarize})
	add(t, m, SystemText("sys"))
	prefix, calls := "sys\x00", 0
	for i := range 100 {
		add(t, m, UserText(fmt.Sprintf("look at `src/file%d.go`", i)))
		msgs := m.Messages()
		now := ""
		for _, m := range msgs {
			if m.Role == System {
				now += m.Content + "\x00"
			}
		}
		if now != prefix && r.calls() == calls {
			t.Fatalf("the prefix changed without a summary:\n%s\n%s", prefix, now)
		}
		prefix, calls = now, r.calls()
	}
	if calls != 16 {
		t.Errorf("%d summaries", calls)
	}
}

// Memory and Trim return valid messages of a valid conversation: whole units, with the
// newest message of the user and the leading instructions. The originals are complete
// and in order. SCRATCHPAD_TEST=full draws 100,000 cases.
func TestCallIsNeverCutFromItsResult(t *testing.T) {
	testkit.SkipInShort(t)
	cases := testkit.Pick(150, 2000, 100_000)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < cases && !t.Failed(); i += workers {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				if err := validCase(r); err != nil {
					t.Errorf("case %d of seed %d: %v", i, seed, err)
				}
			}
		})
	}
	wg.Wait()
}

func randomOptions(r *rand.Rand) Options {
	o := Options{Journal: &listJournal{}, OnError: func(error) {}, Evidence: EvidenceOptions{MaxTokens: r.IntN(3)*100 - 100}}
	if r.IntN(3) > 0 {
		o.SummarizeAt = 2 + r.IntN(30)
		o.KeepLast = r.IntN(o.SummarizeAt)
	}
	if o.SummarizeAt == 0 || r.IntN(3) == 0 {
		o.SummarizeAtTokens = 20 + r.IntN(2000)
		o.KeepTokens = r.IntN(o.SummarizeAtTokens)
	}
	o.Summarize = func(context.Context, Request) (string, error) {
		switch r.IntN(12) {
		case 0:
			return "", errors.New("overloaded")
		case 1:
			return strings.Repeat("word ", r.IntN(2000)), nil
		}
		return "They talked.", nil
	}
	return o
}

func validCase(r *rand.Rand) error {
	p := all[r.IntN(len(all))]
	length := 1 + r.IntN(16)
	if r.IntN(200) == 0 {
		length = 50 + r.IntN(350) // with long loops of tools
	}
	msgs := providertest.Conversation(r, p, providertest.GenerateOptions{Messages: length, Open: r.IntN(5) == 0})
	o := randomOptions(r)
	m, err := New(o)
	if err != nil {
		return err
	}
	for i := 0; i < len(msgs); {
		n := min(1+r.IntN(4), len(msgs)-i)
		if r.IntN(10) == 0 {
			n = len(msgs) - i
		}
		if err := m.Append(context.Background(), msgs[i:i+n]...); err != nil {
			return err
		}
		i += n
		if i == len(msgs) || r.IntN(20) == 0 {
			if err := sound(msgs[:i], m.Messages()); err != nil {
				return fmt.Errorf("%s, after %d of %d messages, %+v: %w", p, i, len(msgs), o, err)
			}
		}
	}
	i := 0
	for msg, err := range m.Originals(context.Background()) {
		if err != nil || i == len(msgs) || key(msg) != key(msgs[i]) {
			return fmt.Errorf("original %d: %v", i, err)
		}
		i++
	}
	if i != len(msgs) {
		return fmt.Errorf("%d originals of %d", i, len(msgs))
	}
	trim := TrimOptions{KeepLast: r.IntN(20), KeepTokens: r.IntN(2) * r.IntN(1000)}
	if err := sound(msgs, Trim(msgs, trim)); err != nil {
		return fmt.Errorf("%s, %+v: %w", p, trim, err)
	}
	return nil
}

// key returns a text that is different for different messages.
func key(m Message) string {
	return fmt.Sprintf("%s\x00%s\x00%v\x00%v\x00%s\x00%s", m.Role, m.Content, m.Parts, m.ToolCalls, m.ToolCallID, m.Raw)
}

// sound returns an error if a window does not fit its conversation.
func sound(whole, window []Message) error {
	for _, p := range all {
		if len(Check(whole, p)) > 0 {
			continue
		}
		if problems := Check(window, p); len(problems) > 0 {
			return fmt.Errorf("%s refuses %q: %+v\nof %q", p, texts(window), problems, texts(whole))
		}
	}
	// The window has the instructions, a summary, and messages of the conversation in order.
	kept := slices.DeleteFunc(slices.Clone(window), func(m Message) bool {
		return m.Role == System && strings.HasPrefix(m.Content, SummaryPrefix)
	})
	there := map[int]bool{}
	lead := 0
	for lead < len(whole) && whole[lead].Role == System {
		if lead == len(kept) || key(kept[lead]) != key(whole[lead]) {
			return fmt.Errorf("instruction %d is gone from %q", lead, texts(window))
		}
		there[lead] = true
		lead++
	}
	// Equal messages are matched from the end, where the window is complete.
	at := len(whole) - 1
	for _, m := range slices.Backward(kept[lead:]) {
		for at >= lead && key(whole[at]) != key(m) {
			at--
		}
		if at < lead {
			return fmt.Errorf("%q is not in the order of %q", texts(window), texts(whole))
		}
		there[at] = true
		at--
	}
	for i := len(whole) - 1; i >= 0; i-- {
		if whole[i].Role == User {
			if !there[i] {
				return fmt.Errorf("the newest message of the user is gone from %q", texts(window))
			}
			break
		}
	}
	// Calls and results are together, in the fields and in Raw.
	calls := map[string]int{}
	for i, m := range whole {
		for _, c := range m.ToolCalls {
			calls[c.ID] = i
		}
		if c, ok := calls[m.ToolCallID]; m.Role == Tool && ok && there[c] != there[i] {
			return fmt.Errorf("the call %s was cut from its result in %q", m.ToolCallID, texts(window))
		}
	}
	return nil
}
