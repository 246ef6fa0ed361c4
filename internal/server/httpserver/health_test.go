package httpserver

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The reason is one line of JSON. It has none of the words of the error, which may tell
// of the machine.
func TestNotReady(t *testing.T) {
	testkit.SkipInShort(t)
	for err, want := range map[error]string{
		nil: "",
		fmt.Errorf("/var/canary: %w", workspace.ErrStorageFull): "the storage is full",
		fmt.Errorf("/var/canary: %w", workspace.ErrReadOnly):    "the store takes no writes",
		fmt.Errorf("/var/canary: %w", workspace.ErrCorrupt):     "the store is damaged",
		fmt.Errorf("/var/canary: %w", workspace.ErrBusy):        "the store is busy",
		fmt.Errorf("/var/canary"):                               "the store does not answer",
	} {
		var log testkit.Buffer
		s := serve(t, Options{MCP: who, Logger: logTo(&log), Ready: func(context.Context) error { return err }}, nil)
		status, text := 503, fmt.Sprintf(`{"ready":false,"reason":%q}`+"\n", want)
		if err == nil {
			status, text = 200, `{"ready":true}`+"\n"
		}
		for range 3 {
			if a := s.ask("GET", "/readyz", ""); a.status != status || a.text != text {
				t.Errorf("%v: %v, want %d %s", err, a, status, text)
			}
		}
		if n := strings.Count(log.String(), "canary"); err != nil && n != 1 {
			t.Errorf("%v is logged %d times, want once", err, n)
		}
		if a := s.ask("GET", "/healthz", ""); a.status != 200 {
			t.Errorf("%v: /healthz is %v, want 200", err, a)
		}
	}
}

// However many ask, one check runs at a time, and one a second.
func TestReadyIsShared(t *testing.T) {
	var running, checks atomic.Int64
	clock, slow := testkit.NewClock(), make(chan struct{})
	s := serve(t, Options{MCP: who, Ready: func(context.Context) error {
		if running.Add(1) != 1 {
			t.Error("two checks run at once")
		}
		checks.Add(1)
		<-slow
		running.Add(-1)
		return nil
	}}, func(s *Server) { s.now = clock.Now })
	var all sync.WaitGroup
	for range 20 {
		c := s.dial()
		all.Go(func() {
			if a := c.send(request("GET", "/readyz", "")).read("GET"); a.status != 200 {
				t.Error(a)
			}
		})
	}
	s.dial().send(request("GET", "/readyz", "")).Close() // who hangs up takes nothing from the others
	time.Sleep(20 * time.Millisecond)
	close(slow)
	all.Wait()
	for range 20 {
		s.ask("GET", "/readyz", "")
	}
	if n := checks.Load(); n != 1 {
		t.Errorf("%d checks, want 1", n)
	}
	clock.Advance(time.Second)
	s.ask("GET", "/readyz", "")
	if n := checks.Load(); n != 2 {
		t.Errorf("%d checks a second later, want 2", n)
	}
}

// A check that hangs is given up.
func TestReadyHangs(t *testing.T) {
	s := serve(t, Options{MCP: who, Ready: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
		func(s *Server) { s.limits.ready = 20 * time.Millisecond })
	if a := s.ask("GET", "/readyz", ""); a.status != 503 || !strings.Contains(a.text, `"ready":false`) {
		t.Errorf("%v, want 503", a)
	}
}
