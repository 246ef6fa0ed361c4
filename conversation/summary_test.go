package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	. "github.com/agent-scratchpad/scratchpad/conversation"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A gate is a summariser that waits for its answer or the end of its context.
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

// Append goes on while a summary is made in the background, one at a time. Wait waits
// for it.
func TestBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, SummaryTokens: 77, Background: true, Summarize: g.summarize})
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
		if q := <-g.entered; texts(q.Messages) != "d e f" || q.Previous != "one" || q.MaxTokens != 77 {
			t.Errorf("the second was given %q, %q and %d tokens", texts(q.Messages), q.Previous, q.MaxTokens)
		}
	})
}

// While one Append makes a summary, other appends do not wait for it.
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

// Clear and Import cancel a summary that is being made, and discard its answer.
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
						return "late", nil // it answers all the same
					}
					<-release
					return "late", nil
				}})
				add(t, m, users("a b c d")...)
				synctest.Wait()
				testkit.Must(t, replace(m))
				testkit.Must(t, m.Wait(t.Context()))
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

// A journal whose Append of a Clear returns only when hold is closed, after it has
// stored the record.
type slowClear struct {
	*listJournal
	hold chan struct{}
}

func (j slowClear) Append(ctx context.Context, records ...Record) error {
	err := j.listJournal.Append(ctx, records...)
	if records[0].Kind == ClearRecord {
		<-j.hold
	}
	return err
}

// While a Clear is being recorded, the answer of a summary waits. It is discarded, and
// not recorded behind the Clear.
func TestReplacedWhileTheAnswerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, j := newGate(), slowClear{&listJournal{}, make(chan struct{})}
		m := newMemory(t, Options{SummarizeAt: 4, KeepLast: 1, Background: true, Journal: j, Summarize: g.summarize})
		add(t, m, users("a b c d")...)
		cleared := make(chan error)
		go func() { cleared <- m.Clear(context.Background()) }()
		synctest.Wait()
		g.answer <- "late"
		synctest.Wait()
		if last := j.records[len(j.records)-1]; last.Kind != ClearRecord {
			t.Errorf("while the Clear is recorded, the last record is %+v", last)
		}
		close(j.hold)
		testkit.Must(t, errors.Join(<-cleared, m.Wait(t.Context())))
		if last := j.records[len(j.records)-1]; len(m.Messages()) != 0 || last.Kind != ClearRecord {
			t.Errorf("the window is %q, the last record %+v", texts(m.Messages()), last)
		}
	})
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
		testkit.Must(t, m.Wait(t.Context()))
		j.setFail(nil)
		add(t, m, users("e")...) // saves it in the background
		testkit.Must(t, errors.Join(m.Clear(t.Context()), m.Wait(t.Context())))
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
			time.Sleep(time.Second) // it takes time to end
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

// Close waits for a summariser that ignores its context, until the context of Close ends
// or the deadline of the summariser has passed.
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

// A summary that the journal refused is not used. The model is not asked for it again.
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
	testkit.Must(t, err)
	if diff := cmp.Diff(m.Messages(), reopened.Messages()); diff != "" {
		t.Errorf("opened again: %s", diff)
	}
}

// OnError hears of a call without a result that keeps the window from shrinking, each
// time that the window has doubled. With the result, the window shrinks.
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

// After a failure the next try comes after 1, 2, 4 ... 64 further messages, or after
// 1 s, 2 s ... 5 min.
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
			testkit.Must(t, m.Append(t.Context()))
		}
		waits = append(waits, wait)
	}
	s := time.Second
	if want := []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 64 * s, 128 * s, 256 * s, 300 * s}; !slices.Equal(waits, want) {
		t.Errorf("tries after %v, want %v", waits, want)
	}
}

// No model is asked if the context has ended when a summary is due.
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

// A summariser that never returns is not called without limit.
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
