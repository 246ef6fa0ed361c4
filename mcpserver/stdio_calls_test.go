package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// maxWait is a time for quick things on a busy machine.
const maxWait = time.Minute

// A gate holds calls until it is opened.
type gate struct {
	entered chan struct{} // one for each call that waits
	opened  chan struct{}
	once    sync.Once
}

func newGate() *gate { return &gate{entered: make(chan struct{}, 1000), opened: make(chan struct{})} }

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

// gated returns a server whose calls wait at the gate.
func gated(t testing.TB, g *gate) *mcpserver.Server {
	t.Helper()
	return gatedWith(t, g, 0)
}

func gatedWith(t testing.TB, g *gate, memory int64) *mcpserver.Server {
	t.Helper()
	t.Cleanup(g.open)
	find := workspaces(newService(t, workspace.Options{}), "a")
	return newServerWith(t, mcpserver.Options{Bound: true, Memory: memory, Workspace: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		g.entered <- struct{}{}
		<-g.opened
		return find(ctx, c)
	}})
}

// Calls under way are answered when the input ends, and when the context ends.
func TestCallsInFlightAreAnswered(t *testing.T) {
	for name, end := range map[string]func(*wire){
		"end of input": func(w *wire) { w.to.Close() },
		"cancelled":    func(w *wire) { w.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { answersInFlight(t, end) })
		})
	}
}

// answersInFlight ends a connection while calls are under way. They are let go 50 ms later.
func answersInFlight(t *testing.T, end func(*wire)) {
	const n, later = 20, 50 * time.Millisecond
	g := newGate()
	w := newWire(t, gated(t, g))
	for i := range n {
		w.send(request(fmt.Sprint(i), "append_log", `{"path":"log","entry":"x"}`))
		<-g.entered
	}
	end(w)
	time.AfterFunc(later, g.open)
	start := time.Now()
	seen := map[string]bool{}
	for a, ok := w.next(); ok; a, ok = w.next() {
		if text, isError := a.tool(t); isError {
			t.Errorf("call %s = %s, want its record", a.ID, text)
		}
		seen[string(a.ID)] = true
	}
	if len(seen) != n {
		t.Errorf("%d calls were answered, want %d", len(seen), n)
	}
	if err := w.end(maxWait); err != nil {
		t.Errorf("Run() = %v, want nil", err)
	}
	if took := time.Since(start); took != later {
		t.Errorf("Run returned after %v, want it when the calls are answered, after %v", took, later)
	}
}

// A client may not use the id of a call that is not answered yet.
func TestDuplicateID(t *testing.T) {
	g := newGate()
	w := newWire(t, gated(t, g))
	w.send(request("1", "append_log", `{"path":"log","entry":"first"}`))
	<-g.entered
	w.send(request("1", "append_log", `{"path":"log","entry":"second"}`))
	if a := w.must(); a.Error == nil || string(a.ID) != "null" {
		t.Errorf("answer %s, want an error for no id: the id is the first call's", a.raw)
	}
	g.open()
	if text, isError := w.must().tool(t); isError || !strings.Contains(text, `"entry_id":1`) {
		t.Errorf("the first call = %s, want its record", text)
	}
	w.alive("1")
}

// Calls that never end do not keep the process. They are cancelled, and Run returns when
// they are over.
func TestCallsThatHang(t *testing.T) { synctest.Test(t, callsThatHang) }

func callsThatHang(t *testing.T) {
	entered := make(chan struct{})
	var over atomic.Bool
	find := workspaces(newService(t, workspace.Options{}), "a")
	s := newServerWith(t, mcpserver.Options{Bound: true, Workspace: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		close(entered)
		<-ctx.Done()
		over.Store(true)
		return find(ctx, c)
	}})
	w := newWire(t, s)
	w.send(request("1", "list_files", `{}`))
	<-entered
	w.cancel()
	if err := w.end(2 * maxWait); err != nil || !over.Load() {
		t.Errorf("Run() = %v, the call is over: %v, want nil and that it is", err, over.Load())
	}
}

// A stuckWriter blocks until it is let go.
type stuckWriter struct {
	entered chan struct{} // one for each write that waits
	letGo   chan struct{}
}

func (s *stuckWriter) Write(p []byte) (int, error) {
	s.entered <- struct{}{}
	<-s.letGo
	return len(p), nil
}

// A client that reads nothing does not keep the process.
func TestClientThatDoesNotRead(t *testing.T) {
	testkit.SkipUnlessLong(t) // it waits for seconds
	t.Parallel()
	cancelled := func(_ io.Closer, cancel context.CancelFunc) { cancel() }
	ended := func(in io.Closer, _ context.CancelFunc) { in.Close() }
	var wg sync.WaitGroup
	for name, c := range map[string]struct {
		lines string
		end   func(io.Closer, context.CancelFunc)
		want  string // what the error says; "": none
	}{
		"answers, cancelled":    {request("1", "list_files", "{}") + request("2", "list_files", "{}"), cancelled, ""},
		"errors, cancelled":     {"no JSON\nnor this\n", cancelled, ""},
		"answers, end of input": {request("1", "list_files", "{}"), ended, "does not read"},
		"errors, end of input":  {"no JSON\n", ended, "does not read"},
	} {
		s := newServer(t, "a")
		wg.Go(func() {
			fromClient, toServer := io.Pipe()
			out := &stuckWriter{make(chan struct{}, 10), make(chan struct{})}
			defer close(out.letGo)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			ran := make(chan error, 1)
			go func() { ran <- s.Run(ctx, fromClient, out) }()
			io.WriteString(toServer, c.lines)
			<-out.entered
			c.end(toServer, cancel)
			select {
			case err := <-ran:
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: Run() = %v, want %q", name, err, c.want)
				}
			case <-time.After(2 * maxWait):
				t.Errorf("%s: Run has not returned", name)
			}
		})
	}
	wg.Wait()
}

// brokenWriter fails after a number of writes.
type brokenWriter struct{ left int }

var errBroken = errors.New("broken pipe")

func (b *brokenWriter) Write(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// A client that is gone ends the connection at once, with the error.
func TestClientThatIsGone(t *testing.T) {
	for name, line := range map[string]string{"answer": request("1", "list_files", "{}"), "error": "no JSON\n"} {
		t.Run(name, func(t *testing.T) {
			fromClient, toServer := io.Pipe()
			defer toServer.Close()
			ran := make(chan error, 1)
			go func() { ran <- newServer(t, "a").Run(t.Context(), fromClient, &brokenWriter{}) }()
			io.WriteString(toServer, line)
			select {
			case err := <-ran:
				if !errors.Is(err, errBroken) {
					t.Errorf("Run() = %v, want the error of the writer", err)
				}
			case <-time.After(maxWait):
				t.Error("Run has not returned")
			}
		})
	}
}

// The bytes of all calls under way are limited together, and a call that waits is served
// later.
func TestBytesInFlight(t *testing.T) {
	const n = 5 // one works, one waits to be let in, and one is read ahead
	size, memory := testkit.Pick(1<<19, 1<<19, maxLine), testkit.Pick[int64](1<<20, 1<<20, 0)
	g := newGate()
	w := newWire(t, gatedWith(t, g, memory))
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range n {
			w.send(padded(fmt.Sprint(i), size))
		}
	}()
	<-g.entered
	select {
	case <-g.entered:
		t.Errorf("two calls of %d bytes run at once", size)
	case <-sent:
		t.Error("everything was read while nothing was answered")
	case <-time.After(testkit.Pick(200*time.Millisecond, 200*time.Millisecond, 2*time.Second)): // time to decode a line
	}
	g.open()
	for range n {
		if a := w.must(); a.Error != nil {
			t.Errorf("answer %s, want a tool's", a.raw)
		}
	}
	<-sent
	w.alive("100")
}

// The writes of an agent on one connection are applied in the order of their lines, and a read
// sees the writes before it. The agent holds nothing at first.
func TestOrderOnStdio(t *testing.T) {
	t.Parallel()
	const n = 20
	for name, svc := range map[string]*workspace.Service{"a database": newDurable(t, workspace.Options{}), "memory": newService(t, workspace.Options{})} {
		w := newWire(t, newServerWith(t, mcpserver.Options{Bound: true, Tools: mcpserver.AllTools, Workspace: workspaces(svc, "a")}))
		var lines strings.Builder
		for i := range n {
			id := func(k int) string { return fmt.Sprint(10*i + k) }
			lines.WriteString(request(id(0), "append_log", fmt.Sprintf(`{"path":"g","entry":"%d"}`, i)))
			lines.WriteString(request(id(1), "write_file", fmt.Sprintf(`{"path":"f%d","content":"x"}`, i)))
			lines.WriteString(request(id(2), "edit_file", fmt.Sprintf(`{"path":"f%d","old_text":"x","new_text":"y"}`, i)))
			lines.WriteString(request(id(3), "memory", fmt.Sprintf(`{"command":"str_replace","path":"/memories/f%d","old_str":"y","new_str":"z"}`, i)))
			lines.WriteString(request(id(4), "move_file", fmt.Sprintf(`{"path":"f%d","new_path":"h%d"}`, i, i)))
			lines.WriteString(request(id(5), "read_file", fmt.Sprintf(`{"path":"h%d"}`, i)))
			lines.WriteString(method(id(6), "resources/read", fmt.Sprintf(`"uri":"scratchpad://a/h%d"`, i), ""))
			lines.WriteString(request(id(7), "delete_file", fmt.Sprintf(`{"path":"f%d"}`, i)))
			if i%10 == 9 {
				lines.WriteString(request(id(8), "delete_log", `{"path":"g"}`))
			}
		}
		go w.send(lines.String())
		for range 8*n + n/10 {
			a := w.must()
			var id, turn int
			fmt.Sscan(string(a.ID), &id)
			want := map[int]string{0: fmt.Sprintf(`\"entry_id\":%d,`, id/10+1), 5: `"text":"z"`, 6: `"text":"z"`, 7: `\"deleted\":false`}
			if turn = id % 10; a.Error != nil || strings.Contains(a.raw, `"isError":true`) || !strings.Contains(a.raw, want[turn]) {
				t.Errorf("%s: line %d of round %d is answered with %s, want %s", name, turn, id/10, a.raw, want[turn])
			}
		}
	}
}

// An agent need not wait for another, a call that waits can be cancelled, and the next goes on.
func TestWaitForTurn(t *testing.T) {
	t.Parallel()
	svc := newService(t, workspace.Options{})
	held, release := make(chan struct{}), make(chan struct{})
	first := true
	w := newWire(t, newServerWith(t, mcpserver.Options{Workspace: workspaces(svc, ""), AroundWork: func(ctx context.Context, c mcpserver.Call) (context.Context, func(error)) {
		if c.AgentID == "a" && first {
			first = false
			close(held)
			<-release
		}
		return ctx, func(error) {}
	}}))
	w.send(request("1", "append_log", `{"agent_id":"a","path":"g","entry":"1"}`))
	<-held
	w.send(request("2", "append_log", `{"agent_id":"a","path":"g","entry":"2"}`) + request("3", "append_log", `{"agent_id":"a","path":"g","entry":"3"}`) + request("4", "read_log", `{"agent_id":"a","path":"g"}`))
	w.send(request("5", "append_log", `{"agent_id":"b","path":"g","entry":"1"}`))
	if a := w.must(); string(a.ID) != "5" || strings.Contains(a.raw, "isError") {
		t.Errorf("another agent waits: %s", a.raw)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n")
	if a := w.must(); string(a.ID) != "2" || !strings.Contains(a.raw, "the call was cancelled") {
		t.Errorf("a call that waits and is cancelled: %s", a.raw)
	}
	close(release)
	answers := map[string]string{}
	for range 3 {
		a := w.must()
		answers[string(a.ID)] = a.raw
	}
	if !strings.Contains(answers["1"], `\"entry_id\":1,`) || !strings.Contains(answers["3"], `\"entry_id\":2,`) || !strings.Contains(answers["4"], `\"count\":2,`) {
		t.Errorf("the others are answered with %v", answers)
	}
}
