package auth_test

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"pgregory.net/rapid"
)

// No address fails more often than ten times in any minute before it is blocked, and one
// that is blocked may go on as soon as it is told.
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
			after, blocked := f.Blocked(netip.MustParseAddr(a))
			if blocked != (len(recent) >= 10) {
				t.Fatalf("after %d failures in a minute, blocked is %v", len(recent), blocked)
			}
			if !blocked {
				f.Failed(netip.MustParseAddr(a))
				failed[a] = append(recent, clock.Now())
				continue
			}
			clock.Advance(after - 1)
			if _, blocked := f.Blocked(netip.MustParseAddr(a)); !blocked {
				t.Fatalf("blocked for %v, and not a moment before", after)
			}
			clock.Advance(1 - after)
			if want := recent[0].Add(time.Minute).Sub(clock.Now()); after != want {
				t.Fatalf("blocked for %v, expected %v", after, want)
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
		if _, blocked := f.Blocked(netip.MustParseAddr(c.b)); blocked != c.same {
			t.Errorf("%s after ten failures of %s: blocked is %v", c.b, c.a, blocked)
		}
	}
}

// Guessing costs no read of the store: a wrong checksum none at all, and of one address
// ten guesses a minute at most come as far.
func TestGuessing(t *testing.T) {
	s := &spy{Store: memstore.New()}
	keys := open(t, s)
	key, text := create(t, keys, grant(t, "*"))
	accepted(t, keys, text)
	before := s.reads.Load()
	for i := range 10_000 {
		refused(t, keys, fmt.Sprintf("%s%06d", text[:len(text)-6], i))
	}
	if n := s.reads.Load() - before; n > 8 { // of the generation, should it take seconds
		t.Errorf("10,000 wrong checksums cost %d reads", n)
	}
	_, other := create(t, keys, grant(t, "*"))
	_, err := keys.Revoke(t.Context(), key.ID)
	testkit.Must(t, err)
	f, guesser := auth.NewFailures(nil), netip.MustParseAddr("192.0.2.1")
	before = s.reads.Load()
	tries := 0
	for range 10_000 {
		if _, blocked := f.Blocked(guesser); blocked {
			continue
		}
		tries++
		refused(t, keys, text)
		f.Failed(guesser)
	}
	if n := s.reads.Load() - before; tries != 10 || n > 8 {
		t.Errorf("%d tries and %d reads, expected 10 tries", tries, n)
	}
	accepted(t, keys, other)
}
