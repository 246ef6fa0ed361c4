package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// The lease of a killed process ends. Then one of the callers pays, however many wait.
func TestLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{}
		store, ps := processes(t, 2, workspace.Options{Summarizer: m.remote()})
		write(t, ps[0], "f", longText("one"))
		abandon(t, store, ps[0], m, "f")
		start := time.Now()
		var calls []*summaryCall
		for i := range 20 {
			calls = append(calls, begin(t, ps[i%2], "f"))
		}
		for _, c := range calls {
			if _, err := c.wait(); err != nil {
				t.Error(err)
			}
		}
		m.wantCalls(t, 1)
		if took := time.Since(start); took < 89*time.Second || took > 93*time.Second {
			t.Errorf("the callers waited for %v, want the 90 s of the lease", took)
		}
		// What others have left is swept.
		write(t, ps[0], "g", longText("one"))
		abandon(t, store, ps[0], m, "g")
		time.Sleep(time.Hour)
		write(t, ps[0], "h", longText("one"))
		summarize(t, ps[1], "h")
		if left := records(t, store, "lease/"); len(left) != 0 {
			t.Errorf("after an hour and another summary there are %v, want no lease", left)
		}
	})
}

// abandon leaves the lease of a process that was killed while the model worked.
func abandon(t *testing.T, store workspace.Store, ws *workspace.Workspace, m *model, path string) {
	t.Helper()
	var taken []workspace.Record
	m.do = func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		taken = records(t, store, "lease/")
		return workspace.SummaryText{}, workspace.ErrQuota // not told to others
	}
	if _, err := ws.Summarize(t.Context(), path, workspace.SummarizeOptions{}); err == nil || len(taken) != 1 {
		t.Fatalf("Summarize = %v with the leases %v, want an error and one", err, taken)
	}
	m.do = nil
	m.calls.Store(0)
	testkit.Must(t, failure(store.System(t.Context()).Put(taken[0].Key, taken[0].Value, 0)))
}

// Processes whose clocks differ a little respect each other's leases.
func TestLeaseOfOtherClocks(t *testing.T) {
	for _, skew := range []time.Duration{-20 * time.Second, 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			m, let := waiting()
			_, store := newService(t, workspace.Options{})
			var calls []*summaryCall
			for _, ahead := range []time.Duration{0, skew} {
				now := func() time.Time { return time.Now().Add(ahead) }
				ws := agentOf(t, serviceOn(t, store, workspace.Options{Summarizer: m.remote(), Now: now}), "a")
				if ahead == 0 {
					write(t, ws, "f", longText("one"))
				}
				calls = append(calls, begin(t, ws, "f"))
				synctest.Wait()
			}
			time.Sleep(5 * time.Minute)
			close(let)
			for _, c := range calls {
				if _, err := c.wait(); err != nil {
					t.Error(err)
				}
			}
			m.wantCalls(t, 1)
		})
	}
}

// A lease ends even if the clock was set back after it was taken.
func TestLeaseAfterClockWasSetBack(t *testing.T) {
	clock := testkit.NewClock()
	m := &model{}
	store, ps := processes(t, 1, workspace.Options{Summarizer: m.remote(), Now: clock.Now})
	write(t, ps[0], "f", longText("one"))
	abandon(t, store, ps[0], m, "f")
	clock.Advance(-time.Hour)
	summarize(t, ps[0], "f")
	m.wantCalls(t, 1)
}

// A process that loses the lease stops, and gets the summary of the other process.
func TestLostLease(t *testing.T) {
	for _, extends := range []bool{true, false} {
		t.Run(fmt.Sprintf("extends=%t", extends), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{}
				store, ps := processes(t, 2, workspace.Options{Summarizer: m.remote()})
				write(t, ps[0], "f", longText("one"))
				var extended, stopped error
				m.do = func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
					if extended = r.Extend(ctx); extended != nil {
						return workspace.SummaryText{Spent: 7}, extended
					}
					m.do = nil
					lease := records(t, store, "lease/")[0]
					if err := store.System(ctx).Delete(lease.Key, lease.Revision); err != nil {
						t.Error(err)
					}
					other := begin(t, ps[1], "f")
					if _, err := other.wait(); err != nil {
						t.Error(err)
					}
					if extends {
						stopped = r.Extend(ctx)
					} else {
						<-ctx.Done()
						stopped = ctx.Err()
					}
					return workspace.SummaryText{Spent: 7}, stopped
				}
				r := summarize(t, ps[0], "f")
				if extended != nil || stopped == nil || !r.Cached || !r.Stored {
					t.Errorf("Extend = %v, then without the lease %v; Summarize = %+v, want the other's", extended, stopped, r)
				}
				m.wantCalls(t, 2)
				if spent := records(t, store, "spend/"); len(spent) != 1 || string(spent[0].Value) != "107" {
					t.Errorf("the records of spend are %v, want both counted", spent)
				}
			})
		})
	}
}

// A troubledStore has trouble with its records while trouble is set.
type troubledStore struct {
	workspace.Store
	trouble *atomic.Pointer[string] // full: Put fails; unsure: Put stores, and does not know; hung: Get waits for its context
}

func (s troubledStore) System(ctx context.Context) workspace.Records {
	return troubledRecords{s.Store.System(ctx), ctx, s.trouble}
}

type troubledRecords struct {
	workspace.Records
	ctx     context.Context
	trouble *atomic.Pointer[string]
}

func (r troubledRecords) has(trouble string) bool {
	now := r.trouble.Load()
	return now != nil && *now == trouble
}

func (r troubledRecords) Get(key string) (workspace.Record, error) {
	if r.has("hung") {
		<-r.ctx.Done()
		return workspace.Record{}, r.ctx.Err()
	}
	return r.Records.Get(key)
}

func (r troubledRecords) Put(key string, value []byte, revision int64) (int64, error) {
	if r.has("full") {
		return 0, workspace.ErrStorageFull
	}
	got, err := r.Records.Put(key, value, revision)
	if err == nil && r.has("unsure") {
		return 0, workspace.ErrOutcomeUnknown
	}
	return got, err
}

// A summary that is paid for survives a short trouble of the store.
func TestLeaseWhileTheStoreIsInTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, trouble := range []string{"full", "unsure"} {
			store := troubledStore{memstore.New(), new(atomic.Pointer[string])}
			var extended [2]error
			m := &model{do: func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
				store.trouble.Store(&trouble)
				extended[0] = r.Extend(ctx)
				store.trouble.Store(nil)
				extended[1] = r.Extend(ctx)
				return shorten(r), errors.Join(extended[:]...)
			}}
			ws := agentOf(t, serviceOn(t, store, workspace.Options{Summarizer: m.remote()}), "a")
			write(t, ws, "f", longText("one"))
			if r := summarize(t, ws, "f"); errors.Join(extended[:]...) != nil || !r.Stored {
				t.Errorf("%s: Extend = %v, Summarize = %+v, want it to go on", trouble, extended, r)
			}
			m.wantCalls(t, 1)
			if left := records(t, store, "lease/"); len(left) != 0 {
				t.Errorf("%s: after it there are %v, want no lease", trouble, left)
			}
		}
	})
}

// A lease is lost when the record has another holder.
func TestLeaseOfAnotherHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{}
		store, ps := processes(t, 1, workspace.Options{Summarizer: m.remote()})
		var extended error
		m.do = func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			m.do = nil
			lease := records(t, store, "lease/")[0]
			other := fmt.Sprintf(`{"until":%q,"holder":"other"}`, time.Now().Add(80*time.Second).Format(time.RFC3339))
			if _, err := store.System(ctx).Put(lease.Key, []byte(other), lease.Revision); err != nil {
				t.Error(err)
			}
			extended = r.Extend(ctx)
			return workspace.SummaryText{}, extended
		}
		write(t, ps[0], "f", longText("one"))
		start := time.Now()
		if r := summarize(t, ps[0], "f"); extended == nil || !r.Stored || time.Since(start) < 79*time.Second {
			t.Errorf("Extend = %v, Summarize = %+v after %v, want it lost, and made when the other's has ended", extended, r, time.Since(start))
		}
		m.wantCalls(t, 2)
	})
}

// If Close is called while the store hangs, the callers get ErrClosed.
func TestCloseWhileTheStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := troubledStore{memstore.New(), new(atomic.Pointer[string])}
		m := &model{}
		svc := serviceOn(t, store, workspace.Options{Summarizer: m.remote()})
		ws := agentOf(t, svc, "a")
		write(t, ws, "f", longText("one"))
		hung := "hung"
		store.trouble.Store(&hung)
		c := begin(t, ws, "f")
		synctest.Wait()
		go svc.Close(context.Background())
		_, err := c.wait()
		wantSummaryErr(t, "Summarize", err, workspace.ErrClosed)
		store.trouble.Store(nil)
	})
}
