package signin_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/signin"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// Of many who have the token, one gets in, and nobody after.
func TestLink(t *testing.T) {
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	testkit.Must(t, err)
	l, token := signin.NewLink(svc)
	_, second := signin.NewLink(svc)
	out := func(sessions ...string) {
		t.Helper()
		for _, s := range sessions {
			if p, err := l.Person(t.Context(), s); err != console.ErrSignedOut || p.Service != nil {
				t.Errorf("Person(%q) = %+v, %v", s, p, err)
			}
		}
	}
	out("", token)
	for _, wrong := range []string{"", second, token[1:], token + "A"} {
		if s, _, err := l.SignIn(t.Context(), wrong); err != console.ErrRefused || s != "" {
			t.Errorf("SignIn(%q) = %q, %v", wrong, s, err)
		}
	}
	var in atomic.Int64
	var session atomic.Pointer[string]
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if s, until, err := l.SignIn(t.Context(), token); err == nil && time.Until(until) > time.Hour {
				in.Add(1)
				session.Store(&s)
			}
		})
	}
	wg.Wait()
	if in.Load() != 1 || len(token) < 52 || len(*session.Load()) < 52 {
		t.Fatalf("%d got in with %q", in.Load(), token)
	}
	out("", token, second)
	testkit.Must(t, l.SignOut(t.Context(), "another"))
	p, err := l.Person(t.Context(), *session.Load())
	if err != nil || !p.Read || !p.Write || !p.Admin || !p.Metrics || !p.Allow("any") || p.Agents[0] != "*" || p.Service != svc || p.Open || p.Key != "" {
		t.Errorf("the person is %+v, %v", p, err)
	}
	for range 2 {
		testkit.Must(t, l.SignOut(t.Context(), *session.Load()))
		out(*session.Load(), "", token)
	}
	if _, _, err := l.SignIn(t.Context(), token); err != console.ErrRefused {
		t.Errorf("the token again: %v", err)
	}
}
