package summaries_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// shared are records in memory.
type shared struct {
	mu   sync.Mutex // guards the following
	rows map[string]records.Record
	last int64 // revision
}

func (s *shared) Get(key string) (records.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[key], nil
}

func (s *shared) Put(key string, value []byte, revision int64) (int64, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows[key].Revision != revision {
		return 0, false, nil
	}
	s.last++
	s.rows[key] = records.Record{Key: key, Value: value, Revision: s.last}
	return s.last, true, nil
}

func (s *shared) Delete(key string, revision int64) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.rows[key]; !ok || r.Revision != revision {
		return false, nil
	}
	delete(s.rows, key)
	return true, nil
}

func (s *shared) List(prefix string) (list []records.Record, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, r := range s.rows {
		if strings.HasPrefix(key, prefix) {
			list = append(list, r)
		}
	}
	return list, nil
}

// A world is what several processes share: the records, and the one summary. It is also
// the Job.
type world struct {
	shared
	summary string // guarded by shared.mu
	calls   int    // of Make; guarded by shared.mu
	fails   error
}

func newWorld() *world { return &world{shared: shared{rows: map[string]records.Record{}}} }

// process returns the Maker of another process.
func (w *world) process(tokens int64) *summaries.Maker[string] {
	return summaries.New[string](func(context.Context) records.Records { return &w.shared }, time.Now, tokens)
}

func (w *world) ask(ctx context.Context, m *summaries.Maker[string]) (string, error) {
	r, _, err := m.Do(ctx, summaries.Request[string]{ID: "id", Account: "a", Job: w, Progress: func(int, int) {}})
	return r, err
}

func (w *world) Find(context.Context) (string, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.summary, w.summary != "", nil
}

func (w *world) Estimate() int64 { return 60 }

func (w *world) Make(ctx context.Context, _ func(int, int)) (int64, error) {
	w.mu.Lock()
	w.calls++
	w.mu.Unlock()
	time.Sleep(5 * time.Minute)
	return 40, cmp.Or(w.fails, ctx.Err())
}

func (w *world) Keep(context.Context) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.summary = "made"
	return w.summary, nil
}

// made returns the summary, and how often Make was called.
func (w *world) made() (summary string, calls int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.summary, w.calls
}

// spent returns what the account has spent.
func (w *world) spent(t *testing.T) (spent string) {
	t.Helper()
	months, err := w.List("spend/summary/a/")
	if err != nil || len(months) > 1 {
		t.Fatalf("the months are %v, %v", months, err)
	}
	for _, m := range months {
		spent = string(m.Value)
	}
	return spent
}

// Callers share one call, which is counted once. A process that is asked later finds the
// summary. Two that are asked at once both pay, and both are counted.
func TestDoSharesOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for n, want := range map[int]string{1: "40", 2: "80"} {
			w := newWorld()
			var processes []*summaries.Maker[string]
			for range n {
				processes = append(processes, w.process(0))
			}
			var wg sync.WaitGroup
			for i := range 30 {
				wg.Go(func() {
					if r, err := w.ask(t.Context(), processes[i%n]); r != "made" || err != nil {
						t.Errorf("Do = %q, %v", r, err)
					}
				})
			}
			wg.Wait()
			if r, err := w.ask(t.Context(), w.process(0)); r != "made" || err != nil {
				t.Errorf("Do of another process later = %q, %v", r, err)
			}
			spent := w.spent(t)
			if _, calls := w.made(); calls != n || spent != want {
				t.Errorf("%d processes make %d calls and spend %s tokens, want %d and %s", n, calls, spent, n, want)
			}
		}
	})
}

// A failure is the answer to all who wait. Since it has used tokens, it stays the answer
// for half a minute.
func TestDoSharesAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.fails = store.Errorf(store.ErrProvider, "overloaded")
		m := w.process(0)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := w.ask(t.Context(), m); err == nil || !strings.HasPrefix(err.Error(), "overloaded") {
					t.Errorf("Do = %v, want what has failed", err)
				}
			})
		}
		wg.Wait()
		var failed *summaries.FailedError
		if _, err := w.ask(t.Context(), m); !errors.As(err, &failed) || failed.Text != "overloaded" || failed.RetryIn < time.Second || failed.RetryIn > 30*time.Second {
			t.Errorf("Do after a failure = %v, want it again for up to 30 s", err)
		}
		if _, calls := w.made(); calls != 1 {
			t.Errorf("%d calls, want 1", calls)
		}
		w.fails = nil
		time.Sleep(31 * time.Second)
		if r, err := w.ask(t.Context(), m); r != "made" || err != nil {
			t.Errorf("Do half a minute later = %q, %v", r, err)
		}
		if spent := w.spent(t); spent != "80" {
			t.Errorf("%s tokens, want 80", spent)
		}
	})
}

func TestDoKeepsToTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		m := w.process(99)
		m.Spend(t.Context(), "a", 40)
		_, err := w.ask(t.Context(), m)
		var over *summaries.BudgetError
		if !errors.As(err, &over) || *over != (summaries.BudgetError{Spent: 40, Limit: 99, Estimate: 60}) {
			t.Errorf("Do = %v, want a BudgetError", err)
		}
		spent := w.spent(t)
		if _, calls := w.made(); spent != "40" || calls != 0 {
			t.Errorf("%s tokens, %d calls, want what there was before", spent, calls)
		}
		time.Sleep(31 * 24 * time.Hour)
		if r, err := w.ask(t.Context(), m); r != "made" || err != nil {
			t.Errorf("Do in the next month = %q, %v", r, err)
		}
		if err := m.Forget(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		if spent := w.spent(t); spent != "" {
			t.Errorf("after Forget %s tokens are spent", spent)
		}
	})
}

// A summary that is paid for is made even if all callers leave, but not after Close.
func TestDoWithoutCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, closes := range []bool{false, true} {
			w := newWorld()
			m := w.process(0)
			ctx, cancel := context.WithCancel(t.Context())
			left := make(chan error)
			go func() {
				_, err := w.ask(ctx, m)
				left <- err
			}()
			time.Sleep(time.Minute)
			cancel()
			if err := <-left; err != context.Canceled {
				t.Errorf("Do of a caller who leaves = %v", err)
			}
			if closes {
				m.Close(context.Background())
			}
			time.Sleep(10 * time.Minute)
			want := "made"
			if closes {
				want = ""
			}
			if summary, _ := w.made(); summary != want {
				t.Errorf("closed %v: the summary is %q, want %q", closes, summary, want)
			}
			if spent := w.spent(t); spent != "40" {
				t.Errorf("closed %v: %s tokens, want 40", closes, spent)
			}
		}
	})
}
