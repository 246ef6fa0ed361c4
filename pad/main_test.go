package pad_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// roleVariable makes the test binary save files until it is killed.
const roleVariable = "SCRATCHPAD_TEST_ROLE"

func TestMain(m *testing.M) {
	if path := os.Getenv(roleVariable); path != "" {
		saveForever(path)
	}
	testkit.Checks{Checks: 60, Long: 1500, Full: 5000, Short: 50, Steps: 80}.Set()
	goleak.VerifyTestMain(m)
}

const ms = time.Millisecond

// start is when the clock of a test stands at first.
var start = testkit.Start

// newPad returns a pad on a clock of its own. It is closed at the end of the test.
func newPad(t testing.TB, o pad.Options) (*pad.Pad, *testkit.Clock) {
	t.Helper()
	c := testkit.NewClock()
	if o.Now == nil {
		o.Now = c.Now
	}
	p, err := pad.New(o)
	testkit.Must(t, err)
	t.Cleanup(func() { p.Close(t.Context()) })
	return p, c
}

// emptyPad is newPad for a test that needs no options and no clock.
func emptyPad(t testing.TB) *pad.Pad {
	t.Helper()
	p, _ := newPad(t, pad.Options{})
	return p
}

func put(t testing.TB, p *pad.Pad, key string, value any, tags ...string) {
	t.Helper()
	testkit.Must(t, p.SetWith(key, value, pad.SetOptions{Tags: tags}))
}

// keep records all events that a pad or a view delivers.
func keep(p *pad.Pad, to *[]pad.Event) {
	for _, kind := range []pad.EventKind{pad.EventSet, pad.EventDelete, pad.EventExpire, pad.EventClear} {
		p.On(kind, func(e pad.Event) { *to = append(*to, e) })
	}
}

func sliding(ttl time.Duration) pad.SetOptions {
	return pad.SetOptions{TTL: ttl, Expiry: pad.Sliding}
}

func fixed(ttl time.Duration) pad.SetOptions {
	return pad.SetOptions{TTL: ttl, Expiry: pad.Fixed}
}

func wantKeys(t *testing.T, p *pad.Pad, want string) {
	t.Helper()
	if got := strings.Join(p.Keys(), " "); got != want {
		t.Errorf("Keys() = %q, want %q", got, want)
	}
}

// mustEnd fails the test with all stacks if f hangs.
func mustEnd(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		buf := make([]byte, 1<<20)
		t.Fatalf("it hangs:\n%s", buf[:runtime.Stack(buf, true)])
	}
}
