package auth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// held is how long a change may take to hold in other processes.
const held = 500 * time.Millisecond

// Three hundred keys that are in use cost four reads a second, and none when nobody calls.
func TestLooks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &spy{Store: memstore.New()}
		here, there := open(t, s.Store), open(t, s)
		texts := make([]string, 300)
		for i := range texts {
			g := grant(t, "agent")
			g.Tenant = fmt.Sprintf("team-%d", i/4)
			_, texts[i] = create(t, here, g)
		}
		use := func() {
			for _, text := range texts {
				accepted(t, there, text)
			}
		}
		use()
		before := s.reads.Load()
		for range 20 {
			time.Sleep(100 * time.Millisecond)
			use()
		}
		if n := s.reads.Load() - before; n < 4 || n > 9 {
			t.Errorf("%d reads in two seconds, expected 8", n)
		}
		time.Sleep(2 * time.Minute) // the last uses are written
		before = s.reads.Load()
		time.Sleep(time.Hour)
		if n := s.reads.Load() - before; n != 0 {
			t.Errorf("%d reads in an hour without a call", n)
		}
	})
}

func unavailable(t testing.TB, keys *auth.Keys, text string) {
	t.Helper()
	if c, err := keys.Verify(t.Context(), text); !errors.Is(err, auth.ErrUnavailable) || c.ID != "" {
		t.Fatalf("Verify = %+v, %v; expected ErrUnavailable", c, err)
	}
}

// A caller waits for a store that hangs no longer than it wants to, and a look that was
// begun for a caller who left serves the others.
func TestStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{Store: memstore.New()}
		keys := open(t, s)
		_, text := create(t, keys, grant(t, "*"))
		hang := make(chan struct{})
		s.onCall(func(string, string) error { <-hang; return nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := keys.Verify(ctx, text); !errors.Is(err, auth.ErrUnavailable) {
			t.Errorf("Verify = %v, expected ErrUnavailable", err)
		}
		before := s.reads.Load()
		done := make(chan error)
		go func() { _, err := keys.Verify(t.Context(), text); done <- err }()
		synctest.Wait()
		if n := s.reads.Load() - before; n != 0 {
			t.Errorf("%d more looks while one runs", n)
		}
		close(hang)
		testkit.Must(t, <-done)
	})
}

// A process that is killed between a change and the generation leaves a change that
// holds after five minutes, or when it is repeated.
func TestKilledBeforeTheGeneration(t *testing.T) {
	for _, repeat := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &spy{Store: memstore.New()}
			here, there := open(t, s), open(t, s.Store)
			key, text := create(t, here, grant(t, "*"))
			accepted(t, there, text)
			s.failing("put", "auth/generation", workspace.ErrOutcomeUnknown)
			if _, err := here.Revoke(t.Context(), key.ID); !errors.Is(err, workspace.ErrOutcomeUnknown) {
				t.Fatalf("Revoke = %v, expected the error of the generation", err)
			}
			s.failing("", "", nil)
			if time.Sleep(4 * time.Minute); !repeat {
				accepted(t, there, text) // else the case is not the one that it should be
				time.Sleep(time.Minute)
			} else {
				testkit.Must(t, testkit.Err(here.Revoke(t.Context(), key.ID)))
				time.Sleep(held)
			}
			refused(t, there, text)
		})
	}
}

// Two processes that change keys at once both raise the generation, or one of them does
// it for both.
func TestTwoRaise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{Store: memstore.New()}
		here, there, third := open(t, s), open(t, s.Store), open(t, s.Store)
		a, textA := create(t, here, grant(t, "*"))
		b, textB := create(t, here, grant(t, "*"))
		accepted(t, third, textA)
		accepted(t, third, textB)
		s.onCall(func(op, key string) error {
			if op == "put" && key == "auth/generation" { // between Get and Put
				s.failing("", "", nil)
				_, err := there.Revoke(t.Context(), b.ID)
				return err
			}
			return nil
		})
		testkit.Must(t, testkit.Err(here.Revoke(t.Context(), a.ID)))
		time.Sleep(held)
		refused(t, third, textA)
		refused(t, third, textB)
	})
}

// A look that has read the generation before a change of this process, and ends after it,
// brings nothing back.
func TestLookMeetsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{Store: memstore.New()}
		keys := open(t, s)
		key, text := create(t, keys, grant(t, "*"))
		accepted(t, keys, text)
		time.Sleep(held)
		slow := make(chan struct{})
		once := func(string) { s.afterGet.Store(nil); <-slow }
		s.afterGet.Store(&once)
		done := make(chan error)
		go func() { _, err := keys.Verify(t.Context(), text); done <- err }()
		synctest.Wait()
		_, err := keys.Revoke(t.Context(), key.ID)
		testkit.Must(t, err)
		close(slow)
		if err := <-done; err != auth.ErrUnknown {
			t.Errorf("Verify = %v, expected ErrUnknown", err)
		}
		refused(t, keys, text)
	})
}

// A clock that is set back, or that jumps after a sleep of the machine, makes nothing
// younger than it is.
func TestClockIsSet(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, time.Hour} {
		s := memstore.New()
		var offset atomic.Int64
		here := open(t, s)
		there := auth.NewKeys(s, auth.Options{Now: func() time.Time {
			return testkit.Start.Add(time.Duration(offset.Load()))
		}})
		t.Cleanup(func() { testkit.Must(t, there.Close(context.Background())) })
		key, text := create(t, here, grant(t, "*"))
		accepted(t, there, text)
		testkit.Must(t, testkit.Err(here.Revoke(t.Context(), key.ID)))
		accepted(t, there, text) // its clock stands
		offset.Store(int64(jump))
		refused(t, there, text)
	}
}

// Two processes that use a key all the time each write it down once a minute, and once more
// at the end.
func TestLastUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{Store: memstore.New()}
		var writes atomic.Int64
		s.onCall(func(op, key string) error {
			if op == "put" && strings.HasPrefix(key, "auth/used/") {
				writes.Add(1)
			}
			return nil
		})
		here, there := auth.NewKeys(s, auth.Options{}), auth.NewKeys(s, auth.Options{})
		key, text := create(t, here, grant(t, "*"))
		lastUsed(t, here, key.ID, time.Time{})
		for range 600 {
			accepted(t, here, text)
			time.Sleep(500 * time.Millisecond)
			accepted(t, there, text)
			time.Sleep(500 * time.Millisecond)
		}
		if n := writes.Load(); n < 10 || n > 20 {
			t.Errorf("%d writes in ten minutes, expected 10 to 20", n)
		}
		accepted(t, there, text)
		last := time.Now()
		testkit.Must(t, there.Close(t.Context()))
		testkit.Must(t, here.Close(t.Context()))
		testkit.Must(t, here.Close(t.Context()))
		lastUsed(t, here, key.ID, last)
		unavailable(t, here, text)
	})
}

func lastUsed(t testing.TB, keys *auth.Keys, id string, want time.Time) {
	t.Helper()
	shown := must(keys.Show(t.Context(), id))(t)
	page := must(keys.List(t.Context(), auth.ListOptions{Tenant: shown.Tenant}))(t)
	if !shown.LastUsed.Equal(want.Truncate(time.Microsecond)) || !page.Keys[0].LastUsed.Equal(shown.LastUsed) {
		t.Errorf("last use: Show says %v, List %v; expected %v", shown.LastUsed, page.Keys[0].LastUsed, want)
	}
}
