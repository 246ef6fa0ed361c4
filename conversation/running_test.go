package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	. "github.com/agent-scratchpad/scratchpad/conversation"
)

// A gate is a summariser that waits until it is let through or its context ends.
type gate struct {
	entered chan Request
	answer  chan string
	running atomic.Int32
	most    atomic.Int32
}

func newGate() *gate {
	return &gate{entered: make(chan Request, 100), answer: make(chan string)}
}

func (g *gate) summarize(ctx context.Context, q Request) (string, error) {
	g.most.Store(max(g.most.Load(), g.running.Add(1)))
	defer g.running.Add(-1)
	g.entered <- q
	select {
	case text := <-g.answer:
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Append goes on while a summary is made; one at a time; Wait waits for it.
func TestBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Background: true, Summarize: g.summarize})
		add(t, m, users("a b c d e f g h")...)
		synctest.Wait()
		if got := texts(m.Messages()); got != "a b c d e f g h" || g.running.Load() != 1 {
			t.Fatalf("while a summary is made the window is %q, %d run", got, g.running.Load())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := m.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait: %v", err)
		}
		g.answer <- "one"
		synctest.Wait()
		if got := texts(m.Messages()); got != "S d e f g h" {
			t.Errorf("after the first the window is %q", got)
		}
		g.answer <- "two"
		if err := m.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if got := texts(m.Messages()); got != "S g h" || g.most.Load() != 1 {
			t.Errorf("at the end the window is %q, at most %d ran", got, g.most.Load())
		}
		if q := <-g.entered; texts(q.Messages) != "a b c" {
			t.Errorf("the first was given %q", texts(q.Messages))
		}
		if q := <-g.entered; texts(q.Messages) != "d e f" || q.Previous != "one" {
			t.Errorf("the second was given %q and %q", texts(q.Messages), q.Previous)
		}
	})
}

// While one Append makes the summary, others do not wait for it.
func TestAppendGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: g.summarize, Journal: &listJournal{}})
		first := make(chan error)
		go func() { first <- m.Append(context.Background(), users("a b c d")...) }()
		synctest.Wait()
		add(t, m, users("e f")...)
		if got := texts(m.Messages()); got != "a b c d e f" {
			t.Errorf("the window is %q", got)
		}
		g.answer <- "s"
		if err := <-first; err != nil {
			t.Error(err)
		}
		if got := texts(m.Messages()); got != "S d e f" {
			t.Errorf("the window is %q", got)
		}
	})
}

// Clear and Import cancel a summary that is made, and discard its result.
func TestReplacedDuringSummary(t *testing.T) {
	for name, replace := range map[string]func(*Memory) error{
		"Clear":  func(m *Memory) error { return m.Clear(context.Background()) },
		"Import": func(m *Memory) error { return m.Import([]byte(`{"version":1,"messages":[]}`)) },
	} {
		for _, deaf := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				j := &listJournal{}
				m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Background: true, Journal: j, Summarize: func(ctx context.Context, _ Request) (string, error) {
					if !deaf {
						<-ctx.Done()
						return "late", nil // the answer was there all the same
					}
					<-release
					return "late", nil
				}})
				add(t, m, users("a b c d")...)
				synctest.Wait()
				if err := replace(m); err != nil {
					t.Fatal(err)
				}
				if err := m.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				close(release)
				synctest.Wait()
				add(t, m, UserText("z"))
				if got := texts(m.Messages()); got != "z" {
					t.Errorf("%s: the window is %q", name, got)
				}
				for _, r := range j.records {
					if r.Kind == SummaryRecord {
						t.Errorf("%s: a summary was recorded: %+v", name, r)
					}
				}
			})
		}
	}
}

// A Clear that is being recorded has the turn. A summary whose answer comes then
// waits for the turn, and is discarded.
func TestReplacedWhileTheAnswerWaits(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			g, j, hold := newGate(), &listJournal{}, make(chan struct{})
			j.setFail(func(records []Record) error {
				if records[0].Kind == ClearRecord {
					<-hold
				}
				return nil
			})
			m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Background: true, Journal: j, Summarize: g.summarize})
			add(t, m, users("a b c d")...)
			cleared := make(chan error)
			go func() { cleared <- m.Clear(context.Background()) }()
			synctest.Wait()
			g.answer <- "late"
			synctest.Wait()
			close(hold)
			if err := errors.Join(<-cleared, m.Wait(t.Context())); err != nil {
				t.Fatal(err)
			}
			if last := j.records[len(j.records)-1]; len(m.Messages()) != 0 || last.Kind != ClearRecord {
				t.Fatalf("the window is %q, the last record %+v", texts(m.Messages()), last)
			}
		})
	}
}

// A summary that the journal refused is saved without a call of the summariser. A
// Clear at the same time comes before it or after it, but never in between.
func TestReplacedWhileARefusedSummaryIsSaved(t *testing.T) {
	for range 300 {
		j := &listJournal{}
		r := &recorder{}
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Background: true, Journal: j, Summarize: r.summarize, OnError: func(error) {}})
		j.setFail(func(records []Record) error {
			if records[0].Kind == SummaryRecord {
				return errFull
			}
			return nil
		})
		add(t, m, users("a b c d")...)
		if err := m.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		j.setFail(nil)
		add(t, m, users("e")...) // saves it in the background
		if err := errors.Join(m.Clear(t.Context()), m.Wait(t.Context())); err != nil {
			t.Fatal(err)
		}
		if last := j.records[len(j.records)-1]; len(m.Messages()) != 0 || last.Kind != ClearRecord {
			t.Fatalf("the window is %q, the last record %+v", texts(m.Messages()), last)
		}
	}
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cancelled atomic.Bool
		j := &listJournal{}
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Background: true, Journal: j, Summarize: func(ctx context.Context, _ Request) (string, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // takes its time to end
			cancelled.Store(true)
			return "late", nil
		}})
		add(t, m, users("a b c d")...)
		synctest.Wait()
		if err := m.Close(t.Context()); err != nil || !cancelled.Load() {
			t.Errorf("Close: %v, the summariser has ended: %v", err, cancelled.Load())
		}
		if err := m.Append(t.Context(), UserText("e")); !errors.Is(err, ErrClosed) {
			t.Errorf("Append: %v", err)
		}
		if err := m.Clear(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("Clear: %v", err)
		}
		if err := m.Import([]byte(`{"version":1,"messages":[]}`)); !errors.Is(err, ErrClosed) {
			t.Errorf("Import: %v", err)
		}
		if got := texts(m.Messages()); got != "a b c d" {
			t.Errorf("the window is %q", got)
		}
		if n, err := originals(m); n != "a b c d" || err != nil {
			t.Errorf("the originals are %q, %v", n, err)
		}
		if _, err := m.Export(); err != nil {
			t.Errorf("Export: %v", err)
		}
		if err := m.Close(t.Context()); err != nil {
			t.Errorf("a second Close: %v", err)
		}
		if err := j.Append(t.Context(), Record{Kind: ClearRecord}); err != nil {
			t.Errorf("the journal was closed: %v", err)
		}
	})
}

// Close waits for a summariser that is deaf until its own context ends, or the
// summariser's deadline.
func TestCloseWithDeafSummariser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Background: true, OnError: func(error) {},
			Summarize: func(context.Context, Request) (string, error) { <-release; return "", nil }})
		add(t, m, users("a b c d")...)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := m.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: %v", err)
		}
		began := time.Now()
		if err := m.Close(t.Context()); err != nil || time.Since(began) != 59*time.Second {
			t.Errorf("the second Close: %v after %v", err, time.Since(began))
		}
	})
}

// A context that ends at any point: nothing is stored, or Append returns nil.
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

	// While another Append has the turn.
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

	// During the summary: the messages are stored, and it is a failure.
	synctest.Test(t, func(t *testing.T) {
		var errs []error
		g := newGate()
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: g.summarize, Journal: &listJournal{}, OnError: func(err error) { errs = append(errs, err) }})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := m.Append(ctx, users("a b c d")...); err != nil {
			t.Errorf("Append: %v", err)
		}
		if got, err := originals(m); got != "a b c d" || err != nil || texts(m.Messages()) != got {
			t.Errorf("the originals are %q, %v, the window %q", got, err, texts(m.Messages()))
		}
		if len(errs) != 1 || !errors.Is(errs[0], context.DeadlineExceeded) {
			t.Errorf("OnError got %v", errs)
		}
	})
}

func originals(m *Memory) (string, error) {
	var msgs []Message
	for msg, err := range m.Originals(context.Background()) {
		if err != nil {
			return texts(msgs), err
		}
		msgs = append(msgs, msg)
	}
	return texts(msgs), nil
}

func TestJournalFirst(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
	add(t, m, users("a b")...)
	j.setFail(func([]Record) error { return errFull })
	if err := m.Append(t.Context(), users("x y z")...); !errors.Is(err, ErrJournal) || !errors.Is(err, errFull) {
		t.Errorf("Append: %v", err)
	}
	if err := m.Clear(t.Context()); !errors.Is(err, ErrJournal) || !errors.Is(err, errFull) {
		t.Errorf("Clear: %v", err)
	}
	j.setFail(nil)
	add(t, m, users("c d")...)
	if got := texts(m.Messages()); got != "S d" {
		t.Errorf("the window is %q", got)
	}
	if got, err := originals(m); got != "a b c d" || err != nil {
		t.Errorf("the originals are %q, %v", got, err)
	}
	for _, err := range newMemory(t, Options{SummarizeAt: 4, Summarize: r.summarize}).Originals(t.Context()) {
		if !errors.Is(err, ErrNoJournal) {
			t.Errorf("Originals without a journal: %v", err)
		}
	}
	for _, err := range m.Originals(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		break // and no more is read
	}
}

// A message that is none: nothing of the batch is stored.
func TestInvalidMessages(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
	for name, msg := range map[string]Message{
		"an unknown role":          {Role: "robot", Content: "x"},
		"no role":                  {Content: "x"},
		"content and parts":        {Role: User, Content: "x", Parts: []Part{{Type: TextPart, Text: "y"}}},
		"a result without an id":   {Role: Tool, Content: "x"},
		"bytes":                    {Role: User, Content: "\xff"},
		"calls of the user":        {Role: User, ToolCalls: []ToolCall{{ID: "1", Name: "x"}}},
		"a raw of nobody":          {Role: User, Raw: []byte(`{}`)},
		"a raw that is not JSON":   {Role: User, Raw: []byte(`{`), RawProvider: Anthropic},
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

// A summary whose record the journal did not take is not used, and is not asked
// for a second time.
func TestSummaryThatIsNotRecorded(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	var errs []error
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j, OnError: func(err error) { errs = append(errs, err) }})
	j.setFail(func(records []Record) error {
		if records[0].Kind == SummaryRecord {
			return errFull
		}
		return nil
	})
	add(t, m, users("a b c d")...)
	if got := texts(m.Messages()); got != "a b c d" || len(errs) != 1 || !errors.Is(errs[0], errFull) || !errors.Is(errs[0], ErrJournal) {
		t.Errorf("the window is %q, OnError got %v", got, errs)
	}
	j.setFail(nil)
	add(t, m, users("e")...)
	if got := texts(m.Messages()); got != "S d e" || r.calls() != 1 {
		t.Errorf("the window is %q after %d calls", got, r.calls())
	}
	reopened, err := Open(t.Context(), Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Messages(), reopened.Messages()); diff != "" {
		t.Errorf("opened again: %s", diff)
	}
}

// Open gives what was there, at every point of a conversation, with Clear in it,
// and calls no model.
func TestOpen(t *testing.T) {
	for _, keep := range []int{0, 1, 3} {
		j := &listJournal{}
		r := &recorder{}
		o := Options{SummarizeAt: 6, KeepLast: keep, Summarize: r.summarize, Journal: j}
		m := newMemory(t, o)
		add(t, m, SystemText("sys"))
		for i := range 60 {
			id := fmt.Sprint(i)
			for _, msg := range []Message{UserText("see `cmd/" + id + ".go`"), call(id), ToolResult(id, "ok"), AssistantText("a" + id)} {
				if i%7 == 3 && msg.Role == User {
					continue
				}
				add(t, m, msg)
				calls := r.calls()
				again, err := Open(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(m.Messages(), again.Messages()); diff != "" {
					t.Fatalf("KeepLast %d, round %d: the memory (-), opened again (+):\n%s", keep, i, diff)
				}
				if diff := cmp.Diff(m.Evidence(), again.Evidence()); diff != "" || r.calls() != calls {
					t.Fatalf("KeepLast %d, round %d: evidence %s; %d calls", keep, i, diff, r.calls()-calls)
				}
			}
			if i == 30 {
				if err := m.Clear(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if r.calls() < 20 {
			t.Errorf("%d summaries", r.calls())
		}
	}
}

func TestOpenJournalErrors(t *testing.T) {
	j := &listJournal{records: []Record{{Seq: 1, Kind: ClearRecord}}}
	r := &recorder{}
	if _, err := Open(t.Context(), Options{SummarizeAt: 4, Summarize: r.summarize, Journal: failing{j}}); !errors.Is(err, ErrJournal) || !errors.Is(err, errFull) {
		t.Errorf("Open: %v", err)
	}
	m := newMemory(t, Options{SummarizeAt: 4, Summarize: r.summarize, Journal: failing{j}})
	if _, err := originals(m); !errors.Is(err, ErrJournal) || !errors.Is(err, errFull) {
		t.Errorf("Originals: %v", err)
	}
}

type failing struct{ *listJournal }

func (failing) Records(context.Context, int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { yield(Record{}, errFull) }
}

func TestExportImport(t *testing.T) {
	r := &recorder{}
	o := Options{SummarizeAt: 6, KeepLast: 2, Summarize: r.summarize}
	m := newMemory(t, o)
	add(t, m, SystemText("sys"))
	for i := range 9 {
		add(t, m, UserText(fmt.Sprintf("run `go test ./p%d`", i)), Message{Role: Assistant, Content: "<ok> & done", Raw: []byte("{ \"a\":  1 }"), RawProvider: Anthropic})
		document, err := m.Export()
		if err != nil {
			t.Fatal(err)
		}
		again := newMemory(t, o)
		add(t, again, users("x y z")...)
		if err := again.Import(document); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m.Messages(), again.Messages()); diff != "" {
			t.Fatalf("exported (-), imported (+):\n%s", diff)
		}
		if diff := cmp.Diff(m.Evidence(), again.Evidence()); diff != "" {
			t.Fatalf("evidence: %s", diff)
		}
		second, err := again.Export()
		if err != nil || string(second) != string(document) {
			t.Fatalf("exported again: %v\n%s\n%s", err, document, second)
		}
		// What follows finds the same: a system message is no leading one any more.
		add(t, again, SystemText("late"))
		if msgs := again.Messages(); msgs[1].Content == "late" {
			t.Fatalf("a late system message is a leading one: %q", texts(msgs))
		}
		if err := again.Import(document); err != nil {
			t.Fatal(err)
		}
		s1, ok1 := m.Summary()
		s2, ok2 := again.Summary()
		if s1 != s2 || ok1 != ok2 {
			t.Fatalf("summary %q %v, %q %v", s1, ok1, s2, ok2)
		}
	}
}

func TestImportRefuses(t *testing.T) {
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 6, KeepLast: 2, Summarize: r.summarize})
	add(t, m, users("a b")...)
	for name, document := range map[string]string{
		"nothing":                "",
		"no JSON":                "hello",
		"no version":             `{"messages":[]}`,
		"a list":                 `[]`,
		"null":                   `null`,
		"a broken message":       `{"version":1,"messages":[{"role":"robot","content":""}]}`,
		"a message that is none": `{"version":1,"messages":[1]}`,
		"bytes":                  "{\"version\":1,\"messages\":[],\"summary\":\"\xff\"}",
		"half a character":       `{"version":1,"messages":[],"summary":"\ud800"}`,
		"evidence of two lines":  `{"version":1,"messages":[],"summary":"s","evidence":["a\nb"]}`,
		"evidence alone":         `{"version":1,"messages":[],"evidence":["a"]}`,
		"more leading":           `{"version":1,"leading":1,"messages":[{"role":"user","content":"a"}]}`,
		"negative leading":       `{"version":1,"leading":-1,"messages":[]}`,
		"more behind it":         `{"version":1,"messages":[]} {}`,
	} {
		if err := m.Import([]byte(document)); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, document := range []string{`{"version":2,"messages":{"shape":"new"}}`, `{"version":0,"messages":[]}`} {
		var v *VersionError
		if err := m.Import([]byte(document)); !errors.As(err, &v) || v.Supported != 1 || v.Version == 1 {
			t.Errorf("%s: %v", document, err)
		}
	}
	if got := texts(m.Messages()); got != "a b" {
		t.Errorf("the window is %q", got)
	}
}

// Import writes nothing to the journal; what it brought is summarised in its turn.
func TestImportIsNotRecorded(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 6, KeepLast: 2, Summarize: r.summarize, Journal: j})
	add(t, m, users("a b")...)
	var list []string
	for i := range 9 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"i%d"}`, i))
	}
	if err := m.Import([]byte(`{"version":1,"messages":[` + strings.Join(list, ",") + `]}`)); err != nil {
		t.Fatal(err)
	}
	if len(j.records) != 2 {
		t.Errorf("%d records", len(j.records))
	}
	add(t, m, UserText("c"))
	if got := texts(m.Messages()); got != "S i8 c" {
		t.Errorf("the window is %q", got)
	}
	if got, err := originals(m); got != "a b c" || err != nil {
		t.Errorf("the originals are %q, %v", got, err)
	}
}

// What is given is copied, what is returned is the caller's own.
func TestCopies(t *testing.T) {
	j := &listJournal{}
	m := newMemory(t, Options{SummarizeAt: 6, KeepLast: 2, Journal: j, Summarize: func(_ context.Context, q Request) (string, error) {
		scribble(q.Messages)
		for i := range q.Evidence {
			q.Evidence[i] = "scribbled"
		}
		return "s", nil
	}})
	rich := func(id string) []Message {
		return []Message{
			{Role: User, Parts: []Part{{Type: TextPart, Text: "see `a/b" + id + ".go`"}}, Raw: []byte(`{"x":1}`), RawProvider: Gemini},
			{Role: Assistant, ToolCalls: []ToolCall{{ID: id, Name: "n", Arguments: []byte(`{"p":"c/d.go"}`)}}},
			ToolResult(id, "r"),
		}
	}
	var want []Message
	for i := range 9 {
		given := rich(fmt.Sprint(i))
		if err := m.Append(t.Context(), given...); err != nil {
			t.Fatal(err)
		}
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

// 8 goroutines append while summaries run and fail: nothing lost, nothing twice,
// the order of each kept, and what was summarised and what is kept are all.
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
		const each = 200
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
		if err := m.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all []Message
		for msg, err := range m.Originals(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, msg)
		}
		checkOrder(t, "the originals", all, 8, each)
		kept := m.Messages()
		for kept[0].Role == System {
			kept = kept[1:]
		}
		got := sortedTexts(append(slices.Clone(summarised), kept...))
		if diff := cmp.Diff(sortedTexts(all), got); diff != "" {
			t.Errorf("the originals (-), summarised and kept (+):\n%s", diff)
		}
		if n < 10 {
			t.Errorf("%d summaries", n)
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

// checkOrder wants each goroutine's messages once, in their order.
func checkOrder(t *testing.T, what string, msgs []Message, goroutines, each int) {
	t.Helper()
	next := make([]int, goroutines)
	for _, m := range msgs {
		if m.Role == Tool {
			continue
		}
		id := m.Content
		if len(m.ToolCalls) > 0 {
			id = m.ToolCalls[0].ID
		}
		var g, i int
		if _, err := fmt.Sscanf(id, "%d/%d", &g, &i); err != nil {
			t.Fatalf("%s: %q: %v", what, id, err)
		}
		if i != next[g] {
			t.Fatalf("%s: goroutine %d: message %d where %d should be", what, g, i, next[g])
		}
		next[g]++
	}
	for g, n := range next {
		if n != each {
			t.Errorf("%s: goroutine %d: %d messages of %d", what, g, n, each)
		}
	}
}

// A new memory on a journal that was used begins anew, there too.
func TestNewOnUsedJournal(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	o := Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j}
	add(t, newMemory(t, o), users("a b")...)
	m := newMemory(t, o)
	j.setFail(func([]Record) error { return errFull })
	if err := m.Append(t.Context(), UserText("x")); !errors.Is(err, errFull) {
		t.Fatal(err)
	}
	j.setFail(nil)
	add(t, m, users("c d e f")...)
	again, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := texts(again.Messages()), texts(m.Messages()); got != "S f" || got != want || texts(r.requests[0].Messages) != "c d e" {
		t.Errorf("opened again the window is %q, it was %q, of %q", got, want, texts(r.requests[0].Messages))
	}
	if got, err := originals(m); got != "a b c d e f" || err != nil {
		t.Errorf("the originals are %q, %v", got, err)
	}
}

// A call without a result that keeps the window from shrinking is told, each time
// the window has doubled; with its result the window shrinks.
func TestOpenCallIsTold(t *testing.T) {
	var errs []string
	r := &recorder{}
	m := newMemory(t, Options{SummarizeAt: 5, KeepLast: 1, Summarize: r.summarize, OnError: func(err error) { errs = append(errs, err.Error()) }})
	add(t, m, UserText("a"), call("lost"))
	for i := range 98 {
		add(t, m, UserText(fmt.Sprint(i)))
	}
	if len(errs) != 4 || !strings.Contains(errs[0], "no summary of 10 messages: the call lost of tool has no result") || !strings.Contains(errs[3], "of 80 messages") {
		t.Errorf("OnError was told %q", errs)
	}
	if open := OpenCalls(m.Messages()); len(open) != 1 || open[0].ID != "lost" {
		t.Errorf("open calls: %v", open)
	}
	add(t, m, ToolResult("lost", "interrupted"), UserText("z"))
	if got := texts(m.Messages()); got != "S z" || len(OpenCalls(m.Messages())) != 0 || len(errs) != 4 {
		t.Errorf("the window is %q, OnError was told %q", got, errs)
	}
}

func TestOpenCalls(t *testing.T) {
	for want, msgs := range map[string][]Message{
		"":      {UserText("a"), call("1"), ToolResult("1", "")},
		"1":     {call("1"), UserText("a")},
		"2":     {call("1", "2", "3"), ToolResult("3", ""), ToolResult("1", "")},
		"1 1":   {call("1"), ToolResult("1", ""), call("1"), call("1")},
		"1 2 3": {ToolResult("1", ""), call("1", "2"), call("3")},
	} {
		var got []string
		for _, c := range OpenCalls(msgs) {
			got = append(got, c.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", texts(msgs), got, want)
		}
	}
}

// A summary in the background outlives the context of the Append that began it.
func TestBackgroundOutlivesItsAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Background: true, Summarize: g.summarize})
		ctx, cancel := context.WithCancel(t.Context())
		if err := m.Append(ctx, users("a b c d")...); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		g.answer <- "s"
		synctest.Wait()
		if got := texts(m.Messages()); got != "S d" {
			t.Errorf("the window is %q", got)
		}
	})
}

// A summariser that fails has changed nothing of what it was given.
func TestRequestIsACopy(t *testing.T) {
	m := newMemory(t, Options{SummarizeAt: 3, KeepLast: 1, OnError: func(error) {}, Summarize: func(_ context.Context, q Request) (string, error) {
		scribble(q.Messages)
		return "", errors.New("down")
	}})
	msgs := []Message{UserText("a"), call("1"), ToolResult("1", "r"), AssistantText("b")}
	add(t, m, msgs...)
	if diff := cmp.Diff(msgs, m.Messages()); diff != "" {
		t.Error(diff)
	}
}

// One answer that was far too long does not keep the next summaries away.
func TestOneEndlessAnswer(t *testing.T) {
	calls := 0
	m := newMemory(t, Options{SummarizeAt: 20, KeepLast: 5, OnError: func(error) {}, Summarize: func(context.Context, Request) (string, error) {
		if calls++; calls == 1 {
			return strings.Repeat("and so on ", 50_000), nil
		}
		return "s", nil
	}})
	for i := range 200 {
		add(t, m, UserText(fmt.Sprint("message ", i)))
	}
	if n := len(m.Messages()); n > 21 || calls < 5 {
		t.Errorf("%d messages after %d calls", n, calls)
	}
}

// What a summary stands for that was imported is in no journal, and the summary
// is not either.
func TestSummaryOfImportedMessages(t *testing.T) {
	j := &listJournal{}
	r := &recorder{}
	o := Options{SummarizeAt: 6, KeepLast: 2, Summarize: r.summarize, Journal: j}
	m := newMemory(t, o)
	add(t, m, users("a b")...)
	if err := m.Import([]byte(`{"version":1,"messages":[{"role":"user","content":"i0"},{"role":"user","content":"i1"},{"role":"user","content":"i2"},{"role":"user","content":"i3"},{"role":"user","content":"i4"}]}`)); err != nil {
		t.Fatal(err)
	}
	add(t, m, UserText("c"))
	if got := texts(m.Messages()); got != "S i4 c" {
		t.Errorf("the window is %q", got)
	}
	again, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(again.Messages()); got != "a b c" {
		t.Errorf("opened again the window is %q", got)
	}
	// Once it stands for messages of the journal it is recorded again.
	add(t, m, users("d e f g")...)
	if again, err = Open(t.Context(), o); err != nil || texts(again.Messages()) != texts(m.Messages()) {
		t.Errorf("opened again the window is %q, %v, it was %q", texts(again.Messages()), err, texts(m.Messages()))
	}
}

func TestCloseIdle(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if err := newMemory(t, Options{SummarizeAt: 4, Summarize: brief}).Close(ended); err != nil {
			t.Fatal(err)
		}
	}
}

// A context that has ended when a summary is due asks no model.
func TestEndedContextAsksNobody(t *testing.T) {
	r := &recorder{}
	j := &listJournal{}
	m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Summarize: r.summarize, Journal: j})
	ctx, cancel := context.WithCancel(t.Context())
	add(t, m, users("a b c")...)
	j.setFail(func([]Record) error { cancel(); return nil })
	if err := m.Append(ctx, UserText("d")); err != nil || r.calls() != 0 {
		t.Errorf("Append: %v, %d calls", err, r.calls())
	}
	j.setFail(nil)
	if add(t, m, UserText("e")); texts(m.Messages()) != "S d e" {
		t.Errorf("the window is %q", texts(m.Messages()))
	}
}

// A summariser that never returns is not called for ever.
func TestHangingSummarisersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int32
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, OnError: func(error) {},
			Summarize: func(context.Context, Request) (string, error) { calls.Add(1); <-release; return "s", nil }})
		for range 1000 {
			add(t, m, UserText("a"))
		}
		if n := calls.Load(); n != 8 {
			t.Errorf("%d calls that never returned", n)
		}
		close(release)
		synctest.Wait()
		time.Sleep(10 * time.Minute)
		if add(t, m, UserText("a")); calls.Load() < 9 {
			t.Error("it is not called again")
		}
	})
}

// A record of a journal that is none is an error.
func TestRecordThatIsNone(t *testing.T) {
	j := &bareJournal{records: []Record{{Seq: 1, Kind: MessageRecord}}}
	o := Options{SummarizeAt: 4, Summarize: brief, Journal: j}
	if _, err := Open(t.Context(), o); !errors.Is(err, ErrJournal) || !errors.Is(err, ErrInvalid) {
		t.Errorf("Open: %v", err)
	}
	if _, err := originals(newMemory(t, o)); !errors.Is(err, ErrJournal) {
		t.Errorf("Originals: %v", err)
	}
}

// A counter of tokens that writes to what it counts changes nothing.
func TestCounterThatWrites(t *testing.T) {
	msg := Message{Role: User, Parts: []Part{{Type: TextPart, Text: "a"}}}
	m := newMemory(t, Options{SummarizeAtTokens: 1000, Summarize: brief, CountTokens: func(m Message) int { m.Parts[0].Text = "b"; return 1 }})
	add(t, m, msg)
	if got := m.Messages()[0].Text(); got != "a" || msg.Text() != "a" {
		t.Errorf("%q and %q", got, msg.Text())
	}
}
