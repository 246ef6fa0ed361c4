package signin_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/signin"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A person may do what the key may do, in the memory of the key's tenant.
func TestPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		all := auth.Read | auth.Write | auth.Admin | auth.Metrics
		key, text := s.create(t, "acme", all, "planner", "team-*")
		p, session := s.enter(t, text)
		if p.ID != "key/"+key.ID || p.Key != key.ID || p.Name != "of acme" || !p.Read || !p.Write || !p.Admin || !p.Metrics || p.Open {
			t.Errorf("the person is %+v", p)
		}
		if strings.Join(p.Agents, " ") != "planner team-*" || !p.Allow("team-x") || p.Allow("other") {
			t.Errorf("the agents are %v", p.Agents)
		}
		ws, err := p.Service.Agent("planner")
		testkit.Must(t, err)
		testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), "a.md", []byte("text"), workspace.WriteOptions{})))
		_, other := s.create(t, "other", auth.Read, "*")
		q, _ := s.enter(t, other)
		if ws, err = q.Service.Agent("planner"); err == nil {
			_, err = ws.ReadFile(t.Context(), "a.md", workspace.ReadOptions{})
		}
		if !errors.Is(err, workspace.ErrNotFound) || q.Write || q.Admin || q.Metrics {
			t.Errorf("a person of another tenant: %v, %+v", err, q)
		}
		read := auth.Read
		testkit.Must(t, testkit.Err(s.keys.Set(t.Context(), key.ID, auth.Change{Scopes: &read, Name: new(string)})))
		if p, err = s.people.Person(t.Context(), session); err != nil || !p.Read || p.Write || p.Admin || p.Metrics || p.Name != "key "+key.ID {
			t.Errorf("after the key was narrowed, the person is %+v, %v", p, err)
		}
		for range 2 {
			testkit.Must(t, s.people.SignOut(t.Context(), session))
			if p, err = s.people.Person(t.Context(), session); err != console.ErrSignedOut || p.Service != nil {
				t.Errorf("after signing out, the person is %+v, %v", p, err)
			}
		}
		s.store.fails.Store(true)
		defer s.store.fails.Store(false)
		time.Sleep(time.Second)
		_, _, serr := s.people.SignIn(from(t, "192.0.2.1"), text)
		if _, err = s.people.Person(t.Context(), session); !errors.Is(err, console.ErrUnavailable) || !errors.Is(serr, console.ErrUnavailable) {
			t.Errorf("a store that fails: Person = %v, SignIn = %v", err, serr)
		}
	})
}

// Who has not signed in is who the server says, and a session is worth more.
func TestOpen(t *testing.T) {
	s := newServer(t)
	_, text := s.create(t, "acme", auth.Admin, "*")
	_, session := s.enter(t, text)
	for _, none := range []string{"", "x", session[:9] + strings.Repeat("A", 43)} {
		if p, err := s.people.Person(t.Context(), none); err != console.ErrSignedOut || p.Service != nil {
			t.Errorf("Person(%q) = %+v, %v", none, p, err)
		}
	}
	agents, err := auth.ParseAgents("*")
	testkit.Must(t, err)
	s.open = auth.Caller{ID: "local", Tenant: "local", Agents: agents, Scopes: auth.Read}
	for _, none := range []string{"", "x", session[:9] + strings.Repeat("A", 43)} {
		if p, err := s.people.Person(t.Context(), none); err != nil || p.ID != "local" || !p.Open || !p.Read || p.Write || p.Admin || p.Key != "" || p.Name == "" {
			t.Errorf("Person(%q) = %+v, %v", none, p, err)
		}
	}
	if p, err := s.people.Person(t.Context(), session); err != nil || p.Open || !p.Admin {
		t.Errorf("Person of a session = %+v, %v", p, err)
	}
}

// After ten wrong keys in a minute from one address, another wrong one is told to come later,
// and a right one signs in. A store that fails is nobody's wrong key.
func TestWrongKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		_, text := s.create(t, "acme", auth.Read, "*")
		bad, other := from(t, "192.0.2.1"), from(t, "192.0.2.2")
		s.store.fails.Store(true)
		for range 20 {
			if _, _, err := s.people.SignIn(bad, text); !errors.Is(err, console.ErrUnavailable) {
				t.Fatalf("SignIn while the store fails = %v", err)
			}
			time.Sleep(time.Second)
		}
		s.store.fails.Store(false)
		time.Sleep(time.Second)
		for i := range 10 {
			wrong := "sp_" + text
			if i%2 == 0 {
				_, wrong = s.create(t, "acme", auth.Read, "*")
				testkit.Must(t, testkit.Err(s.keys.Revoke(t.Context(), wrong[3:11])))
			}
			if session, _, err := s.people.SignIn(bad, wrong); err != console.ErrRefused || session != "" {
				t.Fatalf("wrong key %d: %q, %v", i, session, err)
			}
		}
		var busy *console.Busy
		if session, _, err := s.people.SignIn(bad, "wrong"); !errors.As(err, &busy) || busy.After <= 0 || busy.After > time.Minute || session != "" {
			t.Errorf("the 11th: %q, %v", session, err)
		}
		for _, from := range []context.Context{bad, other} {
			_, _, err := s.people.SignIn(from, text)
			testkit.Must(t, err)
		}
		time.Sleep(time.Minute)
		if _, _, err := s.people.SignIn(bad, "wrong"); err != console.ErrRefused {
			t.Errorf("a minute later: %v", err)
		}
	})
}

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
