package pad_test

import (
	"flag"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/pad"
)

// roleVariable makes the test binary save files until it is killed.
const roleVariable = "SCRATCHPAD_TEST_ROLE"

// TestMain keeps the random tests short unless they are asked to be long.
func TestMain(m *testing.M) {
	if path := os.Getenv(roleVariable); path != "" {
		saveForever(path)
	}
	flag.Parse()
	wanted := map[string]string{"rapid.checks": "800", "rapid.steps": "80"}
	if long() {
		wanted["rapid.checks"] = "5000"
	} else if testing.Short() {
		wanted["rapid.checks"] = "150"
	}
	flag.Visit(func(f *flag.Flag) { delete(wanted, f.Name) })
	for name, value := range wanted {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

// long reports whether the long proofs are to run.
func long() bool { return os.Getenv("SCRATCHPAD_TEST") == "all" }

// start is when the fake clock begins.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// A clock stands still but for what the test does. It is safe for concurrent use.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func newClock() *clock { return &clock{now: start} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newPad returns a pad on a clock of its own, closed at the end of the test.
func newPad(t testing.TB, o pad.Options) (*pad.Pad, *clock) {
	t.Helper()
	c := newClock()
	if o.Now == nil {
		o.Now = c.Now
	}
	p, err := pad.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(t.Context()) })
	return p, c
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// keep records all events that a pad or a view delivers.
func keep(p *pad.Pad, to *[]pad.Event) {
	for _, kind := range []pad.EventKind{pad.EventSet, pad.EventDelete, pad.EventExpire, pad.EventClear} {
		p.On(kind, func(e pad.Event) { *to = append(*to, e) })
	}
}
