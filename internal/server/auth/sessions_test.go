package auth_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// signIn begins a session.
func signIn(t testing.TB, keys *auth.Keys, text string) (session string, until time.Time) {
	t.Helper()
	session, c, until, err := keys.Sessions().Begin(t.Context(), text)
	testkit.Must(t, err)
	if c.Key != text[3:11] {
		t.Fatalf("Begin gives the owner %+v of the key %s", c, text[3:11])
	}
	return session, until
}

// signedIn demands that keys know sessions.
func signedIn(t testing.TB, keys *auth.Keys, sessions ...string) (c auth.Caller) {
	t.Helper()
	for i, s := range sessions {
		var err error
		if c, err = keys.Sessions().Verify(t.Context(), s); err != nil {
			t.Fatalf("Verify of session %d = %v, expected the owner of the key", i, err)
		}
	}
	return c
}

// signedOut demands that keys refuse sessions.
func signedOut(t testing.TB, keys *auth.Keys, sessions ...string) {
	t.Helper()
	for i, s := range sessions {
		if c, err := keys.Sessions().Verify(t.Context(), s); err != auth.ErrUnknown {
			t.Fatalf("Verify of session %d = %+v, %v, expected ErrUnknown", i, c, err)
		}
	}
}

// sessionRecords returns all records of sessions.
func sessionRecords(t testing.TB, s workspace.Store) []workspace.Record {
	t.Helper()
	return must(s.System(t.Context()).List("auth/session/", "", 10_000))(t)
}

// Whoever has a session is the owner of the key. What cannot be a session costs no read.
func TestSession(t *testing.T) {
	s := &spy{Store: memstore.New()}
	keys := auth.NewKeys(s, auth.Options{Now: testkit.NewClock().Now}) // looks once
	defer keys.Close(context.Background())
	_, text := create(t, keys, grant(t, "planner"))
	_, other := create(t, keys, grant(t, "*"))
	session, _ := signIn(t, keys, text)
	second, _ := signIn(t, keys, text)
	if c, want := signedIn(t, keys, session, second), accepted(t, keys, text); c.ID != want.ID || fmt.Sprint(c) != fmt.Sprint(want) {
		t.Errorf("the session is of %+v, the key of %+v", c, want)
	}
	if bits, err := base64.RawURLEncoding.DecodeString(session[9:]); err != nil || len(bits) != 32 || session[9:] == second[9:] {
		t.Errorf("the sessions have %d bytes, %v", len(bits), err)
	}
	before := s.reads.Load()
	last := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", session[51])
	sameBits := session[:51] + string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[last+1])
	for _, wrong := range []string{"", ".", text, session + "A", session[:51], session[:9] + strings.Repeat("A", 42) + "\n", sameBits, strings.Replace(session, "_", ".", 1), "../../.." + session[8:]} {
		signedOut(t, keys, wrong)
	}
	if n := s.reads.Load() - before; n != 0 {
		t.Errorf("%d reads for texts that cannot be a session", n)
	}
	signedOut(t, keys, other[3:11]+session[8:], session[:9]+strings.Repeat("A", 43))
	for _, wrong := range []string{"", session, other[:len(other)-1] + "?", "sp_" + text[3:11] + other[11:]} {
		if got, c, until, err := keys.Sessions().Begin(t.Context(), wrong); err != auth.ErrUnknown || got != "" || c.ID != "" || !until.IsZero() {
			t.Errorf("Begin with a wrong key = %q, %+v, %v, %v", got, c, until, err)
		}
	}
	for _, nothing := range []string{"", "x", text, session[:9] + strings.Repeat("A", 43)} {
		testkit.Must(t, keys.Sessions().End(t.Context(), nothing))
	}
	signedIn(t, keys, session)
}

// A key has at most 64 sessions, whoever begins them at the same time. The oldest end.
func TestSessionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New()
		all := []*auth.Keys{open(t, s), open(t, s)}
		_, text := create(t, all[0], grant(t, "*"))
		_, text2 := create(t, all[0], grant(t, "*"))
		neighbour, _ := signIn(t, all[0], text2)
		var sessions []string
		for i := range 64 {
			session, _ := signIn(t, all[i%2], text)
			sessions = append(sessions, session)
			time.Sleep(time.Millisecond)
		}
		testkit.Must(t, all[0].Sessions().End(t.Context(), sessions[40]))
		time.Sleep(held)
		signedIn(t, all[1], sessions[0], sessions[63])
		var more [10]string
		var wg sync.WaitGroup
		for i := range more {
			wg.Go(func() { more[i], _ = signIn(t, all[i%2], text) })
		}
		wg.Wait()
		time.Sleep(held)
		if n := len(sessionRecords(t, s)); n != 64+1 {
			t.Errorf("%d records, expected 64 and one of another key", n)
		}
		for _, keys := range all {
			signedOut(t, keys, sessions[:9]...)
			signedOut(t, keys, sessions[40]) // it made room for one
			signedIn(t, keys, sessions[9:40]...)
			signedIn(t, keys, append(more[:], neighbour)...)
		}
	})
}

// Sessions that are over are removed when another one of their key begins, and all of them with
// the key.
func TestSessionsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New()
		keys := open(t, s)
		key, text := create(t, keys, grant(t, "*"))
		_, other := create(t, keys, grant(t, "*"))
		for range 10 {
			signIn(t, keys, text)
		}
		signIn(t, keys, other)
		time.Sleep(12 * time.Hour)
		session, _ := signIn(t, keys, text)
		if n := len(sessionRecords(t, s)); n != 2 {
			t.Errorf("%d records, expected the new session and the one of another key", n)
		}
		testkit.Must(t, keys.Sessions().End(t.Context(), session))
		testkit.Must(t, testkit.Err(keys.Revoke(t.Context(), key.ID)))
		time.Sleep(time.Second)
		last, _ := create(t, keys, grant(t, "*"))
		testkit.Must(t, testkit.Err(keys.Revoke(t.Context(), last.ID)))
		time.Sleep(31 * 24 * time.Hour)
		create(t, keys, grant(t, "*"))
		if n := len(sessionRecords(t, s)); n != 1 {
			t.Errorf("%d records after the key is gone, expected the one of another key", n)
		}
	})
}

// A process whose store does not answer lets nobody in, and asks it seldom.
func TestSessionStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{Store: memstore.New()}
		keys := open(t, s)
		_, text := create(t, keys, grant(t, "*"))
		session, _ := signIn(t, keys, text)
		signedIn(t, keys, session)
		noSession := func(why string) {
			t.Helper()
			if c, err := keys.Sessions().Verify(t.Context(), session); !errors.Is(err, auth.ErrUnavailable) || c.ID != "" {
				t.Errorf("%s: Verify = %+v, %v", why, c, err)
			}
		}
		s.failing("get", "auth/", workspace.ErrBusy)
		time.Sleep(held - time.Millisecond)
		signedIn(t, keys, session)
		time.Sleep(time.Millisecond)
		before := s.reads.Load()
		for range 1000 {
			noSession("a store that fails")
			unavailable(t, keys, text)
		}
		if n := s.reads.Load() - before; n > 1 {
			t.Errorf("%d reads of a store that fails, expected 1", n)
		}
		time.Sleep(5 * time.Minute)
		s.failing("get", "auth/session/", workspace.ErrBusy)
		noSession("a record that cannot be read")
		s.failing("get", "auth/key/", workspace.ErrCorrupt)
		noSession("a key that cannot be read")
		unavailable(t, keys, text)
		for _, call := range [][2]string{{"put", "auth/session/"}, {"list", "auth/session/"}, {"get", "auth/key/"}} {
			s.failing(call[0], call[1], workspace.ErrReadOnly)
			if _, _, _, err := keys.Sessions().Begin(t.Context(), text); !errors.Is(err, auth.ErrUnavailable) {
				t.Errorf("Begin while %s of %s fails = %v", call[0], call[1], err)
			}
		}
		s.failing("", "", nil)
		signedIn(t, keys, session)
		testkit.Must(t, keys.Close(t.Context()))
		noSession("closed")
	})
}

// A process that is killed between a sign-out and the generation leaves a sign-out that
// holds after five minutes, or when it is repeated. So does a store that may have stored it.
func TestKilledBeforeTheSessionGeneration(t *testing.T) {
	for _, repeat := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &spy{Store: memstore.New()}
			here, there := open(t, s), open(t, s.Store)
			_, text := create(t, here, grant(t, "*"))
			session, _ := signIn(t, here, text)
			signedIn(t, there, session)
			s.failing("put", "auth/generation", workspace.ErrOutcomeUnknown)
			if err := here.Sessions().End(t.Context(), session); !errors.Is(err, workspace.ErrOutcomeUnknown) {
				t.Fatalf("End = %v, expected the error of the generation", err)
			}
			s.failing("", "", nil)
			signedOut(t, here, session)
			if time.Sleep(4 * time.Minute); !repeat {
				signedIn(t, there, session) // else the case is not the one that it should be
				time.Sleep(time.Minute)
			} else {
				testkit.Must(t, here.Sessions().End(t.Context(), session))
				time.Sleep(held)
			}
			signedOut(t, there, session)
		})
	}
}
