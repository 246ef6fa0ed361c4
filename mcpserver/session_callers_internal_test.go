package mcpserver

import (
	"context"
	"errors"
	"fmt"
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

// A caller who is named like the clients without a name has the limit of a caller.
func TestSessionsOfNamedCaller(t *testing.T) {
	s := newInner(t, Options{Caller: func(context.Context) string { return "everybody" }})
	for n := range session.MaxOfCaller {
		if _, err := s.sessions.Begin(fmt.Sprint("s", n), "everybody", func() {}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.sessions.Begin("one more", "everybody", func() {}); !errors.Is(err, session.ErrFull) {
		t.Errorf("a session more than a caller may have: %v, want %v", err, session.ErrFull)
	}
}
