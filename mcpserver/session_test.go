package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// caller returns the caller that named has put into the context.
func caller(ctx context.Context) string {
	user, _ := ctx.Value(userKey{}).(string)
	return user
}

// serveCallers returns a server on which each caller is the agent of the same name.
func serveCallers(t testing.TB, svc *workspace.Service) *httptest.Server {
	t.Helper()
	server := newServerWith(t, mcpserver.Options{Bound: true, Caller: caller, Workspace: func(ctx context.Context, _ mcpserver.Call) (*workspace.Workspace, error) {
		if caller(ctx) == "" {
			return nil, fmt.Errorf("nobody is calling: %w", workspace.ErrInvalid)
		}
		return svc.Agent(caller(ctx))
	}})
	h := httptest.NewServer(named(server.Handler()))
	t.Cleanup(h.Close)
	return h
}

// as are the headers of a caller's request in a session.
func as(user, session string) map[string]string {
	header := map[string]string{"Mcp-Protocol-Version": legacy, "X-User": user}
	if session != "" {
		header["Mcp-Session-Id"] = session
	}
	return header
}

// exchange makes a request and returns all that a client can see of the answer.
func exchange(t testing.TB, h *httptest.Server, ctx context.Context, verb, body string, header map[string]string) (status int, session, text string) {
	t.Helper()
	req := must(http.NewRequestWithContext(ctx, verb, h.URL, strings.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if header["chunked"] != "" {
		req.ContentLength = -1
	}
	res, err := h.Client().Do(req)
	if err != nil {
		return 0, "", err.Error()
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", err.Error()
	}
	res.Header.Del("Date")
	return res.StatusCode, res.Header.Get("Mcp-Session-Id"), fmt.Sprint(res.Header, string(b))
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func toolCall(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

// beginSession returns the id of a new session.
func beginSession(t testing.TB, h *httptest.Server, user string) string {
	t.Helper()
	status, session, text := exchange(t, h, t.Context(), "POST", initialize, as(user, ""))
	if status != http.StatusOK || session == "" {
		t.Fatalf("initialize = %d %s, want a session", status, text)
	}
	if status, _, text := exchange(t, h, t.Context(), "POST", initialized, as(user, session)); status != http.StatusAccepted {
		t.Fatalf("initialized = %d %s", status, text)
	}
	return session
}

// A caller who hangs up at any moment, in a session that somebody else began, never writes
// as anybody else. Sharing a session is refused. If all clients are one caller, each call
// has the values of its own request.
func TestCallersWhoHangUp(t *testing.T) {
	const calls, atOnce = 150, 100
	svc := newDurable(t, workspace.Options{})
	find := func(ctx context.Context, _ mcpserver.Call) (*workspace.Workspace, error) {
		return svc.Agent(caller(ctx))
	}
	h := httptest.NewServer(named(newServerWith(t, mcpserver.Options{Bound: true, Workspace: find}).Handler()))
	t.Cleanup(h.Close)
	session := beginSession(t, h, "owner")
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i := range calls {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(5000))*time.Microsecond)
			defer cancel()
			exchange(t, h, ctx, "POST", toolCall(i+10, "append_log", `{"path":"log","entry":"the guest's"}`), as("guest", session))
		})
	}
	wg.Wait()
	if text := mustText(t, h, as("owner", session), toolCall(1000, "read_log", `{"path":"log"}`)); strings.Contains(text, "guest") {
		t.Errorf("the log of who began the session has what another wrote: %.300s", text)
	}
	if text := mustText(t, h, as("guest", session), toolCall(1001, "append_log", `{"path":"log","entry":"the guest's"}`)); !strings.Contains(text, "entry_id") {
		t.Errorf("append_log = %s, want a record", text)
	}
}

func mustText(t testing.TB, h *httptest.Server, header map[string]string, body string) string {
	t.Helper()
	status, _, text := exchange(t, h, t.Context(), "POST", body, header)
	if status != http.StatusOK {
		t.Fatalf("%s = %d %s", body, status, text)
	}
	return text
}

// A session belongs to its caller. Everybody else gets the answer for a session that does
// not exist, byte for byte.
func TestSessionOfAnother(t *testing.T) {
	h := serveCallers(t, newService(t, workspace.Options{}))
	session := beginSession(t, h, "alice")
	for _, verb := range []string{"POST", "GET", "DELETE", "PUT"} {
		for _, body := range []string{toolCall(2, "list_files", `{}`), initialize, initialized, "", "[]", "x"} {
			status, _, text := exchange(t, h, t.Context(), verb, body, as("bob", session))
			wantStatus, _, want := exchange(t, h, t.Context(), verb, body, as("bob", "no-such-session"))
			if status != http.StatusNotFound || status != wantStatus || text != want {
				t.Errorf("%s %.40s in the session of another: %d %s, want %d %s", verb, body, status, text, wantStatus, want)
			}
		}
		if status, _, text := exchange(t, h, t.Context(), verb, initialize, as("", session)); status != http.StatusUnauthorized {
			t.Errorf("%s of nobody: %d %s, want 401", verb, status, text)
		}
	}
	if status, session, _ := exchange(t, h, t.Context(), "POST", initialize, as("", "")); status != http.StatusUnauthorized || session != "" {
		t.Errorf("nobody begins the session %q: %d, want 401", session, status)
	}
	mustText(t, h, as("alice", session), toolCall(2, "list_files", `{}`))
	if status, text := send(t, h, "POST", request("1", "list_files", `{}`), map[string]string{"X-User": "bob", "Mcp-Session-Id": session, "Mcp-Method": "tools/call", "Mcp-Name": "list_files"}); status != http.StatusOK {
		t.Errorf("a request that needs no session: %d %s, want 200", status, text)
	}
	if status, _, _ := exchange(t, h, t.Context(), "DELETE", "", as("alice", session)); status != http.StatusNoContent {
		t.Errorf("DELETE of the caller's own session: %d, want 204", status)
	}
	if status, _, _ := exchange(t, h, t.Context(), "POST", toolCall(3, "list_files", `{}`), as("alice", session)); status != http.StatusNotFound {
		t.Errorf("a call in a session that has ended: %d, want 404", status)
	}
}

// The numbers of sessions and goroutines are limited, of one caller and in all, however
// many sessions are begun.
func TestManySessions(t *testing.T) {
	n, callers := testkit.Pick(200, 1500, 5000), testkit.Pick(3, 20, 100)
	h := serveCallers(t, newService(t, workspace.Options{}))
	first := beginSession(t, h, "0")
	before := runtime.NumGoroutine()
	for i := range n {
		if status, _, text := exchange(t, h, t.Context(), "POST", initialize, as(fmt.Sprint(i%callers), "")); status != http.StatusOK {
			t.Fatalf("initialize = %d %s", status, text)
		}
	}
	most := min(64*callers, 4096, n)
	for began := time.Now(); runtime.NumGoroutine()-before > most+20 && time.Since(began) < maxWait; { // they end a little later
		time.Sleep(10 * time.Millisecond)
	}
	if got := runtime.NumGoroutine() - before; got > most+20 {
		t.Errorf("%d sessions of %d callers leave %d goroutines, want %d at most", n, callers, got, most)
	}
	if status, _, _ := exchange(t, h, t.Context(), "POST", toolCall(3, "list_files", `{}`), as("0", first)); status != http.StatusNotFound {
		t.Errorf("a call in the oldest session: %d, want 404", status)
	}
}

// Close waits for a call whose client waits. It cancels a call whose client has left.
func TestCloseCancelsUnwantedCalls(t *testing.T) {
	asked, answer := make(chan bool), make(chan bool)
	model := asking(func(ctx context.Context, _ workspace.SummaryRequest) (workspace.SummaryText, error) {
		asked <- true
		select {
		case <-answer:
			return workspace.SummaryText{Text: "It is long.\n"}, nil
		case <-ctx.Done():
			return workspace.SummaryText{}, ctx.Err()
		}
	})
	for name, wanted := range map[string]bool{"wanted": true, "unwanted": false} {
		t.Run(name, func(t *testing.T) {
			s, _ := summarizing(t, model)
			h := serveHTTP(t, s)
			session := beginSession(t, h, "")
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			got := make(chan int, 1)
			go func() {
				status, _, _ := exchange(t, h, ctx, "POST", toolCall(1, "summarize_file", `{"path":"f"}`), as("", session))
				got <- status
			}()
			<-asked
			if !wanted {
				leave()
				<-got
			}
			closed := make(chan bool)
			go func() { s.Close(); close(closed) }()
			if wanted {
				answer <- true
				if status := <-got; status != http.StatusOK {
					t.Errorf("the client who waits got %d, want 200", status)
				}
			}
			select {
			case <-closed:
			case <-time.After(maxWait):
				t.Error("Close waits for a call that nobody wants")
				answer <- true
				<-closed
			}
		})
	}
}

type userKey struct{}

// named puts the caller into the request's context, as a handler around the server does.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get("X-User"))))
	})
}

// A call whose store does not answer is answered after Options.Timeout.
func TestTimeout(t *testing.T) {
	server := newServerWith(t, mcpserver.Options{Bound: true, Timeout: 50 * time.Millisecond, Workspace: func(ctx context.Context, _ mcpserver.Call) (*workspace.Workspace, error) {
		<-ctx.Done()
		return nil, errors.Join(workspace.ErrBusy, ctx.Err())
	}})
	s := connect(t, server)
	if text, isError := call(t, s, "list_files", m{}); !isError || !strings.Contains(text[0], "busy") {
		t.Errorf("list_files = %q, want an error that says busy", text)
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "scratchpad://a/x"}); err == nil {
		t.Error("a resource is read from a store that does not answer")
	}
}
