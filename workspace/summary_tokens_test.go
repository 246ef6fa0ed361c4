package workspace_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

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
	testkit.Must(t, failure(serviceOn(t, store, o).DeleteAgent(t.Context(), "a")))
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
// tokens. The records of two months are kept.
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
	testkit.Must(t, failure(store.System(t.Context()).Put("spend/summary/local/a/2026-11", []byte("many"), 0)))
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
