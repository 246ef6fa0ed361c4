package workspace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	readsEvery = 10 * time.Second
	readsTime  = 10 * time.Second // of a flush that nobody waits for
)

// unwrittenReads are the counts of reads by owner that a store does not have yet. A read
// counts as an operation, but changes nothing in the store. Its count waits in memory, and
// is written with the owner's next write, every ten seconds, and by flush. They are safe for
// concurrent use.
type unwrittenReads struct {
	store Store

	mu     sync.Mutex // guards the following
	counts map[store.Owner]int64
	timer  *time.Timer // nil: nothing has been counted since the last flush
}

// add adds n to the count of an owner.
func (r *unwrittenReads) add(o store.Owner, n int64) {
	if n == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = make(map[store.Owner]int64)
	}
	r.counts[o] += n
	if r.timer == nil {
		r.timer = time.AfterFunc(readsEvery, func() {
			ctx, cancel := context.WithTimeout(context.Background(), readsTime)
			defer cancel()
			r.flush(ctx)
		})
	}
}

// get returns the count of an owner.
func (r *unwrittenReads) get(o store.Owner) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts[o]
}

// take returns the count of an owner and sets it to 0.
func (r *unwrittenReads) take(o store.Owner) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.counts[o]
	delete(r.counts, o)
	return n
}

// flush writes the counts. Those that could not be written wait for the next flush. If the
// store is closed, they are lost.
func (r *unwrittenReads) flush(ctx context.Context) error {
	r.mu.Lock()
	reads := r.counts
	r.counts = nil
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	r.mu.Unlock()
	if len(reads) == 0 {
		return nil
	}
	err := r.store.Count(ctx, reads)
	if err != nil && !errors.Is(err, ErrClosed) {
		for owner, n := range reads {
			r.add(owner, n)
		}
	}
	return within("count reads of", fmt.Sprint(len(reads), " agents"), err)
}
