package mcpserver

import (
	"context"
	"net/http"
	"testing"

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
