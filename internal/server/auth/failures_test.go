package auth_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"pgregory.net/rapid"
)

// Ten failures of an address in any minute are counted, and those after them are told how long
// it takes until another one counts.
func TestFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := testkit.NewClock()
		f := auth.NewFailures(clock.Now)
		addresses := []string{"192.0.2.1", "192.0.2.2", "2001:db8:0:1::1", "2001:db8:0:2::1"}
		failed := map[string][]time.Time{}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			a := rapid.SampledFrom(addresses).Draw(t, "address")
			clock.Advance(time.Duration(rapid.IntRange(0, 9000).Draw(t, "ms")) * time.Millisecond)
			recent := slices.DeleteFunc(failed[a], func(at time.Time) bool { return clock.Now().Sub(at) >= time.Minute })
			failed[a] = recent
			after, counted := f.Failed(netip.MustParseAddr(a))
			if counted != (len(recent) < 10) {
				t.Fatalf("after %d failures in a minute, another one counts: %v", len(recent), counted)
			}
			want := time.Duration(0)
			if counted {
				recent = append(recent, clock.Now())
				failed[a] = recent
			}
			if len(recent) == 10 {
				want = recent[0].Add(time.Minute).Sub(clock.Now())
			}
			if after != want {
				t.Fatalf("after %d failures: too many for %v, expected %v", len(recent), after, want)
			}
		}
	})
}

// A user of the net cannot get around it by another form of its address, and those that
// are not of one network do not block each other.
func TestFailuresOfANetwork(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true},
		{"2001:db8:0:1::1", "2001:db8:0:2::1", false},
		{"fe80::1%eth0", "fe80::1%eth1", true},
	} {
		f := auth.NewFailures(nil)
		for range 10 {
			f.Failed(netip.MustParseAddr(c.a))
		}
		if _, counted := f.Failed(netip.MustParseAddr(c.b)); counted == c.same {
			t.Errorf("%s after ten failures of %s: another one counts: %v", c.b, c.a, counted)
		}
	}
}

// Wrong secrets of a key cost four reads a second. Its right secret passes meanwhile, and so
// does a new one, within a second of the change.
func TestGuessingASecret(t *testing.T) {
	s, clock := &spy{Store: memstore.New()}, testkit.NewClock()
	here := auth.NewKeys(s, auth.Options{Now: clock.Now})
	there := auth.NewKeys(s.Store, auth.Options{})
	for _, keys := range []*auth.Keys{here, there} {
		t.Cleanup(func() { testkit.Must(t, keys.Close(context.Background())) })
	}
	key, text := create(t, there, grant(t, "*"))
	guess := func() {
		for _, wrong := range auth.GuessesOf(text, 100) {
			refused(t, here, wrong)
		}
	}
	before, digit := s.reads.Load(), "0"
	if strings.HasSuffix(text, digit) {
		digit = "1"
	}
	if refused(t, here, text[:len(text)-1]+digit); s.reads.Load() != before {
		t.Error("a key with a wrong checksum costs a read")
	}
	guess()
	before = s.reads.Load()
	for range 20 {
		clock.Advance(50 * time.Millisecond)
		guess()
		accepted(t, here, text)
	}
	if n := s.reads.Load() - before; n > 20 { // with those of the generation
		t.Errorf("2,000 guesses in a second cost %d reads", n)
	}
	_, next, err := there.Rotate(t.Context(), key.ID, 0)
	testkit.Must(t, err)
	guess()
	clock.Advance(time.Second)
	guess()
	accepted(t, here, next)
	refused(t, here, text)
}

// Unknown keys of an address with too many failures are looked up one at a time. Others do
// not wait, and nobody waits for ever.
func TestEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, crowd, other := auth.NewFailures(nil), netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
		for range 10 {
			leave, ok := f.Enter(t.Context(), crowd)
			if !ok {
				t.Fatal("an address without failures has to wait")
			}
			defer leave()
			f.Failed(crowd)
		}
		leave, ok := f.Enter(t.Context(), crowd)
		if !ok {
			t.Fatal("the first of the crowd does not enter")
		}
		began, entered := time.Now(), make(chan bool)
		go func() {
			leave, ok := f.Enter(t.Context(), crowd)
			if ok {
				leave()
			}
			entered <- ok
		}()
		synctest.Wait()
		if leave, ok := f.Enter(t.Context(), other); !ok || time.Since(began) != 0 {
			t.Error("another address waits")
		} else {
			leave()
		}
		leave()
		if ok := <-entered; !ok || time.Since(began) != 0 {
			t.Errorf("the next one enters: %v, after %v", ok, time.Since(began))
		}
		leave, _ = f.Enter(t.Context(), crowd)
		defer leave()
		if _, ok := f.Enter(t.Context(), crowd); ok || time.Since(began) != 5*time.Second {
			t.Errorf("while one takes its time, another one enters: %v, after %v", ok, time.Since(began))
		}
		time.Sleep(time.Minute)
		if _, ok := f.Enter(t.Context(), crowd); !ok {
			t.Error("a minute later there is still a crowd")
		}
	})
}
