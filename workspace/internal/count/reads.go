package count

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	readsEvery = 10 * time.Second
	readsTime  = 10 * time.Second // of a flush that nobody waits for
)

// Reads are the counts of reads by owner that a store does not have yet. A read counts as
// an operation, but changes nothing in the store. Its count waits in memory, and is written
// with the owner's next write, every ten seconds, and by Flush.
type Reads struct {
	*Tally[store.Owner]
	store store.Store
}

// NewReads returns Reads without a count.
func NewReads(s store.Store) Reads {
	r := Reads{store: s}
	r.Tally = NewTally[store.Owner](readsEvery, func() {
		ctx, cancel := context.WithTimeout(context.Background(), readsTime)
		defer cancel()
		r.Flush(ctx)
	})
	return r
}

// Flush writes the counts. Those that could not be written wait for the next Flush. If the
// store is closed, they are lost.
func (r Reads) Flush(ctx context.Context) error {
	reads := r.TakeAll()
	if len(reads) == 0 {
		return nil
	}
	err := r.store.Count(ctx, reads)
	if err != nil && !errors.Is(err, store.ErrClosed) {
		for owner, n := range reads {
			r.Add(owner, n)
		}
	}
	return fault.Within("count reads of", fmt.Sprint(len(reads), " agents"), err)
}
