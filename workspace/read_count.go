package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/count"
)

// A read counts as an operation, but changes nothing in the store. Its count waits in
// memory, and is written with the owner's next write, every ten seconds, and by Close.
const (
	readFlushInterval = 10 * time.Second
	readFlushTimeout  = 10 * time.Second // of a flush that nobody waits for
)

func (s *Service) newReadTally() *count.Tally[Owner] {
	return count.NewTally[Owner](readFlushInterval, func() {
		ctx, cancel := context.WithTimeout(context.Background(), readFlushTimeout)
		defer cancel()
		s.flushReads(ctx)
	})
}

// load reads what a query asks for in a transaction of its own.
func (w *Workspace) load(ctx context.Context, q Query) (l Loaded, err error) {
	err = w.svc.store.View(ctx, w.owner, func(tx Reader) (err error) {
		l, err = tx.Load(q)
		return err
	})
	return l, err
}

// viewCounted runs a read and counts it when it succeeds.
func (w *Workspace) viewCounted(ctx context.Context, fn func(Reader) error) error {
	err := w.svc.store.View(ctx, w.owner, fn)
	return w.counted(err)
}

// counted counts a read that had no error, unless the workspace is an operator's.
func (w *Workspace) counted(err error) error {
	if err == nil && !w.uncounted {
		w.svc.reads.Add(w.owner, 1)
	}
	return err
}

// flushReads writes the counts of reads. Those that could not be written wait for the
// next flush. If the store is closed, they are lost.
func (s *Service) flushReads(ctx context.Context) error {
	reads := s.reads.TakeAll()
	if len(reads) == 0 {
		return nil
	}
	err := s.store.Count(ctx, reads)
	if err != nil && !errors.Is(err, ErrClosed) {
		for owner, n := range reads {
			s.reads.Add(owner, n)
		}
	}
	return within("count reads of", fmt.Sprint(len(reads), " agents"), err)
}
