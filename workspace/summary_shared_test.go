package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// processes returns workspaces of several services on one store. They know of each other
// only what separate processes know.
func processes(t *testing.T, n int, o workspace.Options) (workspace.Store, []*workspace.Workspace) {
	_, store := newService(t, o)
	var list []*workspace.Workspace
	for range n {
		list = append(list, agentOf(t, serviceOn(t, store, o), "a"))
	}
	return store, list
}

// A summaryCall is a call of Summarize in a goroutine.
type summaryCall struct {
	cancel context.CancelFunc
	done   chan struct{} // closed once the next two are set
	r      workspace.SummaryResult
	err    error
}

func begin(t *testing.T, ws *workspace.Workspace, path string) *summaryCall {
	ctx, cancel := context.WithCancel(t.Context())
	c := &summaryCall{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.r, c.err = ws.Summarize(ctx, path, workspace.SummarizeOptions{})
	}()
	return c
}

func (c *summaryCall) wait() (workspace.SummaryResult, error) {
	<-c.done
	return c.r, c.err
}

// waiting returns a model that answers when the channel is closed.
func waiting() (m *model, let chan struct{}) {
	let = make(chan struct{})
	return &model{do: func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		select {
		case <-let:
			return shorten(r), nil
		case <-ctx.Done():
			return workspace.SummaryText{}, ctx.Err()
		}
	}}, let
}

// records returns the records below a prefix.
func records(t testing.TB, store workspace.Store, prefix string) []workspace.Record {
	t.Helper()
	list, err := store.System(t.Context()).List(prefix, "", 1000)
	testkit.Must(t, err)
	return list
}

// Many callers share one call, even if the model is slow. Another process finds the summary
// that is kept.
func TestOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, let := waiting()
		store, ps := processes(t, 2, workspace.Options{Summarizer: m.remote()})
		write(t, ps[0], "f", longText("one"))
		before := usage(t, ps[0])
		var calls []*summaryCall
		for range 99 {
			calls = append(calls, begin(t, ps[0], "f"))
		}
		time.Sleep(7 * time.Minute)
		m.wantCalls(t, 1)
		close(let)
		made := 0
		for _, c := range calls {
			r, err := c.wait()
			if err != nil || r.Text != "f begins with one and so" || !r.Stored {
				t.Errorf("Summarize = %+v, %v", r, err)
			}
			if !r.Cached {
				made++
			}
		}
		if r := summarize(t, ps[1], "f"); !r.Cached {
			t.Errorf("Summarize of another process = %+v, want what is kept", r)
		}
		m.wantCalls(t, 1)
		if made != 1 {
			t.Errorf("%d calls say that they made the summary, want one", made)
		}
		if spent := records(t, store, "spend/summary/local/a/"); len(spent) != 1 || string(spent[0].Value) != "100" {
			t.Errorf("the records of spend are %v, want one of 100 tokens", spent)
		}
		for _, ws := range ps { // those of each process are pending there
			testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{})))
		}
		if got, want := usage(t, ps[0]).Operations, before.Operations+99+1+2+1; got != want {
			t.Errorf("%d operations are counted, want %d: one for each call", got, want)
		}
	})
}

// A failure is the answer to all who wait. If it cost nothing, a later caller tries at once,
// because the cause may be gone. If it cost tokens, it is the answer for half a minute.
func TestFailureIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		m := &model{do: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
			<-let
			return workspace.SummaryText{}, errors.New("overloaded")
		}}
		svc, store := newService(t, workspace.Options{Summarizer: m.remote()})
		ws := agentOf(t, svc, "a")
		write(t, ws, "f", longText("one"))
		var calls []*summaryCall
		for range 20 {
			calls = append(calls, begin(t, ws, "f"))
		}
		time.Sleep(10 * time.Second)
		close(let)
		for _, c := range calls {
			_, err := c.wait()
			wantSummaryErr(t, "Summarize", err, workspace.ErrProvider, "summarize f: overloaded")
		}
		m.wantCalls(t, 1)
		_, err := begin(t, ws, "f").wait()
		wantSummaryErr(t, "Summarize at once", err, workspace.ErrProvider, "summarize f: overloaded")
		m.wantCalls(t, 2)
		m.do = func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
			return workspace.SummaryText{Spent: 50}, errors.New("overloaded")
		}
		for _, says := range []string{"overloaded", "failed moments ago after using tokens; try again in 30s"} {
			_, err = begin(t, ws, "f").wait()
			wantSummaryErr(t, "Summarize that costs tokens", err, workspace.ErrProvider, says)
		}
		m.wantCalls(t, 3)
		wantSpend(t, store, "a/", "50")
		m.do = nil
		time.Sleep(31 * time.Second)
		if r := summarize(t, ws, "f"); r.Cached {
			t.Errorf("Summarize after half a minute = %+v, want it made", r)
		}
		m.wantCalls(t, 4)
	})
}

// Work that is paid for goes on when all callers have left.
func TestCallersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, let := waiting()
		ws := newWorkspace(t, workspace.Options{Summarizer: m.remote()})
		write(t, ws, "f", longText("one"))
		first, second := begin(t, ws, "f"), begin(t, ws, "f")
		synctest.Wait()
		for _, c := range []*summaryCall{first, second} {
			c.cancel()
			if _, err := c.wait(); !errors.Is(err, context.Canceled) {
				t.Errorf("Summarize of who has left = %v", err)
			}
		}
		m.wantCalls(t, 1)
		close(let)
		synctest.Wait()
		if r := summarize(t, ws, "f"); !r.Cached {
			t.Errorf("Summarize after all had left = %+v, want what was paid", r)
		}
		m.wantCalls(t, 1)
	})
}

// Each caller is told of the progress in its own goroutine, and not after its call has
// returned.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := make(chan struct{})
		m := &model{do: func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
			for i := range 3 {
				<-step
				r.Progress(i+1, 3)
			}
			return shorten(r), nil
		}}
		ws := newWorkspace(t, workspace.Options{Summarizer: m.remote()})
		write(t, ws, "f", longText("one"))
		var told [2][]string
		var wg sync.WaitGroup
		ctx, leave := context.WithCancel(t.Context())
		for i := range told {
			ctx := []context.Context{t.Context(), ctx}[i]
			wg.Go(func() {
				ws.Summarize(ctx, "f", workspace.SummarizeOptions{Progress: func(done, total int) {
					told[i] = append(told[i], fmt.Sprintf("%d/%d", done, total))
				}})
			})
		}
		synctest.Wait()
		step <- struct{}{}
		synctest.Wait()
		leave()
		synctest.Wait()
		close(step)
		wg.Wait()
		if got := strings.Join(told[0], " "); got != "1/3 2/3 3/3" && got != "1/3 3/3" {
			t.Errorf("a caller was told of %s, want 1/3 to 3/3", got)
		}
		if got := strings.Join(told[1], " "); got != "1/3" {
			t.Errorf("a caller who left was told of %s, want 1/3", got)
		}
	})
	m := &model{do: func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		r.Progress(1, 1)
		return shorten(r), ctx.Err()
	}}
	ws := newWorkspace(t, workspace.Options{Summarizer: m.local()})
	write(t, ws, "f", longText("one"))
	told := 0
	if _, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{Progress: func(int, int) { told++ }}); err != nil || told != 1 {
		t.Errorf("Summarize without a model = %v, told %d times, want once", err, told)
	}
	write(t, ws, "f", longText("two"))
	summarize(t, ws, "f")
}

// A panic of the Summarizer is raised in all callers.
func TestSummarizerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, goexit := range []bool{false, true} {
			let := make(chan struct{})
			m := &model{do: func(context.Context, workspace.SummaryRequest) (workspace.SummaryText, error) {
				<-let
				if goexit {
					runtime.Goexit()
				}
				panic("planted")
			}}
			ws := newWorkspace(t, workspace.Options{Summarizer: m.remote()})
			write(t, ws, "f", longText("one"))
			var raised, ended atomic.Int64
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					returned := false
					defer func() {
						if v := recover(); v == "planted" {
							raised.Add(1)
						} else if !returned {
							ended.Add(1)
						}
					}()
					_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
					returned = true
					t.Errorf("Summarize = %v, want a panic", err)
				})
			}
			synctest.Wait()
			close(let)
			wg.Wait()
			if raised.Load() != 3 && !goexit || ended.Load() != 3 && goexit {
				t.Errorf("%d callers recover the panic, the goroutines of %d end, goexit %t", raised.Load(), ended.Load(), goexit)
			}
			m.wantCalls(t, 1)
			m.do = nil
			summarize(t, ws, "f")
		}
	})
}

// A call of a Summarizer that hangs ends after ten minutes, even if the Summarizer
// ignores its context.
func TestSummarizerHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		for _, deaf := range []bool{false, true} {
			m := &model{do: func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
				if deaf {
					<-let
					return workspace.SummaryText{}, errors.New("late")
				}
				<-ctx.Done()
				return workspace.SummaryText{}, ctx.Err()
			}}
			_, ps := processes(t, 2, workspace.Options{Summarizer: m.remote()})
			write(t, ps[0], "f", longText("one"))
			start := time.Now()
			_, err := begin(t, ps[0], "f").wait()
			wantSummaryErr(t, "Summarize", err, workspace.ErrProvider, "no summary after 10m0s")
			if took := time.Since(start); took > 11*time.Minute {
				t.Errorf("Summarize took %v, want ten minutes", took)
			}
			synctest.Wait() // for the race detector: the deaf one has read do
			m.do = nil
			for i, ws := range ps {
				if r := summarize(t, ws, "f"); r.Cached != (i > 0) {
					t.Errorf("Summarize after it = %+v, want it made", r)
				}
			}
		}
		close(let)
	})
}

// A fullStore can be read and not be written, once it is full.
type fullStore struct {
	workspace.Store
	full atomic.Bool
}

func (s *fullStore) Update(ctx context.Context, o port.Owner, fn func(port.Tx) error) error {
	if s.full.Load() {
		return workspace.ErrStorageFull
	}
	return s.Store.Update(ctx, o, fn)
}

// A summary that cannot be kept is returned. If the file cannot be looked at again, it is
// not, because the version may be redacted.
func TestSummaryWithoutStore(t *testing.T) {
	store := &fullStore{Store: memstore.New()}
	m := &model{}
	svc, err := workspace.New(store, workspace.Options{Summarizer: m.remote()})
	testkit.Must(t, err)
	ws := agentOf(t, svc, "a")
	write(t, ws, "f", longText("one"))
	store.full.Store(true)
	if r := summarize(t, ws, "f"); r.Stored || r.Text == "" {
		t.Errorf("Summarize while the store is full = %+v, want the text", r)
	}
	m.do = func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		return shorten(r), store.Close()
	}
	for range 2 {
		r, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
		wantSummaryErr(t, "Summarize while the store is closed, and after it", err, workspace.ErrClosed)
		if r != (workspace.SummaryResult{}) {
			t.Errorf("Summarize while the store is closed = %+v, want nothing", r)
		}
	}
	m.wantCalls(t, 2)
}
