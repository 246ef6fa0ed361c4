package dump

import (
	"context"
	"errors"
	"iter"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// errEnough ends a Dump whose rows are not read further.
var errEnough = errors.New("enough")

// Rows returns the rows of an owner for [store.Store.Restore]. Each range over them is a
// Dump of its own, in a snapshot of its own. Its error comes last, with a Row that is zero.
func Rows(ctx context.Context, s store.Store, o store.Owner) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		enough := false
		err := s.Dump(ctx, o, func(r store.Row) error {
			if enough = !yield(r, nil); enough {
				return errEnough
			}
			return nil
		})
		if err != nil && !enough {
			yield(store.Row{}, err)
		}
	}
}

// Fitting returns the rows up to the first one that does not fit, as [Checker.Add] and
// [Checker.End] say. Then it gives their error, with a Row that is zero. It gives an error
// of rows as it is.
func Fitting(rows iter.Seq2[store.Row, error]) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		var c Checker
		for r, err := range rows {
			if err == nil {
				err = c.Add(r)
			}
			if err != nil {
				yield(store.Row{}, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
		if _, err := c.End(); err != nil {
			yield(store.Row{}, err)
		}
	}
}

// Check reads all rows of an owner and returns their report. It returns an error only if
// Dump does, with the report as far as it came.
func Check(ctx context.Context, s store.Store, o store.Owner) (Report, error) {
	var c Checker
	err := s.Dump(ctx, o, func(r store.Row) error {
		_ = c.Add(r) // it is in the report
		return nil
	})
	report, _ := c.End()
	return report, err
}
