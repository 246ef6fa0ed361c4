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
