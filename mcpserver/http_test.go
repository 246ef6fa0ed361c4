package mcpserver_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

func serveHTTP(t testing.TB, s *mcpserver.Server) *httptest.Server {
	t.Helper()
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return h
}

func connectHTTP(t testing.TB, h *httptest.Server, protocol string) *mcp.ClientSession {
	t.Helper()
	return connectClientHTTP(t, h, protocol, mcp.NewClient(&mcp.Implementation{Name: "web", Version: "2"}, nil))
}

func connectClientHTTP(t testing.TB, h *httptest.Server, protocol string, client *mcp.Client) *mcp.ClientSession {
	t.Helper()
	session := must(client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.URL, HTTPClient: h.Client()}, &mcp.ClientSessionOptions{ProtocolVersion: protocol}))(t)
	t.Cleanup(func() { session.Close() })
	return session
}

// send makes a request of the protocol of 2026-07-28, or in its headers of another one.
func send(t testing.TB, h *httptest.Server, verb, body string, header map[string]string) (int, string) {
	t.Helper()
	all := map[string]string{"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/list"}
	if header["Mcp-Protocol-Version"] == legacy {
		delete(all, "Mcp-Method")
	}
	maps.Copy(all, header)
	status, _, text := exchange(t, h, t.Context(), verb, body, all)
	return status, text
}

// All requests from a page of another origin are refused.
func TestOrigin(t *testing.T) {
	testkit.SkipInShort(t)
	h := serveHTTP(t, newServer(t, ""))
	list := method("1", "tools/list", "", "")
	for _, verb := range []string{"POST", "GET", "DELETE", "PUT"} {
		for _, header := range []map[string]string{{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}} {
			for _, protocol := range []string{modern, legacy} {
				header["Mcp-Protocol-Version"] = protocol
				if status, text := send(t, h, verb, list, header); status != http.StatusForbidden {
					t.Errorf("%s with %v: %d %s, want 403", verb, header, status, text)
				}
			}
		}
	}
	for _, header := range []map[string]string{nil, {"Origin": h.URL}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}} {
		if status, text := send(t, h, "POST", list, header); status != http.StatusOK {
			t.Errorf("POST with %v: %d %s, want 200", header, status, text)
		}
	}
}

// A body over the limit is refused with every protocol. A body of exactly the limit is not.
func TestBodyLimit(t *testing.T) {
	testkit.SkipInShort(t)
	h := serveHTTP(t, newServer(t, ""))
	list := strings.TrimSpace(method("1", "tools/list", "", ""))
	fill := func(n int) string { return list + strings.Repeat(" ", n-len(list)) }
	for _, header := range []map[string]string{{}, {"chunked": "yes"}, {"Mcp-Protocol-Version": legacy}, {"Mcp-Protocol-Version": legacy, "chunked": "yes"}} {
		if status, text := send(t, h, "POST", fill(maxLine+1), header); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%v: %d %.200s, want 413", header, status, text)
		}
	}
	if status, text := send(t, h, "POST", fill(maxLine), nil); status != http.StatusOK {
		t.Errorf("a body of the limit: %d %.200s, want 200", status, text)
	}
}

// Calls that succeed are not logged.
func TestQuietLog(t *testing.T) {
	var logged testkit.Buffer
	h := serveHTTP(t, newServerWith(t, mcpserver.Options{
		Logger: slog.New(slog.NewTextHandler(&logged, nil)), Workspace: workspaces(newService(t, workspace.Options{}), ""),
	}))
	for _, protocol := range []string{modern, legacy} {
		mustCall(t, connectHTTP(t, h, protocol), "list_files", m{"agent_id": "a"})
	}
	if logged.String() != "" {
		t.Errorf("the log of two good calls is %s", logged.String())
	}
}
