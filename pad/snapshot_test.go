package pad_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
)

func TestSnapshot(t *testing.T) {
	p, c := newPad(t, pad.Options{})
	testkit.Must(t, p.SetWith("a", 1, sliding(time.Hour)))
	testkit.Must(t, p.SetWith("short", 1, fixed(ms)))
	s := p.Snapshot()
	c.Advance(ms)
	p.Get("a")
	p.Set("b", 2)
	later := p.Snapshot()
	p.Delete("a")
	p.Sweep()
	want := []record{
		{key: "a", value: 1, created: start.UnixNano(), updated: start.UnixNano(), accessed: start.UnixMilli(), ttl: time.Hour, sliding: true},
		{key: "short", value: 1, created: start.UnixNano(), updated: start.UnixNano(), accessed: start.UnixMilli(), ttl: ms},
	}
	if got := recordsOf(slices.Collect(s.All())); !slices.Equal(got, want) || s.Len() != 2 || !s.Time().Equal(start) {
		t.Errorf("the snapshot of %v has changed:\n got %+v\nwant %+v", s.Time(), got, want)
	}
	if got := recordsOf(slices.Collect(later.All())); len(got) != 2 || got[0].accessed != start.Add(ms).UnixMilli() || got[1].key != "b" {
		t.Errorf("the later snapshot is %+v", got)
	}
	var none pad.Snapshot
	text, err := none.MarshalJSON()
	if err != nil || string(text) != `{"entries":{},"timestamp":0,"version":1}` || none.Len() != 0 {
		t.Errorf("the zero snapshot is %s, %v", text, err)
	}
	testkit.Must(t, p.Restore(&none))
	wantKeys(t, p, "")
}

// Many goroutines may read and restore a snapshot at the same time.
func TestSnapshotShared(t *testing.T) {
	p := emptyPad(t)
	for i := range 100 {
		testkit.Must(t, p.SetWith(fmt.Sprint(i), i, pad.SetOptions{Tags: []string{"t"}, TTL: time.Hour, Expiry: pad.Sliding}))
	}
	s := p.Snapshot()
	want, err := s.MarshalJSON()
	testkit.Must(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 50 {
				q, err := pad.FromSnapshot(s, pad.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				q.Get("7")
				q.Set(fmt.Sprint(i), "changed")
				q.Delete("9")
				if got, err := s.MarshalJSON(); err != nil || !bytes.Equal(got, want) {
					t.Errorf("the snapshot has changed: %v", err)
					return
				}
				if n := len(slices.Collect(s.All())); n != 100 {
					t.Errorf("All() gave %d entries", n)
				}
				p.Set(fmt.Sprint(i), "changed")
				p.Get("7")
			}
		})
	}
	wg.Wait()
}
