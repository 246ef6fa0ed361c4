package mcpserver

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/mcpserver/internal/session"
)

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
