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

// A failure is the answer to all who wait. A later caller tries again, and the tokens that a
// failure cost are counted.
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
		_, err = begin(t, ws, "f").wait()
		wantSummaryErr(t, "Summarize that costs tokens", err, workspace.ErrProvider, "overloaded")
		m.wantCalls(t, 3)
		wantSpend(t, store, "a/", "50")
		m.do = nil
		if r := summarize(t, ws, "f"); r.Cached {
			t.Errorf("Summarize after a failure = %+v, want it made", r)
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

// goneCases remove the content of version 1 of the file f, each in another way.
var goneCases = []struct {
	name   string
	remove func(t *testing.T, svc *workspace.Service, ws *workspace.Workspace)
	says   string
}{
	{"redacted", func(t *testing.T, _ *workspace.Service, ws *workspace.Workspace) {
		write(t, ws, "f", longText("two"))
		redact(t, ws, "f", 1)
	}, "version 1 was redacted at "},
	{"redacted, then archived", func(t *testing.T, svc *workspace.Service, ws *workspace.Workspace) {
		write(t, ws, "f", longText("two"))
		archive(t, svc)
		redact(t, ws, "f", 1)
	}, "version 1 was redacted at "},
	{"redacted, then not retained", func(t *testing.T, _ *workspace.Service, ws *workspace.Workspace) {
		write(t, ws, "f", longText("two"))
		redact(t, ws, "f", 1)
		write(t, ws, "f", longText("three"))
		write(t, ws, "f", longText("four"))
	}, "version 1 is not kept, "},
	{"deleted", func(t *testing.T, _ *workspace.Service, ws *workspace.Workspace) {
		if _, err := ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}, "it was deleted meanwhile"},
	{"moved away, and another file is there", func(t *testing.T, _ *workspace.Service, ws *workspace.Workspace) {
		if _, err := ws.MoveFile(t.Context(), "f", "g", workspace.MoveOptions{}); err != nil {
			t.Error(err)
		}
		write(t, ws, "f", longText("two"))
	}, "version 1 is not kept, "},
	{"deleted with its agent", func(t *testing.T, svc *workspace.Service, _ *workspace.Workspace) {
		deleteAgent(t, svc)
	}, "it was deleted meanwhile"},
	{"deleted with its agent, and written again", func(t *testing.T, svc *workspace.Service, ws *workspace.Workspace) {
		deleteAgent(t, svc)
		write(t, ws, "f", longText("two"))
	}, "version 1 is not kept, "},
}

func deleteAgent(t *testing.T, svc *workspace.Service) {
	if _, err := svc.DeleteAgent(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

func archive(t *testing.T, svc *workspace.Service) {
	_, err := svc.UpdateProfile(t.Context(), "a", func(p workspace.Profile, _ bool) (workspace.Profile, error) {
		p.Name, p.Archived = "notes", time.Now()
		return p, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A summary that is made while its version is redacted or deleted is neither returned, to
// any of those who wait, nor kept. The error of a model may quote the file: it is not shown either.
func TestSummaryOfWhatIsGoneMeanwhile(t *testing.T) {
	for _, c := range goneCases {
		for _, method := range []string{"local", "remote", "failing"} {
			synctest.Test(t, func(t *testing.T) {
				m, let := waiting()
				s := m.remote()
				switch method {
				case "local":
					s = m.local()
				case "failing":
					wait := m.do
					m.do = func(ctx context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
						wait(ctx, r)
						return workspace.SummaryText{Spent: 1}, errors.New("it says: " + r.Content[:20])
					}
				}
				o := workspace.Options{Summarizer: s, Limits: workspace.Limits{Versions: 3}}
				svc, store := newService(t, o)
				ws := agentOf(t, svc, "a")
				write(t, ws, "f", longText("SECRET"))
				calls := []*summaryCall{begin(t, ws, "f"), begin(t, ws, "f")}
				synctest.Wait()
				c.remove(t, svc, agentOf(t, serviceOn(t, store, workspace.Options{Limits: o.Limits}), "a"))
				close(let)
				for _, call := range calls {
					r, err := call.wait()
					wantSummaryErr(t, c.name+", "+method, err, workspace.ErrNotFound, "summarize f: "+c.says)
					if r != (workspace.SummaryResult{}) {
						t.Errorf("%s, %s: Summarize = %+v beside the error", c.name, method, r)
					}
				}
				page, err := ws.Summaries(t.Context(), workspace.SummariesQuery{})
				if err != nil || len(page.Summaries) != 0 {
					t.Errorf("%s, %s: %+v is kept, %v, want nothing", c.name, method, page, err)
				}
				for _, r := range records(t, store, "") {
					if strings.Contains(string(r.Value), "SECRET") {
						t.Errorf("%s, %s: the records have what is gone", c.name, method)
					}
				}
			})
		}
	}
}

// A summary that cannot be kept, for a quota, is not returned either if its version is gone.
func TestSummaryWithoutRoomOfWhatIsGone(t *testing.T) {
	m := &model{}
	o := workspace.Options{Summarizer: m.local(), Limits: workspace.Limits{Bytes: oneFile + 2*int64(len(longText("")))}}
	ws := newWorkspace(t, o)
	write(t, ws, "f", longText("one"))
	m.do = func(_ context.Context, r workspace.SummaryRequest) (workspace.SummaryText, error) {
		write(t, ws, "f", "")
		redact(t, ws, "f", 1)
		return workspace.SummaryText{Text: r.Content + r.Content + r.Content}, nil
	}
	_, err := ws.Summarize(t.Context(), "f", workspace.SummarizeOptions{})
	wantSummaryErr(t, "Summarize", err, workspace.ErrNotFound, "version 1 was redacted at ")
}
