package workspace

import (
	"cmp"
	"context"
	"iter"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const opWatch = "watch"

// Watch returns the changes after the revision since, and then each new change when it
// happens, in any process. The changes are in order. None is missing, and none comes twice. A
// since of 0 begins with the first change. The sequence ends without an error when ctx ends.
// Otherwise it ends after an error.
//
// A write of this process arrives within 10 ms, and a write of another process within
// 500 ms. A slow reader delays nobody else. A Watch counts as one operation.
//
// Errors: [ErrNotFound] if the journal does not reach back to the revision, or no longer
// does; [ErrInvalid] for a revision above the last one.
func (w *Workspace) Watch(ctx context.Context, since int64) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		err := cmp.Or(checkContext(ctx), checkNumber(store.ArgSinceChange, since, 0))
		next := since // a sequence may run again
		for again, counted := true, false; again && err == nil; counted = true {
			again, err = w.follow(ctx, &next, counted, yield)
		}
		if err != nil && (ctx == nil || ctx.Err() == nil) {
			yield(Change{}, within(opWatch, "", err))
		}
	}
}

// follow yields changes, and moves since on. It reports true when the subscription of the store ends,
// and false when ctx has ended or yield wants no more.
func (w *Workspace) follow(
	ctx context.Context, since *int64, counted bool, yield func(Change, error) bool,
) (again bool, err error) {
	woken, leave, err := w.svc.wakes.Join(ctx, w.owner)
	if err != nil {
		return false, err
	}
	defer leave()
	for {
		var rows []Change
		var last int64
		err := w.svc.store.View(ctx, w.owner, func(r store.Reader) (err error) {
			rows, last, err = changes.After(r, *since, w.svc.o.Limits.Changes)
			return err
		})
		if err != nil {
			return false, err
		}
		if !counted {
			counted = true
			w.counted(nil)
		}
		for _, row := range rows {
			if ctx.Err() != nil || !yield(row, nil) {
				return false, nil
			}
			*since = row.Revision
		}
		if *since < last {
			continue
		}
		select {
		case <-ctx.Done():
			return false, nil
		case _, open := <-woken:
			if !open {
				return true, nil
			}
		}
	}
}
