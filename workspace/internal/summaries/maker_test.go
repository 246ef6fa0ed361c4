package summaries_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
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
	return summaries.New[string](summaries.Options{
		System: func(context.Context) records.Records { return &w.shared },
		Now:    time.Now, Tokens: tokens, FailureText: error.Error,
	})
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

func (w *world) Make(ctx context.Context, _ func(int, int), extend func(context.Context) error) (int64, error) {
	w.mu.Lock()
	w.calls++
	w.mu.Unlock()
	time.Sleep(5 * time.Minute) // longer than a lease that is not renewed
	return 40, errors.Join(w.fails, extend(ctx))
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

// left returns what the account has spent, and how many leases there are.
func (w *world) left(t *testing.T) (spent string, leases int) {
	t.Helper()
	months, err1 := w.List("spend/summary/a/")
	held, err2 := w.List("lease/")
	if err := errors.Join(err1, err2); err != nil || len(months) > 1 {
		t.Fatalf("the months are %v, %v", months, err)
	}
	for _, m := range months {
		spent = string(m.Value)
	}
	return spent, len(held)
}

// Callers of several processes share one call, which is counted once.
func TestDoSharesOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		processes := []*summaries.Maker[string]{w.process(0), w.process(0), w.process(0)}
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				if r, err := w.ask(t.Context(), processes[i%3]); r != "made" || err != nil {
					t.Errorf("Do = %q, %v", r, err)
				}
			})
		}
		wg.Wait()
		spent, leases := w.left(t)
		if _, calls := w.made(); calls != 1 || spent != "40" || leases != 0 {
			t.Errorf("%d calls, %s tokens, %d leases, want 1 call, 40 tokens and no lease", calls, spent, leases)
		}
	})
}

// A failure is the answer to all who wait. Since it has used tokens, it stays the answer
// for half a minute.
func TestDoSharesAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.fails = errors.New("overloaded")
		processes := []*summaries.Maker[string]{w.process(0), w.process(0)}
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				if _, err := w.ask(t.Context(), processes[i%2]); err == nil || !strings.HasPrefix(err.Error(), "overloaded") {
					t.Errorf("Do = %v, want what has failed", err)
				}
			})
		}
		wg.Wait()
		var failed *summaries.FailedError
		if _, err := w.ask(t.Context(), processes[0]); !errors.As(err, &failed) || failed.RetryIn < time.Second || failed.RetryIn > 30*time.Second {
			t.Errorf("Do after a failure = %v, want it again for up to 30 s", err)
		}
		if _, calls := w.made(); calls != 1 {
			t.Errorf("%d calls, want 1", calls)
		}
		w.fails = nil
		time.Sleep(31 * time.Second)
		if r, err := w.ask(t.Context(), processes[1]); r != "made" || err != nil {
			t.Errorf("Do half a minute later = %q, %v", r, err)
		}
		if spent, leases := w.left(t); spent != "80" || leases != 0 {
			t.Errorf("%s tokens, %d leases, want 80 tokens and no lease", spent, leases)
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
		spent, leases := w.left(t)
		if _, calls := w.made(); spent != "40" || leases != 0 || calls != 0 {
			t.Errorf("%s tokens, %d leases, %d calls, want what there was before", spent, leases, calls)
		}
		time.Sleep(31 * 24 * time.Hour)
		if r, err := w.ask(t.Context(), m); r != "made" || err != nil {
			t.Errorf("Do in the next month = %q, %v", r, err)
		}
		if err := m.Forget(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		if spent, _ := w.left(t); spent != "" {
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
			if spent, leases := w.left(t); spent != "40" || leases != 0 {
				t.Errorf("closed %v: %s tokens, %d leases, want 40 tokens and no lease", closes, spent, leases)
			}
		}
	})
}

func TestFailedErrorSaysWhenToTryAgain(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "overloaded", 5 * time.Second: "overloaded (failed moments ago after using tokens; try again in 5s)",
	} {
		if got := fmt.Sprint(&summaries.FailedError{Text: "overloaded", RetryIn: wait}); got != want {
			t.Errorf("the error is %q, want %q", got, want)
		}
	}
}
