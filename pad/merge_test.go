package pad_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

// forked returns a pad with some entries, a snapshot of it, and a fork.
func forked(t testing.TB, keys ...string) (p *pad.Pad, base *pad.Snapshot, theirs *pad.Pad) {
	t.Helper()
	p = emptyPad(t)
	for _, key := range keys {
		put(t, p, key, "base", "t")
	}
	return p, p.Snapshot(), p.Fork()
}

func merge(t testing.TB, p *pad.Pad, base *pad.Snapshot, theirs *pad.Pad, resolve func(pad.Conflict) pad.Resolution) []string {
	t.Helper()
	conflicts, err := p.Merge(base, theirs, resolve)
	testkit.Must(t, err)
	keys := []string{}
	for _, c := range conflicts {
		keys = append(keys, c.Key)
	}
	return keys
}

func checkKV(t testing.TB, p *pad.Pad, want ...string) {
	t.Helper()
	if got := p.Render(pad.RenderOptions{}); got != strings.Join(want, "\n") {
		t.Errorf("the pad holds\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// Without resolve, the pad keeps its own side of each conflict.
func TestMergeConflictEntries(t *testing.T) {
	p, base, theirs := forked(t, "gone", "k")
	put(t, p, "k", 1)
	p.Delete("gone")
	put(t, theirs, "k", 2)
	put(t, theirs, "gone", 3)
	conflicts, err := p.Merge(base, theirs, nil)
	if err != nil || len(conflicts) != 2 {
		t.Fatalf("Merge() = %v, %v, want two conflicts", conflicts, err)
	}
	values := func(c pad.Conflict) [3]any {
		var v [3]any
		for i, e := range []*pad.Entry{c.Base, c.Ours, c.Theirs} {
			if v[i] = "absent"; e != nil && e.Key == c.Key {
				v[i] = e.Value
			}
		}
		return v
	}
	if got := values(conflicts[0]); got != [3]any{"base", "absent", 3} {
		t.Errorf("%s: %v", conflicts[0].Key, got)
	}
	if got := values(conflicts[1]); got != [3]any{"base", 1, 2} {
		t.Errorf("%s: %v", conflicts[1].Key, got)
	}
	checkKV(t, p, "k: 1")
}

// An expired entry counts as absent on every side.
func TestMergeExpired(t *testing.T) {
	now := time.Unix(1000, 0)
	p, _ := newPad(t, pad.Options{Now: func() time.Time { return now }, DefaultTTL: time.Minute})
	put(t, p, "refreshed", 1)
	put(t, p, "gone", 1)
	put(t, p, "late", 1)
	base, theirs := p.Snapshot(), p.Fork()
	put(t, theirs, "late", 2)
	now = now.Add(time.Minute)
	put(t, theirs, "refreshed", 2)
	put(t, p, "gone", 3)
	theirs.Sweep()
	expired := 0
	p.On(pad.EventExpire, func(pad.Event) { expired++ })
	if conflicts := merge(t, p, base, theirs, nil); len(conflicts) != 0 {
		t.Errorf("conflicts = %q, want none", conflicts)
	}
	checkKV(t, p, "gone: 3", "refreshed: 2")
	if expired != 1 {
		t.Errorf("%d expired, want the one that was replaced", expired)
	}
}

func TestMergeErrors(t *testing.T) {
	p, base, theirs := forked(t, "k")
	put(t, theirs, "k", 1)
	if _, err := p.Merge(base, nil, nil); !errors.Is(err, pad.ErrConfig) {
		t.Errorf("nil theirs: %v, want ErrConfig", err)
	}
	if _, err := p.Merge(base, theirs.Namespace(""), nil); !errors.Is(err, pad.ErrKey) {
		t.Errorf("theirs without a name: %v, want ErrKey", err)
	}
	if _, err := p.Namespace("").Merge(base, theirs, nil); !errors.Is(err, pad.ErrKey) {
		t.Errorf("ours without a name: %v, want ErrKey", err)
	}
	testkit.Must(t, theirs.Close(t.Context()))
	put(t, p, "k", 2)
	if _, err := p.Merge(base, theirs, func(pad.Conflict) pad.Resolution {
		_ = p.Close(t.Context())
		return pad.Theirs()
	}); !errors.Is(err, pad.ErrClosed) {
		t.Errorf("closed while resolving: %v, want ErrClosed", err)
	}
	if _, err := p.Merge(base, theirs, nil); !errors.Is(err, pad.ErrClosed) {
		t.Errorf("closed: %v, want ErrClosed", err)
	}
	checkKV(t, p, "k: 2")
}

// resolve is called without a lock, and again for a key that changed meanwhile.
func TestMergeWhileThePadChanges(t *testing.T) {
	p, base, theirs := forked(t, "a", "b", "c")
	for _, key := range []string{"a", "b"} {
		put(t, p, key, "ours")
		put(t, theirs, key, "theirs")
	}
	put(t, theirs, "c", "theirs")
	var calls []string
	conflicts, err := p.Merge(base, theirs, func(c pad.Conflict) pad.Resolution {
		calls = append(calls, c.Key+" "+c.Ours.Value.(string))
		if len(calls) == 1 {
			put(t, p, "b", "later")
			put(t, p, "c", "later")
			p.Get("a")
		}
		return pad.Use(c.Ours.Value.(string) + "+" + c.Theirs.Value.(string))
	})
	if want := []string{"a ours", "b ours", "b later", "c later"}; err != nil || !slices.Equal(calls, want) || len(conflicts) != 3 {
		t.Errorf("resolve was called for %q, want %q; %d conflicts, %v", calls, want, len(conflicts), err)
	}
	if len(conflicts) == 3 && conflicts[1].Ours.Value != "later" {
		t.Errorf("the conflict of b has ours %v, want what it was in the end", conflicts[1].Ours.Value)
	}
	checkKV(t, p, "a: ours+theirs", "b: later+theirs", "c: later+theirs")
}

// A reader that takes no lock sees all changes of a merge or none.
func TestMergeIsSeenAtOnce(t *testing.T) {
	const n = 300
	p := emptyPad(t)
	for i := range n {
		_ = p.Set(fmt.Sprint(i), 0)
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			first, _ := pad.Get[int](p, "0")
			last, _ := pad.Get[int](p, fmt.Sprint(n-1))
			if first > last {
				t.Error("half a merge is seen")
				return
			}
		}
	})
	for round := range 50 {
		base, fork := p.Snapshot(), p.Fork()
		for i := range n {
			_ = fork.Set(fmt.Sprint(i), round+1)
		}
		if _, err := p.Merge(base, fork, nil); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	wg.Wait()
}
