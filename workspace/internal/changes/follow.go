package changes

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Follow yields rows after a revision, and moves the revision on. next returns the rows
// after it, and the last revision; Follow calls it again after each wake. It reports true
// when woken is closed, and false when ctx has ended or yield wants no more.
func Follow(
	ctx context.Context, since *int64, woken <-chan struct{},
	next func() (rows []store.Change, last int64, err error), yield func(store.Change, error) bool,
) (again bool, err error) {
	for {
		rows, last, err := next()
		if err != nil {
			return false, err
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
