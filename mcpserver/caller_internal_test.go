package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Clients that nobody names share no small bound: streams of some lock out no others.
func TestSessionsOfUnnamedCallers(t *testing.T) {
	s := newInner(t, Options{})
	h := serveInner(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range maxCallerSessions + 6 {
		if res := open(t, ctx, h, "GET", "", beginInner(t, h), nil); res.StatusCode != http.StatusOK {
			t.Fatalf("GET: %s, want 200", res.Status)
		}
	}
}

// A caller with a name has its bound all the same.
func TestSessionsOfNamedCaller(t *testing.T) {
	s := newInner(t, Options{Caller: func(context.Context) string { return "everybody" }})
	for n := range maxCallerSessions {
		if _, err := s.sessions.begin(fmt.Sprint("s", n), "everybody", func() {}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.sessions.begin("one more", "everybody", func() {}); !errors.Is(err, errSessions) {
		t.Errorf("a session more than a caller may have: %v, want %v", err, errSessions)
	}
}

// A call that reads a file far over the ordinary size takes the whole lane.
func TestBudgetOfLargeFiles(t *testing.T) {
	s := newInner(t, Options{})
	lane := s.budget.large.size
	if w := s.readWeight(1 << 20); 2*w > lane {
		t.Errorf("a file of 1 MiB weighs %d of %d, want half at most", w, lane)
	}
	if w := s.readWeight(14 << 20); w < lane {
		t.Errorf("a file of 14 MiB weighs %d of %d, want all", w, lane)
	}
}

// A bound that would leave a part of the budget without any bytes is refused.
func TestLeastMemory(t *testing.T) {
	find := func(context.Context, Call) (*workspace.Workspace, error) { return nil, workspace.ErrInvalid }
	for memory, want := range map[int64]error{-1: workspace.ErrInvalid, 3: workspace.ErrInvalid, 1<<20 - 1: workspace.ErrInvalid, 1 << 20: nil, 0: nil} {
		if _, err := New(Options{Workspace: find, Memory: memory}); !errors.Is(err, want) {
			t.Errorf("Memory %d: %v, want %v", memory, err, want)
		}
	}
}
