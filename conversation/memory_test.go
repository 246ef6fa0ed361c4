package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 30, Long: 500, Full: 5000, Short: 50, Steps: 60}.Set()
	goleak.VerifyTestMain(m)
}

// A recorder is a summariser that remembers its requests.
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

// texts returns messages as one line: their texts, calls and results.
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

// call returns a message of the assistant with a call for each id.
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
	testkit.Must(t, err)
	return m
}

func add(t testing.TB, m *Memory, msgs ...Message) {
	t.Helper()
	for _, msg := range msgs {
		testkit.Must(t, m.Append(context.Background(), msg))
	}
}

func users(names string) []Message {
	var msgs []Message
	for name := range strings.FieldsSeq(names) {
		msgs = append(msgs, UserText(name))
	}
	return msgs
}

// With a context that has ended, nothing is stored and nothing is read.
func TestAppendContext(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	j := &listJournal{}
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
	if err := m.Append(ended, UserText("a")); !errors.Is(err, context.Canceled) || len(j.records) != 0 || len(m.Messages()) != 0 {
		t.Errorf("Append: %v, %d records", err, len(j.records))
	}
	if err := newMemory(t, Options{SummarizeAt: 4, Summarize: r.summarize}).Append(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Append of nothing: %v", err)
	}
	if err := m.Clear(ended); !errors.Is(err, context.Canceled) || len(j.records) != 0 {
		t.Errorf("Clear: %v, %d records", err, len(j.records))
	}
	if _, err := Open(ended, Options{SummarizeAt: 4, Summarize: r.summarize, Journal: &listJournal{records: []Record{{Seq: 1, Kind: ClearRecord}}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	for _, err := range newMemory(t, Options{SummarizeAt: 4, Summarize: r.summarize, Journal: &listJournal{records: []Record{{Seq: 1, Kind: ClearRecord}}}}).Originals(ended) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Originals: %v", err)
		}
	}
}

// An Append that waits for another one ends with its context, and stores nothing.
func TestAppendContextBehindAnother(t *testing.T) {
	r := &recorder{}
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		j := &listJournal{}
		j.setFail(func([]Record) error { <-hold; return nil })
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
		go m.Append(context.Background(), UserText("a"))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := m.Append(ctx, UserText("b")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Append behind another: %v", err)
		}
		if err := m.Clear(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Clear behind another: %v", err)
		}
		close(hold)
		synctest.Wait()
		if got := texts(m.Messages()); got != "a" {
			t.Errorf("the window is %q", got)
		}
	})
}

// If a message is not valid, nothing of the batch is stored.
func TestInvalidMessages(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
	for name, msg := range map[string]Message{
		"an unknown role":          {Role: "robot", Content: "x"},
		"an image without its URL": {Role: User, Parts: []Part{{Type: ImagePart}}},
	} {
		if err := m.Append(t.Context(), UserText("before"), msg, UserText("behind")); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "messages[1]") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(j.records) != 0 || len(m.Messages()) != 0 {
		t.Errorf("%d records, %d messages", len(j.records), len(m.Messages()))
	}
	cut := Message{Role: Assistant, ToolCalls: []ToolCall{{ID: "1", Name: "x", Arguments: []byte(`{"path": "a`)}}}
	add(t, m, cut)
	for got := range m.Originals(t.Context()) {
		if diff := cmp.Diff(cut, got); diff != "" {
			t.Errorf("arguments that are not JSON: %s", diff)
		}
	}
}

// A Memory copies what it is given, and what it returns belongs to the caller.
func TestCopies(t *testing.T) {
	j := &listJournal{}
	m := newMemory(t, Options{SummarizeAt: 6, KeepLast: 2, Journal: j, Summarize: func(_ context.Context, q Request) (string, error) {
		scribble(q.Messages)
		for i := range q.Evidence {
			q.Evidence[i] = "scribbled"
		}
		return "s", nil
	}})
	var want []Message
	for i := range 9 {
		given := rich(fmt.Sprint(i))
		testkit.Must(t, m.Append(t.Context(), given...))
		scribble(given)
		want = append(want, rich(fmt.Sprint(i))...)
		window := m.Messages()
		if diff := cmp.Diff(want[len(want)-3:], window[len(window)-3:]); diff != "" {
			t.Fatal(diff)
		}
		scribble(window)
		if diff := cmp.Diff(want[len(want)-3:], m.Messages()[len(window)-3:]); diff != "" {
			t.Fatal(diff)
		}
		for _, e := range m.Evidence() {
			if e == "scribbled" {
				t.Fatal("the summariser changed the evidence")
			}
		}
		if e := m.Evidence(); len(e) > 0 {
			e[0] = "scribbled"
		}
	}
	var got []Message
	for range 2 {
		scribble(got)
		got = nil
		for msg := range m.Originals(t.Context()) {
			got = append(got, msg)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	}
	if e := m.Evidence(); !slices.Contains(e, "a/b5.go") {
		t.Errorf("the evidence is %q", e)
	}
	trimmed := Trim(want, TrimOptions{KeepLast: 2})
	scribble(trimmed)
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("Trim: %s", diff)
	}
}

// rich returns messages with all that a copy must not share.
func rich(id string) []Message {
	return []Message{
		{Role: User, Parts: []Part{{Type: TextPart, Text: "see `a/b" + id + ".go`"}}, Raw: []byte(`{"x":1}`), RawProvider: Gemini},
		{Role: Assistant, ToolCalls: []ToolCall{{ID: id, Name: "n", Arguments: []byte(`{"p":"c/d.go"}`)}}},
		ToolResult(id, "r"),
	}
}

func scribble(msgs []Message) {
	for i := range msgs {
		for k := range msgs[i].Parts {
			msgs[i].Parts[k].Text = "scribbled"
		}
		for k := range msgs[i].ToolCalls {
			for b := range msgs[i].ToolCalls[k].Arguments {
				msgs[i].ToolCalls[k].Arguments[b] = '!'
			}
			msgs[i].ToolCalls[k].ID = "scribbled"
		}
		for b := range msgs[i].Raw {
			msgs[i].Raw[b] = '!'
		}
		msgs[i].Role = "scribbled"
	}
}

// Eight goroutines append while summaries are made and fail. No message is lost or
// doubled, the messages of each goroutine stay in order, and each message is summarised
// or kept.
func TestConcurrent(t *testing.T) {
	for _, background := range []bool{false, true} {
		j := &listJournal{}
		var mu sync.Mutex
		var summarised []Message
		n := 0
		m := newMemory(t, Options{SummarizeAt: 20, KeepLast: 5, Background: background, Journal: j, OnError: func(error) {},
			Summarize: func(_ context.Context, q Request) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				if n++; n%3 == 0 {
					return "", errors.New("overloaded")
				}
				summarised = append(summarised, q.Messages...)
				return "s", nil
			}})
		var wg sync.WaitGroup
		const each = 60
		for g := range 8 {
			wg.Go(func() {
				for i := range each {
					var err error
					if id := fmt.Sprintf("%d/%d", g, i); i%4 == 0 {
						err = m.Append(t.Context(), UserText(id))
					} else {
						err = m.Append(t.Context(), call(id), ToolResult(id, "r"))
					}
					if err != nil {
						t.Error(err)
					}
					m.Messages()
				}
			})
		}
		wg.Wait()
		testkit.Must(t, m.Wait(t.Context()))
		var all []Message
		for msg, err := range m.Originals(t.Context()) {
			testkit.Must(t, err)
			all = append(all, msg)
		}
		checkOrder(t, all, each)
		kept := m.Messages()
		for kept[0].Role == System {
			kept = kept[1:]
		}
		got := sortedTexts(append(slices.Clone(summarised), kept...))
		if diff := cmp.Diff(sortedTexts(all), got); diff != "" {
			t.Errorf("the originals (-), summarised and kept (+):\n%s", diff)
		}
		if n == 0 {
			t.Error("no summary was made")
		}
	}
}

func sortedTexts(msgs []Message) []string {
	var list []string
	for _, m := range msgs {
		list = append(list, texts([]Message{m}))
	}
	slices.Sort(list)
	return list
}

// checkOrder fails the test unless the messages of each goroutine are there, in order.
func checkOrder(t *testing.T, msgs []Message, each int) {
	t.Helper()
	next := map[string]int{}
	for _, msg := range msgs {
		if msg.Role == Tool {
			continue
		}
		g, i, _ := strings.Cut(strings.Trim(texts([]Message{msg}), "()"), "/")
		if i != fmt.Sprint(next[g]) {
			t.Fatalf("goroutine %s: message %s where %d should be", g, i, next[g])
		}
		next[g]++
	}
	for g, n := range next {
		if n != each {
			t.Errorf("goroutine %s: %d messages of %d", g, n, each)
		}
	}
}

// BenchmarkMillion appends 1,000,000 messages to a window of 100, ten at a time, and
// reports the largest heap.
func BenchmarkMillion(b *testing.B) {
	for _, name := range []string{"memory", "file"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var journal Journal
				if name == "file" {
					file, err := FileJournal(filepath.Join(b.TempDir(), "journal.jsonl"))
					testkit.Must(b, err)
					defer file.Close()
					journal = file
				}
				m := newMemory(b, Options{SummarizeAt: 100, KeepLast: 50, Journal: journal, Summarize: brief})
				var most uint64
				batch := make([]Message, 10)
				for i := range 100_000 {
					for k := range batch {
						batch[k] = UserText(fmt.Sprintf("message %d: please look at the file and say what is wrong with it", 10*i+k))
					}
					testkit.Must(b, m.Append(context.Background(), batch...))
					if i%1000 == 0 {
						var s runtime.MemStats
						runtime.ReadMemStats(&s)
						most = max(most, s.HeapAlloc)
					}
				}
				b.ReportMetric(float64(most)/(1<<20), "MiB-most")
			}
		})
	}
}

func TestOptions(t *testing.T) {
	ok := func(context.Context, Request) (string, error) { return "s", nil }
	for name, c := range map[string]struct {
		o  Options
		ok bool
	}{
		"nothing":                       {Options{}, false},
		"no summariser":                 {Options{SummarizeAt: 4}, false},
		"no trigger":                    {Options{Summarize: ok, KeepLast: 2}, false},
		"keeps as much as triggers":     {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 4}, false},
		"keeps as many tokens":          {Options{Summarize: ok, SummarizeAtTokens: 4, KeepTokens: 4}, false},
		"both of Flint's forms":         {Options{Summarize: ok, SummarizeAt: 4, KeepLast: 2, Max: 5}, false},
		"Max of 1":                      {Options{Summarize: ok, SummarizeAt: 4, Max: 1}, false},
		"negative SummarizeAt":          {Options{Summarize: ok, SummarizeAt: -1, SummarizeAtTokens: 10}, false},
		"negative timeout":              {Options{Summarize: ok, SummarizeAt: 4, SummarizeTimeout: -1}, false},
		"a file journal that is nil":    {Options{Summarize: ok, SummarizeAt: 4, Journal: (*File)(nil)}, false},
		"messages":                      {Options{Summarize: ok, SummarizeAt: 4}, true},
		"tokens":                        {Options{Summarize: ok, SummarizeAtTokens: 4}, true},
		"no evidence":                   {Options{Summarize: ok, SummarizeAt: 4, Evidence: EvidenceOptions{MaxTokens: -1}}, true},
		"Flint's example, which kept 0": {Options{Summarize: ok, SummarizeAt: 30, Max: 20}, true},
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
