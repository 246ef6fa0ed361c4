package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// whenBusy is a time in which a busy machine answers every call of a test.
const whenBusy = 5 * time.Minute

// post makes a call of 2026-07-28 without a connection.
func post(t *testing.T, handler http.Handler, tool, args string) string {
	ctx, cancel := context.WithTimeout(t.Context(), whenBusy+10*time.Second)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, "POST", "http://localhost/", strings.NewReader(callOf(tool, args)))
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": stateless, "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Body.String()
}

func mustResult(t *testing.T, what, text string) {
	t.Helper()
	if !strings.Contains(text, `"result":{"`) || strings.Contains(text, `"isError":true`) {
		t.Errorf("%s is answered with %.200q, want a result", what, text)
	}
}

// Many more calls than there are places for are all answered, although each needs more
// memory than its request did.
func TestBudgetOfManyReads(t *testing.T) {
	s := newInner(t, Options{Memory: 1 << 20, Timeout: whenBusy})
	handler := s.Handler()
	const places = 16
	if _, ok := s.budget.calls.TryTake("", maxCalls-places); !ok {
		t.Fatal("places are in use")
	}
	var wg sync.WaitGroup
	for range 3 * places {
		wg.Go(func() { mustResult(t, "a read", post(t, handler, "read_file", `{"path":"mid"}`)) })
	}
	wg.Wait()
}

// A small request is answered while larger ones wait for memory.
func TestBudgetOfSmallBodies(t *testing.T) {
	testkit.SkipInShort(t)
	s := newInner(t, Options{Timeout: whenBusy})
	handler := s.Handler()
	large, ok := s.budget.large.TryTake("", s.budget.large.Size())
	if !ok {
		t.Fatal("the large lane is in use")
	}
	write := func(path string, bytes int) string {
		return post(t, handler, "write_file", fmt.Sprintf(`{"path":%q,"content":%q}`, path, strings.Repeat("x", bytes)))
	}
	var wg sync.WaitGroup
	for i := range 14 { // more than bodies may hold
		wg.Go(func() { mustResult(t, "a large write", write(fmt.Sprint("large", i), 1_000_000)) })
	}
	time.Sleep(300 * time.Millisecond) // they come first
	for i, size := range []int{6_000, 100_000, 160_000} {
		answered := make(chan string, 1)
		go func() { answered <- write(fmt.Sprint("small", i), size) }()
		select {
		case text := <-answered:
			mustResult(t, fmt.Sprintf("a write of %d bytes", size), text)
		case <-time.After(time.Minute):
			t.Errorf("a write of %d bytes waits for larger ones", size)
		}
	}
	large.Leave()
	wg.Wait()
}

// The body of a GET is dropped, and takes no memory while the stream of events is open.
func TestBodyOfGet(t *testing.T) {
	s := newInner(t, Options{})
	h := serveInner(t, s)
	session := beginInner(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res := open(t, ctx, h, "GET", `{"jsonrpc":"2.0","method":"x","pad":"`+strings.Repeat("x", 200<<10)+`"}`, session, nil)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("GET: %s, want 200", res.Status)
	}
	if _, ok := s.budget.large.TryTake("", s.budget.large.Size()); !ok {
		t.Error("an open stream holds memory for its body")
	}
	if _, ok := s.budget.calls.TryTake("", maxCalls); !ok {
		t.Error("an open stream holds a place for a call")
	}
}

// A stream of events over HTTP/2 stays open however long nothing happens. A client that
// does not take its answer loses its connection.
func TestIdleStream(t *testing.T) {
	t.Parallel()
	s := newInner(t, Options{})
	s.limits.answer = time.Second
	h := httptest.NewUnstartedServer(s.Handler())
	h.EnableHTTP2 = true
	h.StartTLS()
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res := open(t, ctx, h, "GET", "", beginInner(t, h), nil)
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, res.Body)
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Errorf("an idle stream over %s ended: %v", res.Proto, err)
	case <-time.After(1500 * time.Millisecond):
	}
	cancel()
}

// A Memory that would leave a part of the budget without bytes is refused.
func TestLeastMemory(t *testing.T) {
	find := func(context.Context, Call) (*workspace.Workspace, error) { return nil, workspace.ErrInvalid }
	for memory, want := range map[int64]error{-1: workspace.ErrInvalid, 3: workspace.ErrInvalid, 1<<20 - 1: workspace.ErrInvalid, 1 << 20: nil, 0: nil} {
		if _, err := New(Options{Workspace: find, Memory: memory}); !errors.Is(err, want) {
			t.Errorf("Memory %d: %v, want %v", memory, err, want)
		}
	}
}

// reading are calls that read contents, and the parts of the budget that each waits for.
var reading = []struct {
	tool, args         string
	reads, heavy, lane bool
}{
	{"read_file", `{"path":"large"}`, true, false, true},
	{"read_file", `{"path":"large","since_version":1}`, true, true, false},
	{"edit_file", `{"path":"large","old_text":"","new_text":"more"}`, true, false, false},
	{"move_file", `{"path":"large","new_path":"moved"}`, true, false, false},
	{"changes", `{"since":3,"diffs":true}`, true, true, false},
	{"search", `{"query":"x"}`, true, true, false},
}

// newReading returns a server whose file large has two versions, and takes all of the parts of
// its budget that are asked for. free gives them back.
func newReading(t *testing.T, timeout time.Duration, reads, heavy, lane bool) (s *Server, free func()) {
	s = newInner(t, Options{Timeout: timeout})
	ws, err := s.o.Workspace(t.Context(), Call{})
	testkit.Must(t, err)
	if _, err := ws.WriteFile(t.Context(), "large", bytes.Repeat([]byte("x\n"), 1<<19-10), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	var taken []func()
	take := func(want bool, of *admission.Semaphore) {
		if want {
			all, ok := of.TryTake("", of.Size())
			if !ok {
				t.Fatal("a part of the budget is in use")
			}
			taken = append(taken, all.Leave)
		}
	}
	take(reads, s.budget.reads)
	take(heavy, s.budget.heavy)
	take(lane, s.budget.large)
	return s, func() {
		for _, give := range taken {
			give()
		}
	}
}

// A few calls read at once, fewer of them search or compare large texts, and a large answer
// needs memory. Whoever loses the right to a call while it waits gets nothing.
func TestRightsAfterWait(t *testing.T) {
	for _, c := range reading {
		for _, part := range []struct{ waits, reads, heavy, lane bool }{{c.reads, true, false, false}, {c.heavy, false, true, false}, {c.lane, false, false, true}} {
			if !part.waits && testing.Short() {
				continue
			}
			if !part.waits {
				s, _ := newReading(t, whenBusy, part.reads, part.heavy, part.lane)
				mustResult(t, fmt.Sprintf("%s without room for %+v", c.tool, part), post(t, s.Handler(), c.tool, c.args))
				continue
			}
			t.Run(fmt.Sprintf("%s without %+v", c.args, part), func(t *testing.T) {
				t.Parallel()
				s, free := newReading(t, whenBusy, part.reads, part.heavy, part.lane)
				var revoked atomic.Bool
				find := s.o.Workspace
				s.o.Workspace = func(ctx context.Context, c Call) (*workspace.Workspace, error) {
					if revoked.Load() {
						return nil, fmt.Errorf("revoked: %w", workspace.ErrInvalid)
					}
					return find(ctx, c)
				}
				answered := make(chan string, 1)
				go func() { answered <- post(t, s.Handler(), c.tool, c.args) }()
				time.Sleep(200 * time.Millisecond) // it waits
				revoked.Store(true)
				free()
				if text := <-answered; !strings.Contains(text, "revoked") {
					t.Errorf("%.200s, want it refused", text)
				}
			})
		}
	}
}
