package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/workspace"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A model is a Summarizer that counts its calls.
type model struct {
	calls atomic.Int64
	do    func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) // nil: shorten
}

func (m *model) remote() *workspace.Summarizer {
	return &workspace.Summarizer{Method: "provider", Model: "model-1", Prompt: "1", Remote: true, Summarize: m.summarize}
}

func (m *model) local() *workspace.Summarizer {
	return &workspace.Summarizer{Method: "outline", Prompt: "1", Summarize: m.summarize}
}

func (m *model) summarize(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
	m.calls.Add(1)
	if m.do != nil {
		return m.do(ctx, r)
	}
	return shorten(r), nil
}

func shorten(r workspace.SummaryRequest) workspace.SummaryText {
	return workspace.SummaryText{Text: fmt.Sprintf("%s begins with %.10s", r.Path, r.Content), Spent: 100}
}

func (m *model) wantCalls(t testing.TB, want int64) {
	t.Helper()
	if got := m.calls.Load(); got != want {
		t.Errorf("the model was called %d times, want %d", got, want)
	}
}

// longText returns a text that is long enough for a summary, with the given beginning.
func longText(begin string) string { return begin + strings.Repeat(" and so on", 900) }

func summarize(t testing.TB, ws *workspace.Workspace, path string) workspace.SummaryResult {
	t.Helper()
	r, err := ws.Summarize(t.Context(), path, workspace.SummarizeOptions{})
	testkit.Must(t, err)
	return r
}

// wantSummaryErr is wantErr for errors that may be ErrProvider.
func wantSummaryErr(t testing.TB, what string, err, kind error, says ...string) {
	t.Helper()
	wantErr(t, what, err, kind, says...)
	if errors.Is(err, workspace.ErrProvider) != (kind == workspace.ErrProvider) {
		t.Errorf("%s: error is %v, want the kind %v alone", what, err, kind)
	}
}

func both(t *testing.T, test func(*testing.T, *model, *workspace.Summarizer)) {
	for _, remote := range []bool{true, false} {
		m := &model{}
		s := m.local()
		if remote {
			s = m.remote()
		}
		t.Run(s.Method, func(t *testing.T) { test(t, m, s) })
	}
}

// A summary is made once, and kept until the file changes. Each call is one
// operation.
func TestSummarize(t *testing.T) {
	both(t, func(t *testing.T, m *model, s *workspace.Summarizer) {
		svc, store := newService(t, workspace.Options{Summarizer: s})
		ws := agentOf(t, svc, "a")
		write(t, ws, "plan.md", longText("one"))
		before := usage(t, ws)

		text := "plan.md begins with one and so"
		want := workspace.SummaryResult{
			Path: "plan.md", Version: 1, Stored: true, Method: s.Method, Model: s.Model, Tokens: int64(tokens.Estimate(text)), Text: text,
		}
		if got := summarize(t, ws, "plan.md"); got != want {
			t.Errorf("Summarize = %+v, want %+v", got, want)
		}
		want.Cached = true
		for _, w := range []*workspace.Workspace{ws, agentOf(t, serviceOn(t, store, workspace.Options{Summarizer: s}), "a")} {
			if got := summarize(t, w, "plan.md"); got != want {
				t.Errorf("Summarize again = %+v, want %+v", got, want)
			}
		}
		m.wantCalls(t, 1)
		after := usage(t, ws)
		if after.Bytes != before.Bytes+int64(len(text)) || after.Operations != before.Operations+3 { // the other service's is pending there
			t.Errorf("the usage is %+v, want that from before, %+v, with %d bytes and three operations more", after, before, len(text))
		}

		write(t, ws, "plan.md", longText("two"))
		if got := summarize(t, ws, "plan.md"); got.Version != 2 || got.Cached || got.Text != "plan.md begins with two and so" {
			t.Errorf("Summarize of another version = %+v, want it made anew", got)
		}
		m.wantCalls(t, 2)
	})
}

func TestSummarizeErrors(t *testing.T) {
	both(t, func(t *testing.T, m *model, s *workspace.Summarizer) {
		ws := newWorkspace(t, workspace.Options{Summarizer: s})
		call := func(ctx context.Context, path string) error {
			r, err := ws.Summarize(ctx, path, workspace.SummarizeOptions{})
			if err != nil && r != (workspace.SummaryResult{}) {
				t.Errorf("Summarize(%q) = %+v beside %v, want nothing", path, r, err)
			}
			return err
		}
		write(t, ws, "short", strings.Repeat("\u00e9", 8000))
		write(t, ws, "long", strings.Repeat("\u00e9", 8001))
		write(t, ws, "gone", longText(""))
		testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "gone", workspace.DeleteOptions{})))
		before := usage(t, ws)
		wantSummaryErr(t, "of a short file", call(t.Context(), "short"), workspace.ErrInvalid, "summarize short: it has 8000 characters", "8000 are not", "use ReadFile")
		wantSummaryErr(t, "of no file", call(t.Context(), "none"), workspace.ErrNotFound, "summarize none: there is no such file")
		wantSummaryErr(t, "of a deleted file", call(t.Context(), "gone"), workspace.ErrNotFound, "summarize gone: there is no such file")
		wantSummaryErr(t, "of a bad path", call(t.Context(), "a//b"), workspace.ErrInvalid, "summarize")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := call(ctx, "long"); !errors.Is(err, context.Canceled) {
			t.Errorf("Summarize with a context that has ended = %v, want its error", err)
		}
		if after := usage(t, ws); after.Operations != before.Operations+1 {
			t.Errorf("after errors the usage is %+v, want no operation but its own more than %+v", after, before)
		}
		m.wantCalls(t, 0)
		if err := call(t.Context(), "long"); err != nil {
			t.Errorf("Summarize of 8,001 characters = %v", err)
		}
	})
	off := newWorkspace(t, workspace.Options{})
	write(t, off, "f", longText(""))
	_, err := off.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
	wantSummaryErr(t, "without a Summarizer", err, workspace.ErrUnsupported, "summarize f: summaries are off here", "use ReadFile")
	_, store := newService(t, workspace.Options{})
	for what, o := range map[string]workspace.Options{
		"no function": {Summarizer: &workspace.Summarizer{Method: "m"}},
		"no method":   {Summarizer: &workspace.Summarizer{Summarize: (&model{}).summarize}},
		"is negative": {SummaryTokens: -1},
	} {
		_, err := workspace.New(store, o)
		wantSummaryErr(t, "New", err, workspace.ErrInvalid, what)
	}
}

// An error of the Summarizer has a kind.
func TestSummarizerErrors(t *testing.T) {
	both(t, func(t *testing.T, m *model, s *workspace.Summarizer) {
		clock := testkit.NewClock()
		ws := newWorkspace(t, workspace.Options{Summarizer: s, Now: clock.Now})
		write(t, ws, "f", longText(""))
		before := usage(t, ws)
		for _, test := range []struct {
			text string
			err  error
			kind error
			says string
		}{
			{"ignored", fmt.Errorf("429: slow down: %w", workspace.ErrProvider), workspace.ErrProvider, "summarize f: 429: slow down: the model's provider"},
			{"", errors.New("no kind"), workspace.ErrProvider, "summarize f: no kind: the model's provider"},
			{"", context.DeadlineExceeded, workspace.ErrProvider, "deadline exceeded: the model's provider"},
			{"", fmt.Errorf("too much: %w", workspace.ErrTooLarge), workspace.ErrTooLarge, "summarize f: too much"},
			{" \n", nil, workspace.ErrProvider, "the summary is empty"},
		} {
			m.do = func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
				return workspace.SummaryText{Text: test.text}, test.err
			}
			_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
			wantSummaryErr(t, "Summarize", err, test.kind, test.says)
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Summarize = %v, which says that the caller's context has ended", err)
			}
			clock.Advance(3 * time.Second) // for which a failure is the answer
		}
		m.wantCalls(t, 5)
		if after := usage(t, ws); after.Bytes != before.Bytes || after.Operations != before.Operations+1 {
			t.Errorf("after errors the usage is %+v, want %+v and its own operation", after, before)
		}
		m.do = func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Text: "bad \xff byte"}, nil
		}
		if r := summarize(t, ws, "f"); r.Text != "bad \ufffd byte" {
			t.Errorf("Summarize gives %q, want the invalid byte replaced", r.Text)
		}
	})
}

// The bytes of summaries count exactly. A write and a deletion give them back. A summary
// that does not fit is returned and not kept.
func TestSummaryQuota(t *testing.T) {
	both(t, func(t *testing.T, m *model, s *workspace.Summarizer) {
		text := "f begins with one and so"
		file := int64(len(longText("one")))
		for _, short := range []int64{0, 1} {
			m.calls.Store(0)
			ws := newWorkspace(t, workspace.Options{Summarizer: s, Limits: workspace.Limits{Versions: 1, Bytes: oneFile + file + int64(len(text)) - short}})
			write(t, ws, "f", longText("one"))
			for i := range 2 {
				r := summarize(t, ws, "f")
				if r.Text != text || r.Stored != (short == 0) || r.Cached != (short == 0 && i == 1) {
					t.Errorf("Summarize %d with %d bytes too few = %+v", i, short, r)
				}
			}
			m.wantCalls(t, 1+short)
			bytes := file
			if short == 0 {
				bytes += int64(len(text))
			}
			if got := usage(t, ws).Bytes; got != bytes {
				t.Errorf("the usage with %d bytes too few is %d bytes, want %d", short, got, bytes)
			}
			// There is room for what the write prunes and for the summary that it forgets.
			write(t, ws, "f", longText("two!"))
			if got := usage(t, ws).Bytes; got != file+1 {
				t.Errorf("after a write the usage is %d bytes, want %d", got, file+1)
			}
		}
		ws := newWorkspace(t, workspace.Options{Summarizer: s})
		write(t, ws, "f", longText("one"))
		summarize(t, ws, "f")
		testkit.Must(t, testkit.Err(ws.EditFile(t.Context(), "f", "one", "two", workspace.EditOptions{})))
		if got := usage(t, ws).Bytes; got != 2*file {
			t.Errorf("after an edit the usage is %d bytes, want %d", got, 2*file)
		}
		summarize(t, ws, "f")
		testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{})))
		if got := usage(t, ws).Bytes; got != 0 {
			t.Errorf("after a deletion the usage is %d bytes, want 0", got)
		}
		write(t, ws, "f", longText("one"))
		if r := summarize(t, ws, "f"); r.Cached || r.Version != 3 {
			t.Errorf("Summarize of a file that is there again = %+v, want it made anew", r)
		}
	})
}

// The model is called outside of transactions, so the file can change meanwhile.
func TestSummaryOfChangedFile(t *testing.T) {
	both(t, func(t *testing.T, m *model, s *workspace.Summarizer) {
		ws := newWorkspace(t, workspace.Options{Summarizer: s})
		m.do = func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			write(t, ws, "f", longText("two"))
			return shorten(r), nil
		}
		write(t, ws, "f", longText("one"))
		if r := summarize(t, ws, "f"); r.Version != 1 || r.Newer != 2 || r.Stored || r.Cached || r.Text != "f begins with one and so" {
			t.Errorf("Summarize of a file that is rewritten meanwhile = %+v, want the old version's, not kept", r)
		}
	})
}

// spendingModel returns a model whose calls cost 3,000 tokens each.
func spendingModel(spent *atomic.Int64) *model {
	return &model{do: func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		text := shorten(r)
		text.Spent = 3000
		spent.Add(text.Spent)
		return text, nil
	}}
}

// An agent spends no more than its tokens of a month, even with several files at once.
// The reservation is replaced by what was spent.
func TestSummaryTokens(t *testing.T) {
	var spent atomic.Int64
	_, store := newService(t, workspace.Options{})
	o := workspace.Options{Summarizer: spendingModel(&spent).remote(), SummaryTokens: 10_000, Now: testkit.NewClock().Now}
	a, b := agentOf(t, serviceOn(t, store, o), "a"), agentOf(t, serviceOn(t, store, o), "b")
	const files = 30
	for i := range files {
		write(t, a, fmt.Sprint("f", i), longText("one"))
	}
	write(t, b, "f", longText("one"))
	var wg sync.WaitGroup
	var refused atomic.Int64
	for i := range files {
		wg.Go(func() {
			_, err := a.Summarize(t.Context(), fmt.Sprint("f", i), workspace.SummarizeOptions{})
			if err != nil {
				wantSummaryErr(t, "Summarize", err, workspace.ErrQuota, "of 10000 tokens for summaries this month", "use ReadFile")
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	// A call reserves about 2,700 tokens, and costs 3,000.
	if n := spent.Load() / 3000; n < 1 || n > 3 || refused.Load() != files-n {
		t.Errorf("%d tokens were spent and %d files refused, want 9,000 at most of 10,000 and the other files", spent.Load(), refused.Load())
	}
	wantSpend(t, store, "a/2026-11", fmt.Sprint(spent.Load()))
	summarize(t, b, "f")

	// The tokens of one agent are not those of another.
	testkit.Must(t, testkit.Err(serviceOn(t, store, o).DeleteAgent(t.Context(), "a")))
	if got := records(t, store, "spend/"); len(got) != 1 || !strings.HasPrefix(got[0].Key, "spend/summary/local/b/") {
		t.Errorf("after DeleteAgent the records are %v, want those of the other agent", got)
	}
}

// wantSpend checks the record of an agent's tokens in a month.
func wantSpend(t *testing.T, store workspace.Store, agentMonth, want string) {
	t.Helper()
	if got := records(t, store, "spend/summary/local/"+agentMonth); len(got) != 1 || string(got[0].Value) != want {
		t.Errorf("the records of %s are %v, want one of %s", agentMonth, got, want)
	}
}

// A stored summary costs nothing, even if all tokens are spent. A new month has new
// tokens. The records of two months are kept, and an agent sees what it has spent in this one.
func TestSummaryTokensOfTheNextMonth(t *testing.T) {
	clock := testkit.NewClock()
	var spent atomic.Int64
	svc, store := newService(t, workspace.Options{Summarizer: spendingModel(&spent).remote(), SummaryTokens: 10_000, Now: clock.Now})
	ws := agentOf(t, svc, "a")
	for range 3 {
		write(t, ws, "f", longText("one"))
		summarize(t, ws, "f")
	}
	if r := summarize(t, ws, "f"); !r.Cached {
		t.Errorf("Summarize again = %+v, want it cached", r)
	}
	write(t, ws, "f", longText("one"))
	_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
	wantSummaryErr(t, "Summarize when all is spent", err, workspace.ErrQuota)
	clock.Advance(10 * 24 * time.Hour)
	if r := summarize(t, ws, "f"); r.Cached {
		t.Errorf("Summarize in the next month = %+v, want it made", r)
	}
	wantSpend(t, store, "a/2026-11", "9000")
	wantSpend(t, store, "a/2026-12", "3000")
	month := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for agent, spent := range map[string]int64{"a": 3000, "b": 0} {
		got, err := agentOf(t, svc, agent).SummarySpend(t.Context())
		if want := (workspace.SummarySpend{Month: month, Tokens: spent, Limit: 10_000}); err != nil || got != want {
			t.Errorf("SummarySpend of %s = %+v, %v, want %+v", agent, got, err, want)
		}
	}
	clock.Advance(31 * 24 * time.Hour)
	write(t, ws, "f", longText("one"))
	summarize(t, ws, "f")
	if got := records(t, store, "spend/summary/local/a/"); len(got) != 2 || got[0].Key != "spend/summary/local/a/2026-12" {
		t.Errorf("a month later the records are %v, want those of two months", got)
	}
}

// A record that is not a number is left as it is. It stops an agent that has a limit.
func TestSummaryTokensCannotBeRead(t *testing.T) {
	clock := testkit.NewClock()
	o := workspace.Options{Summarizer: (&model{}).remote(), SummaryTokens: 10_000, Now: clock.Now}
	svc, store := newService(t, o)
	ws := agentOf(t, svc, "a")
	write(t, ws, "f", longText("one"))
	testkit.Must(t, testkit.Err(store.System(t.Context()).Put("spend/summary/local/a/2026-11", []byte("many"), 0)))
	_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
	wantSummaryErr(t, "Summarize when the record is no number", err, workspace.ErrCorrupt, "cannot be read", "use ReadFile")
	o.SummaryTokens = 0
	summarize(t, agentOf(t, serviceOn(t, store, o), "a"), "f")
	wantSpend(t, store, "a/2026-11", "many")
}

// What a Summarizer estimates is reserved, not the tokens of the whole file.
func TestSummaryTokensEstimated(t *testing.T) {
	m := &model{}
	s := m.remote()
	estimate := int64(1001)
	s.Estimate = func(path, content string) int64 {
		if path != "f" || content != longText("one") {
			t.Errorf("Estimate is asked for %s: %.20q", path, content)
		}
		return estimate
	}
	ws := newWorkspace(t, workspace.Options{Summarizer: s, SummaryTokens: 1000})
	write(t, ws, "f", longText("one"))
	_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
	wantSummaryErr(t, "Summarize of what costs too much", err, workspace.ErrQuota, "about 1001")
	estimate = 1000
	summarize(t, ws, "f")
}

// A summary that is not what was written is reported, and the next write removes it.
func TestDamagedSummary(t *testing.T) {
	svc, store := newService(t, workspace.Options{Summarizer: new(model).remote()})
	ws := agentOf(t, svc, "a")
	write(t, ws, "f", longText("one"))
	summarize(t, ws, "f")
	testkit.Must(t, store.Update(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(tx port.Tx) error {
		l, err := tx.Load(port.Query{File: "f"})
		list, err2 := tx.Summaries("f")
		bad := port.Summary{SummaryKey: list[0].SummaryKey, Content: []byte("bad")}
		return errors.Join(err, err2, tx.Apply(port.SummaryChange{Head: l.File, New: bad, Owner: l.Owner}))
	}))
	_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
	wantErr(t, "Summarize", err, workspace.ErrCorrupt, "not what was written", "use ReadFile")
	write(t, ws, "f", longText("two"))
	summarize(t, ws, "f")
}

// Not every store can look for a NUL.
func TestSummariesRefuse(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, q := range []workspace.SummariesQuery{{Path: "a\x00b"}, {After: "a\x00b"}, {Path: "a/../b"}} {
		_, err := ws.Summaries(t.Context(), q)
		wantErr(t, fmt.Sprintf("Summaries(%+v)", q), err, workspace.ErrInvalid)
	}
}
