package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// A summariser that says what it was given, and how often it was called.
type recorder struct {
	mu       sync.Mutex
	requests []Request
}

func (r *recorder) summarize(_ context.Context, q Request) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q)
	return fmt.Sprintf("summary %d of %s", len(r.requests), texts(q.Messages)), nil
}

func (r *recorder) calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.requests)
}

// texts names messages: their texts, calls and results, in one line.
func texts(msgs []Message) string {
	var names []string
	for _, m := range msgs {
		name := m.Text()
		for _, c := range m.ToolCalls {
			name += "(" + c.ID + ")"
		}
		if m.ToolCallID != "" {
			name = "=" + m.ToolCallID
		}
		if m.Role == System && strings.HasPrefix(name, SummaryPrefix) {
			name = "S"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func call(ids ...string) Message {
	m := Message{Role: Assistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, ToolCall{ID: id, Name: "tool", Arguments: []byte(`{}`)})
	}
	return m
}

func newMemory(t testing.TB, o Options) *Memory {
	t.Helper()
	if o.OnError == nil {
		o.OnError = func(err error) { t.Errorf("a summary: %v", err) }
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func add(t testing.TB, m *Memory, msgs ...Message) {
	t.Helper()
	for _, msg := range msgs {
		if err := m.Append(context.Background(), msg); err != nil {
			t.Fatal(err)
		}
	}
}

func users(names string) []Message {
	var msgs []Message
	for name := range strings.FieldsSeq(names) {
		msgs = append(msgs, UserText(name))
	}
	return msgs
}

func TestOptions(t *testing.T) {
	ok := func(context.Context, Request) (string, error) { return "s", nil }
	for name, c := range map[string]struct {
		o  Options
		ok bool
	}{
		"nothing":                        {Options{}, false},
		"no summariser":                  {Options{SummarizeAt: 4}, false},
		"no trigger":                     {Options{Summarize: ok, KeepLast: 2}, false},
		"keeps as much as triggers":      {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 4}, false},
		"keeps more":                     {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 5}, false},
		"keeps as many tokens":           {Options{Summarize: ok, SummarizeAtTokens: 4, KeepTokens: 4}, false},
		"both of Flint's forms":          {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 2, Max: 5}, false},
		"Max of 1":                       {Options{Summarize: ok, SummarizeAt: 4, Max: 1}, false},
		"negative SummarizeAt":           {Options{Summarize: ok, SummarizeAt: -1, SummarizeAtTokens: 10}, false},
		"negative KeepLast":              {Options{Summarize: ok, SummarizeAt: 4, KeepLast: -1}, false},
		"negative Max":                   {Options{Summarize: ok, SummarizeAt: 4, Max: -1}, false},
		"negative tokens":                {Options{Summarize: ok, SummarizeAt: 4, SummarizeAtTokens: -1}, false},
		"negative KeepTokens":            {Options{Summarize: ok, SummarizeAt: 4, KeepTokens: -1}, false},
		"negative SummaryTokens":         {Options{Summarize: ok, SummarizeAt: 4, SummaryTokens: -1}, false},
		"negative timeout":               {Options{Summarize: ok, SummarizeAt: 4, SummarizeTimeout: -1}, false},
		"a file journal that is nil":     {Options{Summarize: ok, SummarizeAt: 4, Journal: (*File)(nil)}, false},
		"messages":                       {Options{Summarize: ok, SummarizeAt: 4}, true},
		"tokens":                         {Options{Summarize: ok, SummarizeAtTokens: 4}, true},
		"tokens, and messages kept":      {Options{Summarize: ok, SummarizeAtTokens: 4, KeepLast: 100}, true},
		"both":                           {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 3, SummarizeAtTokens: 9, KeepTokens: 8}, true},
		"no evidence":                    {Options{Summarize: ok, SummarizeAt: 4, Evidence: EvidenceOptions{MaxTokens: -1}}, true},
		"Flint's example, which kept 0":  {Options{Summarize: ok, SummarizeAt: 30, Max: 20}, true},
		"Flint's first form, as meant":   {Options{Summarize: ok, SummarizeAt: 4, Max: 5}, true},
		"Flint's first form, very large": {Options{Summarize: ok, SummarizeAt: 4, Max: 500}, true},
	} {
		m, err := New(c.o)
		if (err == nil) != c.ok || c.ok != (m != nil) || !c.ok && !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Open(t.Context(), c.o); !c.ok && !errors.Is(err, ErrConfig) || c.ok && !errors.Is(err, ErrNoJournal) {
			t.Errorf("%s, Open without a journal: %v", name, err)
		}
	}
}

func TestMaxIsFlintsKeep(t *testing.T) {
	for _, c := range []struct{ at, max, keep int }{
		{4, 5, 1}, {15, 20, 5}, {30, 20, 19}, {4, 500, 3}, {4, 4, 3}, {4, 2, 1}, {2, 2, 1},
	} {
		r := &recorder{}
		m := newMemory(t, Options{SummarizeAt: c.at, Max: c.max, Summarize: r.summarize})
		for i := range c.at {
			add(t, m, UserText(fmt.Sprint(i)))
		}
		if got := len(m.Messages()) - 1; got != c.keep || r.calls() != 1 {
			t.Errorf("summarizeAt %d, max %d: %d kept, %d calls, want %d and 1", c.at, c.max, got, r.calls(), c.keep)
		}
	}
}

// What a window looks like when messages come one by one.
func TestWindow(t *testing.T) {
	u, a := UserText, AssistantText
	for name, c := range map[string]struct {
		o    Options
		msgs []Message
		want string
		asks string // what each summary was made of
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
			[]Message{u("a"), call("1"), u("b"), u("c"), u("d"), u("e")}, "S a (1) b c d e", ""},
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
		"nothing kept, a question last":               {Options{SummarizeAt: 4}, []Message{u("a"), a("b"), u("c"), u("d")}, "S d", "a b c"},
	} {
		if name == "an open call is never summarised" {
			c.want = "a (1) b c d e"
		}
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
		"below":                         {Options{SummarizeAtTokens: 100, KeepTokens: 30}, []int{50, 49}, []int{50, 49}, 0},
		"reached":                       {Options{SummarizeAtTokens: 100, KeepTokens: 30}, []int{50, 40, 10}, []int{10}, 1},
		"more is never kept than fits":  {Options{SummarizeAtTokens: 100, KeepTokens: 30}, []int{50, 20, 20, 10}, []int{20, 10}, 1},
		"the newest one is always kept": {Options{SummarizeAtTokens: 100, KeepTokens: 30}, []int{50, 60}, []int{60}, 1},
		"messages are reached first":    {Options{SummarizeAt: 3, KeepLast: 2, SummarizeAtTokens: 100, KeepTokens: 90}, []int{1, 2, 3}, []int{2, 3}, 1},
		"tokens are reached first":      {Options{SummarizeAt: 9, KeepLast: 8, SummarizeAtTokens: 100, KeepTokens: 30}, []int{60, 30, 10}, []int{10}, 1},
		"tokens, messages kept":         {Options{SummarizeAtTokens: 100, KeepLast: 2}, []int{10, 20, 30, 40}, []int{30, 40}, 1},
		"one that is too large":         {Options{SummarizeAtTokens: 100, KeepTokens: 30}, []int{50, 500, 1, 1, 1}, []int{1, 1, 1}, 1},
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

// A question that needs 300 rounds of tools: the window stays small, the question
// stays in it, and the model is not called at each message.
func TestLongToolLoop(t *testing.T) {
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 20, KeepLast: 6, Summarize: r.summarize})
	add(t, m, SystemText("sys"), UserText("old"), AssistantText("answer"), UserText("question"))
	for i := range 300 {
		id := fmt.Sprint(i)
		add(t, m, call(id), ToolResult(id, "r"))
		msgs := m.Messages()
		if len(msgs) > 22 {
			t.Fatalf("round %d: %d messages: %s", i, len(msgs), texts(msgs))
		}
		if !slices.ContainsFunc(msgs, func(m Message) bool { return m.Content == "question" }) {
			t.Fatalf("round %d: the question is gone: %s", i, texts(msgs))
		}
	}
	if n := r.calls(); n > 50 {
		t.Errorf("%d summaries for 600 messages", n)
	}
}

// Where what is kept is above the threshold, the summariser is not called for
// each message.
func TestKeptAboveThreshold(t *testing.T) {
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAtTokens: 1000, KeepLast: 10, Summarize: r.summarize, CountTokens: func(Message) int { return 200 }})
	for i := range 100 {
		add(t, m, UserText(fmt.Sprint(i)))
	}
	if n := r.calls(); n < 10 || n > 20 {
		t.Errorf("%d summaries of 100 messages of 200 tokens", n)
	}
	r = &recorder{}
	m = newMemory(t, Options{SummarizeAt: 10, KeepTokens: 10_000, Summarize: r.summarize, CountTokens: func(Message) int { return 200 }})
	for i := range 150 {
		add(t, m, UserText(fmt.Sprint(i)))
	}
	if n := r.calls(); n != 10 {
		t.Errorf("%d summaries of 150 messages, 50 kept", n)
	}
}

// The bytes before the kept messages do not change from one summary to the next.
func TestPrefixStays(t *testing.T) {
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

// Every message is in exactly one request, and each is given the summary before.
func TestEachMessageIsSummarisedOnce(t *testing.T) {
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 10, KeepLast: 3, SummaryTokens: 77, Summarize: r.summarize})
	var want []string
	for i := range 60 {
		id := fmt.Sprint(i)
		msgs := []Message{UserText("u" + id), call(id), ToolResult(id, "r"), AssistantText("a" + id)}
		add(t, m, msgs...)
		want = append(want, texts(msgs))
	}
	var got []string
	for i, q := range r.requests {
		got = append(got, texts(q.Messages))
		if want := ""; i > 0 {
			want = fmt.Sprintf("summary %d of %s", i, texts(r.requests[i-1].Messages))
			if q.Previous != want {
				t.Fatalf("request %d: the previous summary is %q, want %q", i, q.Previous, want)
			}
		} else if q.Previous != want {
			t.Fatalf("the first request has a previous summary, %q", q.Previous)
		}
		if q.MaxTokens != 77 {
			t.Fatalf("MaxTokens is %d", q.MaxTokens)
		}
	}
	for _, msg := range m.Messages()[1:] {
		got = append(got, texts([]Message{msg}))
	}
	if got, want := strings.Join(got, " "), strings.Join(want, " "); got != want {
		t.Errorf("summarised and kept:\n%s\nwant\n%s", got, want)
	}
}

// A summary covers what it would have covered in time, whatever came meanwhile.
func TestLateSummaryCoversTheSame(t *testing.T) {
	var msgs []Message
	for i := range 40 {
		id := fmt.Sprint(i)
		msgs = append(msgs, UserText("u"+id), call(id), ToolResult(id, "r"))
	}
	onTime := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 10, KeepLast: 3, Summarize: onTime.summarize})
	add(t, m, msgs...)

	batch := &recorder{}
	whole := newMemory(t, Options{SummarizeAt: 10, KeepLast: 3, Summarize: batch.summarize})
	if err := whole.Append(t.Context(), msgs...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(onTime.requests, batch.requests); diff != "" {
		t.Errorf("one by one (-), in a batch (+):\n%s", diff)
	}
	if diff := cmp.Diff(m.Messages(), whole.Messages()); diff != "" {
		t.Errorf("one by one (-), in a batch (+):\n%s", diff)
	}

	// Nothing for most of the conversation, then a summariser that works again.
	down, later := true, &recorder{}
	now := time.Unix(1_800_000_000, 0)
	failing := newMemory(t, Options{SummarizeAt: 10, KeepLast: 3, OnError: func(error) {}, Now: func() time.Time { return now },
		Summarize: func(ctx context.Context, q Request) (string, error) {
			if down {
				return "", errors.New("overloaded")
			}
			return later.summarize(ctx, q)
		}})
	add(t, failing, msgs...)
	down, now = false, now.Add(time.Hour)
	if err := failing.Append(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(onTime.requests, later.requests); diff != "" {
		t.Errorf("one by one (-), after failures (+):\n%s", diff)
	}
}

func TestFailuresLeaveTheMessages(t *testing.T) {
	long := strings.Repeat("word ", 300)
	for name, c := range map[string]struct {
		summarize func(context.Context, Request) (string, error)
		says      string
	}{
		"an error":               {func(context.Context, Request) (string, error) { return "half", errors.New("boom") }, "boom"},
		"a panic":                {func(context.Context, Request) (string, error) { panic("boom") }, "panicked: boom"},
		"an ended goroutine":     {func(context.Context, Request) (string, error) { runtime.Goexit(); return "", nil }, "ended its goroutine"},
		"no text":                {func(context.Context, Request) (string, error) { return " \n", nil }, "no text"},
		"bytes":                  {func(context.Context, Request) (string, error) { return "a\xff", nil }, "UTF-8"},
		"more than it was given": {func(context.Context, Request) (string, error) { return long, nil }, "that it replaces"},
	} {
		var errs []error
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: c.summarize, OnError: func(err error) { errs = append(errs, err) }})
		add(t, m, users("a b c d")...)
		if got := texts(m.Messages()); got != "a b c d" {
			t.Errorf("%s: the window is %q", name, got)
		}
		if s, ok := m.Summary(); s != "" || ok {
			t.Errorf("%s: there is a summary, %q", name, s)
		}
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), c.says) {
			t.Errorf("%s: OnError got %v", name, errs)
		}
	}
}

// A text of at most 256 tokens may be longer than what it replaces, and one that
// is too long is tried again when there is enough for it.
func TestLongSummaries(t *testing.T) {
	short := strings.Repeat("word ", 150)
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: func(context.Context, Request) (string, error) { return short, nil }})
	add(t, m, users("a b c d")...)
	if _, ok := m.Summary(); !ok {
		t.Error("a short text was refused")
	}

	long := strings.Repeat("word ", 300)
	calls, failures := 0, 0
	m = newMemory(t, Options{SummarizeAt: 4, KeepLast: 3, OnError: func(error) { failures++ },
		Summarize: func(context.Context, Request) (string, error) { calls++; return long, nil }})
	for i := range 200 {
		add(t, m, UserText(fmt.Sprint("message ", i)))
	}
	if _, ok := m.Summary(); !ok || failures > 8 {
		t.Errorf("summary %v after %d calls, %d of them failures", ok, calls, failures)
	}
	if n := len(m.Messages()); n > 100 {
		t.Errorf("the window has %d messages", n)
	}
	long = "short from now on"
	add(t, m, UserText("a"))
	for before := calls; ; before = calls {
		if add(t, m, UserText("a")); calls == before+1 {
			break
		}
		t.Fatal("after a success the next summary waits")
	}
}

// After a failure the next try opens after 1, 2, 4 ... 64 further messages, or
// after 1 s, 2 s ... 5 min.
func TestPausesAfterFailures(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	calls := 0
	fail := true
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Now: func() time.Time { return now }, OnError: func(error) {},
		Summarize: func(context.Context, Request) (string, error) {
			calls++
			if fail {
				return "", errors.New("down")
			}
			return "s", nil
		}})
	add(t, m, users("a b c d")...)
	var gaps []int
	for len(gaps) < 9 {
		gap, before := 0, calls
		for calls == before {
			add(t, m, UserText("x"))
			gap++
		}
		gaps = append(gaps, gap)
	}
	if want := []int{1, 2, 4, 8, 16, 32, 64, 64, 64}; !slices.Equal(gaps, want) {
		t.Errorf("tries after %v messages, want %v", gaps, want)
	}

	fail = false
	now = now.Add(10 * time.Minute)
	add(t, m, UserText("x"))
	if _, ok := m.Summary(); !ok {
		t.Fatal("no summary after the pause")
	}
	// A success resets both.
	fail = true
	var waits []time.Duration
	for before := calls; calls == before; {
		add(t, m, UserText("x"))
	}
	for len(waits) < 10 {
		wait, before := time.Duration(0), calls
		for calls == before {
			now = now.Add(time.Second)
			wait += time.Second
			if err := m.Append(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		waits = append(waits, wait)
	}
	s := time.Second
	if want := []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 128 * s, 256 * s, 300 * s}; !slices.Equal(waits, want) {
		t.Errorf("tries after %v, want %v", waits, want)
	}
}

// One that ignores its deadline is abandoned at it, and its late result discarded.
func TestHangingSummariser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		release := make(chan struct{})
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, OnError: func(err error) { errs = append(errs, err) },
			Summarize: func(context.Context, Request) (string, error) { <-release; return "late", nil }})
		began := time.Now()
		add(t, m, users("a b c d")...)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("Append took %v", took)
		}
		if len(errs) != 1 || !errors.Is(errs[0], context.DeadlineExceeded) {
			t.Errorf("OnError got %v", errs)
		}
		close(release)
		synctest.Wait()
		if s, ok := m.Summary(); ok || texts(m.Messages()) != "a b c d" {
			t.Errorf("the late result is there: %q", s)
		}
	})
}

// A summariser gets the deadline, and the values of the context.
func TestSummariserContext(t *testing.T) {
	type key struct{}
	for _, background := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory(t, Options{SummarizeAt: 2, KeepLast: 1, SummarizeTimeout: time.Hour, Background: background,
				Summarize: func(ctx context.Context, _ Request) (string, error) {
					if d, ok := ctx.Deadline(); !ok || time.Until(d) != time.Hour || ctx.Value(key{}) != 1 {
						t.Errorf("deadline %v %v, value %v", d, ok, ctx.Value(key{}))
					}
					return "s", nil
				}})
			ctx := context.WithValue(t.Context(), key{}, 1)
			if err := m.Append(ctx, users("a b")...); err != nil {
				t.Fatal(err)
			}
			if err := m.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, ok := m.Summary(); !ok {
				t.Error("no summary")
			}
		})
	}
}
