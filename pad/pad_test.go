package pad_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

func fixed(ttl time.Duration) pad.SetOptions {
	return pad.SetOptions{TTL: ttl, Expiry: pad.Fixed}
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

func TestTagsAreCopied(t *testing.T) {
	p := emptyPad(t)
	tags := []string{"x"}
	put(t, p, "k", 2, tags...)
	tags[0] = "changed"
	e, _ := p.Peek("k")
	e.Tags[0] = "changed"
	e.Options().Tags[0] = "changed"
	if len(p.FindByTag("x")) != 1 || p.Entries()[0].Tags[0] != "x" {
		t.Error("a tag was changed from outside")
	}
}

func TestBadOptions(t *testing.T) {
	for name, o := range map[string]pad.Options{
		"TTL":    {DefaultTTL: -2},
		"expiry": {DefaultExpiry: 3},
		"below":  {DefaultExpiry: -1},
		"sweep":  {SweepInterval: -1},
	} {
		if p, err := pad.New(o); p != nil || !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: New() = %v, %v, want ErrConfig", name, p, err)
		}
		var s pad.Snapshot
		if p, err := pad.FromSnapshot(&s, o); p != nil || !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: FromSnapshot() = %v, %v, want ErrConfig", name, p, err)
		}
	}
	p, _ := newPad(t, pad.Options{DefaultTTL: pad.Forever, AutoSave: -1})
	testkit.Must(t, p.Set("k", 1))
	if e, _ := p.Peek("k"); e.TTL != 0 {
		t.Errorf("Forever as the default gave %+v", e)
	}
	for name, o := range map[string]pad.SetOptions{"expiry": {Expiry: 3}, "tag": {Tags: []string{"\xff"}}} {
		if err := p.SetWith("k", 2, o); !errors.Is(err, pad.ErrConfig) {
			t.Errorf("%s: SetWith() = %v, want ErrConfig", name, err)
		}
	}
	for err, code := range map[error]string{
		pad.ErrConfig: "SCRATCHPAD_CONFIG_ERROR", pad.ErrPersist: "SCRATCHPAD_PERSISTENCE_ERROR",
		&pad.VersionError{Version: 2}: "SCRATCHPAD_VERSION_ERROR", &pad.TypeError{Key: "k"}: "SCRATCHPAD_TYPE_ERROR",
	} {
		var coded interface{ Code() string }
		if !errors.As(fmt.Errorf("wrapped: %w", err), &coded) || coded.Code() != code || err.Error() == "" {
			t.Errorf("%v: the code is not %s", err, code)
		}
	}
}

type point struct{ X, Y int }

func TestValues(t *testing.T) {
	p := emptyPad(t)
	at := &point{1, 2}
	testkit.Must(t, p.Set("pointer", at))
	testkit.Must(t, p.Set("struct", point{3, 4}))
	testkit.Must(t, p.Set("nil", nil))
	if got, err := pad.Get[*point](p, "pointer"); got != at || err != nil {
		t.Errorf("Get[*point]() = %v, %v, want the pointer itself", got, err)
	}
	if _, err := pad.Get[any](p, "nil"); err != nil {
		t.Errorf("Get[any]() of nil = %v", err)
	}
	if _, err := pad.Get[error](p, "nil"); err != nil {
		t.Errorf("Get[error]() of nil = %v", err)
	}
	var other *pad.TypeError
	if got, err := pad.Get[point](p, "pointer"); got != (point{}) || !errors.As(err, &other) || other.Key != "pointer" || other.Want.Name() != "point" {
		t.Errorf("Get[point]() of a pointer = %v, %v, want a TypeError", got, err)
	}
	if err := pad.Update(p, "struct", func(string, bool) (string, error) { return "", nil }); !errors.As(err, &other) {
		t.Errorf("Update() of another type = %v, want a TypeError", err)
	}
	if _, err := pad.Get[int](p, "nil"); !errors.As(err, &other) || other.Have != nil {
		t.Errorf("Get[int]() of nil = %v, want a TypeError", err)
	}

	text, err := p.Snapshot().MarshalJSON()
	testkit.Must(t, err)
	s := new(pad.Snapshot)
	testkit.Must(t, s.UnmarshalJSON(text))
	q, err := pad.FromSnapshot(s, pad.Options{})
	testkit.Must(t, err)
	first, err := pad.Get[*point](q, "pointer")
	if err != nil || *first != *at {
		t.Errorf("decoded %v, %v", first, err)
	}
	if again, _ := pad.Get[*point](q, "pointer"); again != first {
		t.Error("it was decoded twice")
	}
	if got, _ := q.Get("pointer"); !cmp.Equal(got, map[string]any{"X": int64(1), "Y": int64(2)}) {
		t.Errorf("untyped Get() = %#v", got)
	}
	first.X = 99 // is forbidden, and yet what is saved is what was read
	if again, err := q.Snapshot().MarshalJSON(); err != nil || !strings.Contains(string(again), `{"X":1,"Y":2}`) {
		t.Errorf("written again: %s, %v", again, err)
	}
	if _, err := pad.Get[string](q, "struct"); !errors.As(err, &other) || other.Have.Kind().String() != "map" {
		t.Errorf("Get[string]() of an object = %v, want a TypeError", err)
	}
	if got, err := pad.Get[fmt.Stringer](q, "struct"); !errors.As(err, &other) {
		t.Errorf("Get[fmt.Stringer]() of an object = %v, %v, want a TypeError", got, err)
	}
	if got, err := pad.Get[any](q, "struct"); err != nil || got == nil {
		t.Errorf("Get[any]() of an object = %v, %v", got, err)
	}
}

func TestValuesWithoutJSON(t *testing.T) {
	cycle := map[string]any{}
	cycle["me"] = cycle
	for name, value := range map[string]any{
		"chan": make(chan int), "func": func() {}, "NaN": math.NaN(), "Inf": math.Inf(1), "cycle": cycle, "complex": 1i,
		"no UTF-8": "a\xffb", "no UTF-8 in a list": []string{"ok", "\xff"}, "no UTF-8 in a key": map[string]string{"\xff": "x"}, // which JSON would change
	} {
		p := emptyPad(t)
		testkit.Must(t, p.Set("good", 1))
		testkit.Must(t, p.Set("bad "+name, value))
		s := p.Snapshot()
		if text, err := s.MarshalJSON(); err == nil || !strings.Contains(err.Error(), "bad "+name) {
			t.Errorf("MarshalJSON() = %s, %v, want an error that names the key", text, err)
		}
		testkit.Must(t, p.Restore(s)) // this needs no JSON
		if p.Len() != 2 {
			t.Errorf("%s: restored %d entries", name, p.Len())
		}
	}
	far := time.UnixMilli(9e15)
	p, err := pad.New(pad.Options{Now: func() time.Time { return far }})
	testkit.Must(t, err)
	if _, err := p.Snapshot().MarshalJSON(); err == nil {
		t.Error("a time that cannot be read was written")
	}
	testkit.Must(t, p.Set("k", 1))
	if _, err := p.Snapshot().MarshalJSON(); err == nil || !strings.Contains(err.Error(), `"k"`) {
		t.Errorf("MarshalJSON() = %v, want an error that names the key", err)
	}
}

func TestTimesAtTheEndOfAnInt64(t *testing.T) {
	late := pad.Entry{CreatedAt: time.UnixMilli(math.MaxInt64), TTL: math.MaxInt64}
	if at, ok := late.ExpiresAt(); !ok || at.Before(late.CreatedAt) || at.UnixMilli() < late.CreatedAt.UnixMilli() {
		t.Errorf("ExpiresAt() = %v, %v, before CreatedAt", at, ok)
	}

	now := time.Unix(0, math.MaxInt64-int64(ms)) // just before the last nanosecond of an int64, in 2262
	p, err := pad.New(pad.Options{Now: func() time.Time { return now }})
	testkit.Must(t, err)
	testkit.Must(t, p.SetWith("k", 1, fixed(ms/2)))
	testkit.Must(t, p.SetWith("stays", 1, fixed(time.Hour)))
	now = now.Add(2 * ms)
	if p.Len() != 1 || p.Sweep() != 1 {
		t.Errorf("in 2262 %d entries are live", p.Len())
	}
}

func TestSweepGoroutine(t *testing.T) {
	p, err := pad.New(pad.Options{SweepInterval: ms})
	testkit.Must(t, err)
	gone := make(chan string, 1)
	p.On(pad.EventExpire, func(e pad.Event) { gone <- e.Key })
	testkit.Must(t, p.SetWith("k", 1, fixed(ms)))
	select {
	case key := <-gone:
		if key != "k" {
			t.Errorf("%q expired", key)
		}
	case <-time.After(time.Minute):
		t.Error("nothing was swept")
	}
	testkit.Must(t, p.Close(t.Context())) // TestMain checks that no goroutine is left
}
