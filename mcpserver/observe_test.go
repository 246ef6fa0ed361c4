package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// watched notes all calls that a server begins and ends. It is safe for concurrent use.
type watched struct {
	mu    sync.Mutex // guards the following
	begun int
	works []string
	ended []string
	sizes [][2]int64
	over  chan struct{} // gets a value for each call that has ended
	slow  chan struct{} // gets a value for each call of the agent slow
}

type spanKey struct{}

func (w *watched) around(ctx context.Context, c mcpserver.Call) (context.Context, func(mcpserver.Outcome)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun++
	return context.WithValue(ctx, spanKey{}, w.begun), func(o mcpserver.Outcome) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = append(w.ended, fmt.Sprintf("%s %s %v: %s", c.Tool, c.AgentID, c.Write, kindOfEnd(o.Err)))
		w.sizes = append(w.sizes, [2]int64{o.BytesIn, o.BytesOut})
		w.over <- struct{}{}
	}
}

// work notes the number that around has put into the context.
func (w *watched) work(ctx context.Context, c mcpserver.Call) (context.Context, func(error)) {
	return ctx, func(err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.works = append(w.works, fmt.Sprintf("%s %s inside of %v: %s", c.Tool, c.AgentID, ctx.Value(spanKey{}), kindOfEnd(err)))
	}
}

func kindOfEnd(err error) string {
	var busy *mcpserver.Busy
	switch kind := workspace.Kind(err); {
	case err == nil:
		return "fine"
	case errors.As(err, &busy):
		return "told to wait"
	case kind != nil:
		return kind.Error()
	case errors.Is(err, context.Canceled):
		return "left"
	}
	return "internal"
}

// next waits for the end of a call and returns it.
func (w *watched) next(t *testing.T) (end string, in, out int64) {
	t.Helper()
	select {
	case <-w.over:
	case <-time.After(maxWait):
		t.Fatal("the call does not end")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.ended) - 1
	return w.ended[n], w.sizes[n][0], w.sizes[n][1]
}

// watch returns a server that notes its calls. Some agents bring their calls into trouble.
func watch(t *testing.T) (*mcpserver.Server, *watched) {
	t.Helper()
	w := &watched{over: make(chan struct{}, 1000), slow: make(chan struct{}, 1)}
	svc := newService(t, workspace.Options{})
	server := newServerWith(t, mcpserver.Options{
		Around: w.around, AroundWork: w.work,
		Admit: func(_ context.Context, c mcpserver.Call) error {
			if c.AgentID == "often" {
				return &mcpserver.Busy{After: time.Second}
			}
			return nil
		},
		Workspace: func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
			switch c.AgentID {
			case "panic":
				panic("on purpose")
			case "broken":
				return nil, errors.New("no kind")
			case "full":
				return nil, workspace.Errorf(workspace.ErrQuota, "too many agents")
			case "slow":
				w.slow <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return svc.Agent(c.AgentID)
		},
	})
	return server, w
}

// calls are requests with the end that they have.
var watchedCalls = []struct{ tool, args, end string }{
	{"list_files", `{"agent_id":"a"}`, "list_files a false: fine"},
	{"append_log", `{"agent_id":"a","path":"g","entry":"x"}`, "append_log a true: fine"},
	{"read_file", `{"agent_id":"a","path":"none"}`, "read_file a false: not found"},
	{"read_file", `{"agent_id":"a","path":"none","colour":1}`, "read_file a false: invalid"},
	{"list_files", `{"agent_id":"full"}`, "list_files full false: quota exceeded"},
	{"list_files", `{"agent_id":"panic"}`, "list_files panic false: internal"},
	{"list_files", `{"agent_id":"broken"}`, "list_files broken false: internal"},
	{"no_such_tool", `{"agent_id":"a"}`, " a false: invalid"},
}

// Every call that begins ends once, with the reason that its client was told, over HTTP in
// both eras and over stdio.
func TestAround(t *testing.T) {
	server, w := watch(t)
	h := httptest.NewServer(server.Handler())
	defer h.Close()
	session := beginSession(t, h, "")
	if end, _, _ := w.next(t); end != "initialize  false: fine" {
		t.Errorf("the handshake ends as %q", end)
	}
	over := map[string]func(body, tool string) (in, out int){
		"2026": func(body, tool string) (in, out int) {
			return len(body), len(bodyOf(t, post(t, h, "", body, "tools/call", tool)))
		},
		"2025": func(body, tool string) (in, out int) {
			return len(strings.ReplaceAll(body, requestMeta, "")), len(bodyOf(t, post(t, h, session, body, "", "")))
		},
		"stdio": func(body, _ string) (in, out int) {
			lines := newWire(t, server)
			lines.send(body)
			return len(strings.TrimSpace(body)), len(strings.TrimSpace(lines.must().raw))
		},
	}
	for where, do := range over {
		for _, c := range watchedCalls {
			body := request("1", c.tool, c.args)
			wantIn, wantOut := do(body, c.tool)
			if end, in, out := w.next(t); end != c.end || in != int64(wantIn) || out != int64(wantOut) {
				t.Errorf("%s: %s %s ends as %q after %d and %d bytes, want %q, %d and %d", where, c.tool, c.args, end, in, out, c.end, wantIn, wantOut)
			}
		}
	}
	w.mu.Lock()
	if w.begun != len(w.ended) {
		t.Errorf("%d calls begin, %d end", w.begun, len(w.ended))
	}
	w.mu.Unlock()
	if stats := server.Stats(); stats.Calls != 0 || stats.Memory != 0 || stats.Sessions != 1 || stats.MemoryLimit != 64<<20 {
		t.Errorf("Stats() = %+v, want one session and nothing under way", stats)
	}
}

func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	text := must(io.ReadAll(res.Body))(t)
	return string(text)
}

// The part of a call that uses the workspace is inside of the call.
func TestAroundWork(t *testing.T) {
	server, w := watch(t)
	h := serveHTTP(t, server)
	session := beginSession(t, h, "")
	for _, session := range []string{"", session} {
		bodyOf(t, post(t, h, session, request("1", "list_files", `{"agent_id":"a"}`), "tools/call", "list_files"))
		bodyOf(t, post(t, h, session, request("1", "read_file", `{"agent_id":"a","path":"none"}`), "tools/call", "read_file"))
		bodyOf(t, post(t, h, session, method("1", "resources/read", `"uri":"scratchpad://b/none"`, ""), "resources/read", "scratchpad://b/none"))
		bodyOf(t, post(t, h, session, request("1", "list_files", `{"agent_id":"full"}`), "tools/call", "list_files"))
	}
	want := []string{
		"list_files a inside of 2: fine", "read_file a inside of 3: not found", "resources/read b inside of 4: not found",
		"list_files a inside of 6: fine", "read_file a inside of 7: not found", "resources/read b inside of 8: not found",
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if diff := cmp.Diff(want, w.works); diff != "" {
		t.Errorf("work (-want +got):\n%s", diff)
	}
}

// A call that is refused before it reaches its tool, or whose client leaves, ends too.
func TestAroundRefused(t *testing.T) {
	server, w := watch(t)
	h := serveHTTP(t, server)
	session := beginSession(t, h, "")
	w.next(t)
	for _, session := range []string{"", session} {
		for _, c := range []struct{ body, verb, name, end string }{
			{request("1", "list_files", `{"agent_id":"often"}`), "tools/call", "list_files", "list_files often false: told to wait"},
			{method("1", "no/such", `"a":1`, ""), "no/such", "", "  false: invalid"},
			{method("1", "tools/call", `"name":7`, ""), "tools/call", "x", "  false: invalid"},
		} {
			post(t, h, session, c.body, c.verb, c.name)
			if end, _, _ := w.next(t); end != c.end {
				t.Errorf("session %q, %s ends as %q, want %q", session, c.body, end, c.end)
			}
		}
	}
	post(t, h, "", request("1", "list_files", `{"agent_id":"a"}`), "tools/call", "another_tool")
	if end, _, _ := w.next(t); end != "list_files a false: invalid" {
		t.Errorf("a call whose header names another tool ends as %q", end)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-w.slow
		cancel()
	}()
	header := map[string]string{"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": "list_files"}
	exchange(t, h, ctx, "POST", request("1", "list_files", `{"agent_id":"slow"}`), header)
	if end, _, _ := w.next(t); end != "list_files slow false: left" {
		t.Errorf("a call whose client leaves ends as %q", end)
	}
}

// Stats says what calls hold while they are under way, and how many were refused.
func TestStats(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	svc := newService(t, workspace.Options{})
	server := newServerWith(t, mcpserver.Options{Bound: true, Memory: 1 << 20, Timeout: time.Second, Workspace: func(context.Context, mcpserver.Call) (*workspace.Workspace, error) {
		entered <- struct{}{}
		<-leave
		return svc.Agent("a")
	}})
	h := serveHTTP(t, server)
	large := request("1", "write_file", fmt.Sprintf(`{"path":"f","content":%q}`, strings.Repeat("x", 1<<20)))
	header := map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "write_file"}
	var first sync.WaitGroup
	first.Go(func() { send(t, h, "POST", large, header) })
	<-entered
	if s := server.Stats(); s.Calls != 1 || s.Memory < 1<<19 || s.Memory > s.MemoryLimit || s.MemoryLimit != 1<<20 || s.Refused != 0 {
		t.Errorf("Stats() = %+v, want one call that holds most of the memory", s)
	}
	if status, text := send(t, h, "POST", large, header); status != http.StatusServiceUnavailable || !strings.Contains(text, `"id":1,`) {
		t.Errorf("a second large call: %d %s, want 503 and its id", status, text)
	}
	close(leave)
	first.Wait()
	for began := time.Now(); server.Stats().Memory != 0 && time.Since(began) < maxWait; { // a call ends after its answer
		time.Sleep(time.Millisecond)
	}
	if s := server.Stats(); s.Memory != 0 || s.Refused != 1 {
		t.Errorf("Stats() = %+v, want no memory held and one call refused", s)
	}
}
