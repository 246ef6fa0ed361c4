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

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
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
