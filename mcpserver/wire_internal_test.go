package mcpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/session"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// newInner returns a server over the files large (1 MiB), mid (30 KiB) and small.
func newInner(t *testing.T, o Options) *Server {
	t.Helper()
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	testkit.Must(t, err)
	ws, err := svc.Agent("a")
	testkit.Must(t, err)
	for path, text := range map[string][]byte{"large": bytes.Repeat([]byte("x\n"), 1<<19), "mid": bytes.Repeat([]byte("x\n"), 15<<10), "small": []byte("small")} {
		if _, err := ws.WriteFile(t.Context(), path, text, workspace.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	o.Bound, o.Logger = true, slog.New(slog.DiscardHandler)
	o.Workspace = func(context.Context, Call) (*workspace.Workspace, error) { return ws, nil }
	s, err := New(o)
	testkit.Must(t, err)
	t.Cleanup(func() { s.Close(); svc.Close(context.Background()) })
	return s
}

func serveInner(t *testing.T, s *Server) *httptest.Server {
	t.Helper()
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return h
}

// open makes a request and leaves its answer unread. A session of "" means none.
func open(t *testing.T, ctx context.Context, h *httptest.Server, verb, body, session string, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, verb, h.URL, strings.NewReader(body))
	testkit.Must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := h.Client().Do(req)
	testkit.Must(t, err)
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// ask makes a request and returns the answer.
func ask(t *testing.T, h *httptest.Server, verb, body, session string, header map[string]string) (status int, text string) {
	t.Helper()
	res := open(t, t.Context(), h, verb, body, session, header)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	return res.StatusCode, string(b)
}

const (
	initializeText  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	initializedText = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listText        = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

func callOf(tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, tool, args)
}

// beginInner returns the id of a session whose handshake is not complete.
func beginInner(t *testing.T, h *httptest.Server) string {
	t.Helper()
	res := open(t, t.Context(), h, "POST", initializeText, "", nil)
	text, err := io.ReadAll(res.Body)
	if id := res.Header.Get("Mcp-Session-Id"); err == nil && res.StatusCode == http.StatusOK && id != "" {
		return id
	}
	t.Fatalf("initialize: %d %s, %v, want a session", res.StatusCode, text, err)
	return ""
}

// Clients without a name have no limit of their own: the streams of some do not keep
// others out.
func TestSessionsOfUnnamedCallers(t *testing.T) {
	s := newInner(t, Options{})
	h := serveInner(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range session.MaxOfCaller + 6 {
		if res := open(t, ctx, h, "GET", "", beginInner(t, h), nil); res.StatusCode != http.StatusOK {
			t.Fatalf("GET: %s, want 200", res.Status)
		}
	}
}

// A session whose handshake is complete may be idle for longer.
func TestSessionHandshake(t *testing.T) {
	s := newInner(t, Options{})
	h := serveInner(t, s)
	id := beginInner(t, h)
	if status, text := ask(t, h, "POST", initializedText, id, nil); status != http.StatusAccepted {
		t.Fatalf("initialized: %d %s, want 202", status, text)
	}
	s.sessions.SetHandshake(time.Millisecond)
	ask(t, h, "POST", listText, id, nil)
	time.Sleep(20 * time.Millisecond)
	if status, text := ask(t, h, "POST", listText, id, nil); status != http.StatusOK {
		t.Errorf("a call after the time for a handshake: %d %s, want 200", status, text)
	}
}

// DELETE ends a session whatever else the request says.
func TestSessionDeleted(t *testing.T) {
	s := newInner(t, Options{})
	h := serveInner(t, s)
	for name, c := range map[string]struct{ body, protocol string }{
		"plain":            {"", "2025-06-18"},
		"unknown protocol": {"", "1999-01-01"},
		"body":             {listText, "2025-06-18"},
		"no JSON":          {"no JSON", "2025-06-18"},
		"batch":            {"[]", "2025-06-18"},
		"large body":       {strings.Repeat(" ", 1<<20), "2025-06-18"},
	} {
		session := beginInner(t, h)
		ask(t, h, "DELETE", c.body, session, map[string]string{"Mcp-Protocol-Version": c.protocol})
		if status, text := ask(t, h, "POST", listText, session, nil); status != http.StatusNotFound {
			t.Errorf("%s: a call after DELETE: %d %s, want 404", name, status, text)
		}
		for range s.mcp.Sessions() {
			t.Errorf("%s: the SDK keeps the session", name)
		}
	}
}
