package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// maxWait is for what takes no time, on a machine that is busy.
const maxWait = 10 * time.Second

// A gate holds calls until it is opened.
type gate struct {
	entered chan struct{} // one for each call that waits
	opened  chan struct{}
	once    sync.Once
}

func newGate() *gate { return &gate{entered: make(chan struct{}, 1000), opened: make(chan struct{})} }

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

// gated is a server whose calls wait at the gate.
func gated(t testing.TB, g *gate) *mcpserver.Server {
	t.Helper()
	t.Cleanup(g.open)
	find := workspaces(newService(t, workspace.Options{}), "a")
	return newServerWith(t, mcpserver.Options{Bound: true, Workspace: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		g.entered <- struct{}{}
		<-g.opened
		return find(ctx, c)
	}})
}

// Calls that were read are answered when the input ends, and when the context does.
func TestCallsInFlightAreAnswered(t *testing.T) {
	for name, end := range map[string]func(*wire){
		"end of input": func(w *wire) { w.to.Close() },
		"cancelled":    func(w *wire) { w.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 20
			g := newGate()
			w := newWire(t, gated(t, g))
			for i := range n {
				w.send(request(fmt.Sprint(i), "append_log", `{"path":"log","entry":"x"}`))
				<-g.entered
			}
			end(w)
			time.AfterFunc(50*time.Millisecond, g.open)
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
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("Run returned after %v, want it when the calls are answered", took)
			}
		})
	}
}

// A client that asks for more before it has the first answer may not use its id.
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

// A client may take back what it asked for.
func TestCancelledCall(t *testing.T) {
	g := newGate()
	w := newWire(t, gated(t, g))
	w.send(request("1", "append_log", `{"path":"log","entry":"x"}`))
	<-g.entered
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	w.send(request("2", "list_files", `{}`))
	<-g.entered
	g.open()
	for range 2 {
		w.must()
	}
	w.alive("3")
}

// Calls that never end do not keep the process.
func TestCallsThatHang(t *testing.T) {
	t.Parallel()
	find := workspaces(newService(t, workspace.Options{}), "a")
	s := newServerWith(t, mcpserver.Options{Bound: true, Workspace: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		<-ctx.Done()
		return find(ctx, c)
	}})
	w := newWire(t, s)
	w.send(request("1", "list_files", `{}`))
	w.cancel()
	if err := w.end(2 * maxWait); err != nil {
		t.Errorf("Run() = %v, want nil", err)
	}
}

// A client that reads nothing does not keep the process either.
func TestClientThatDoesNotRead(t *testing.T) {
	for name, lines := range map[string]string{
		"answers": request("1", "list_files", "{}") + request("2", "list_files", "{}"),
		"errors":  "no JSON\nnor this\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fromClient, toServer := io.Pipe()
			nobody, out := io.Pipe()
			t.Cleanup(func() { nobody.Close() })
			ctx, cancel := context.WithCancel(t.Context())
			ran := make(chan error, 1)
			go func() { ran <- newServer(t, "a").Run(ctx, fromClient, out) }()
			io.WriteString(toServer, lines)
			cancel()
			select {
			case err := <-ran:
				if err != nil {
					t.Errorf("Run() = %v, want nil", err)
				}
			case <-time.After(2 * maxWait):
				t.Error("Run has not returned")
			}
		})
	}
}

// brokenWriter takes a number of writes and no more.
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
			case <-time.After(3 * time.Second):
				t.Error("Run has not returned")
			}
		})
	}
}

// The lines of calls that are not answered are bounded together, and what waits
// has its turn.
func TestBytesInFlight(t *testing.T) {
	t.Parallel()
	const n, size = 6, 15 << 20
	const most = 32 << 20 / size // beside the one that waits to be let in, and the next that is read
	g := newGate()
	w := newWire(t, gated(t, g))
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range n {
			w.send(padded(fmt.Sprint(i), size))
		}
	}()
	for range most {
		<-g.entered
	}
	select {
	case <-g.entered:
		t.Errorf("%d calls of %d bytes run at once", most+1, size)
	case <-sent:
		t.Error("everything was read while nothing was answered")
	case <-time.After(100 * time.Millisecond):
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
