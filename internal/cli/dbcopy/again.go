package dbcopy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// again copies an owner a second time, because the source has changed.
func (c *copier) again(o store.Owner) error {
	if err := c.ours(); err != nil {
		return err
	}
	old, err := c.wantOlder(o)
	if err != nil {
		return err
	}
	err = c.to.Update(c.ctx, o, func(tx store.Tx) error {
		if state, err := tx.Owner(); err != nil || state != old {
			return cmp.Or(err, error(written(o)))
		}
		return erase(tx)
	})
	if err != nil {
		return fmt.Errorf("copy %s again: %w", o, err)
	}
	return c.restore(o)
}

// written is the error of an owner whom somebody else has changed in the target.
func written(o store.Owner) *workspace.Error {
	return workspace.Errorf(workspace.ErrConflict,
		"somebody else has written to %s in the target; stop the target's servers, and begin with a new database", o)
}

// wantOlder returns the state of an owner in the target, or ErrConflict if what the target
// has of the owner is not what the source had before. Somebody who had the target open
// before Copy began may have written to it, and that is nothing to throw away.
func (c *copier) wantOlder(o store.Owner) (store.OwnerState, error) {
	here, there, err := c.states(o)
	if err != nil {
		return there, err
	}
	foreign := here.Revision < there.Revision
	if (here == store.OwnerState{}) { // the source does not have it any more
		foreign = !c.restored[o] && !there.IsDeleted() && there != store.OwnerState{}
	} else if !foreign && there.Changes > 0 {
		was, err1 := changeAt(c.ctx, c.from, o, there.Revision)
		is, err2 := changeAt(c.ctx, c.to, o, there.Revision)
		if err := errors.Join(err1, err2); err != nil {
			return there, fmt.Errorf("copy %s again: %w", o, err)
		}
		foreign = was.Revision != 0 && !sameChange(is, was) // the source may have removed the row since
	}
	if foreign {
		return there, written(o)
	}
	return there, nil
}

// changeAt returns the row of a journal that has a revision, the zero value if it is not kept.
func changeAt(ctx context.Context, s workspace.Store, o store.Owner, revision int64) (found store.Change, err error) {
	err = s.View(ctx, o, func(r store.Reader) error {
		found = store.Change{}
		rows, err := r.Changes(revision-1, 1)
		if len(rows) > 0 && rows[0].Revision == revision {
			found = rows[0]
		}
		return err
	})
	return found, err
}

func sameChange(a, b store.Change) bool {
	sameTime := a.Time.Equal(b.Time)
	a.Time = b.Time
	return sameTime && a == b
}

// erase removes every row of an owner.
func erase(tx store.Tx) error {
	state, err := tx.Owner()
	if err != nil {
		return err
	}
	for _, paths := range []store.ScanQuery{{Kind: workspace.KindFile}, {Kind: workspace.KindFile, Deleted: true},
		{Kind: workspace.KindLog}} {
		if err := erasePaths(tx, paths, state); err != nil {
			return err
		}
	}
	future := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	_, err1 := tx.ForgetDeleted(workspace.KindFile, math.MaxInt32)
	_, err2 := tx.ForgetDeleted(workspace.KindLog, math.MaxInt32)
	err3 := tx.Forget(store.Old{Requests: math.MaxInt32, DueBefore: future, DueAfter: future, Changes: math.MaxInt64})
	return errors.Join(err1, err2, err3, tx.Apply(store.OwnerState{}))
}

// erasePage is how many paths are listed at once.
const erasePage = 500

func erasePaths(tx store.Tx, paths store.ScanQuery, state store.OwnerState) error {
	for paths.Limit = erasePage; ; {
		page, err := tx.Scan(paths)
		if err != nil || len(page.Files)+len(page.Logs) == 0 {
			return err
		}
		for _, f := range page.Files {
			h := store.FileHead{Path: f.Path, Version: f.Version, Deleted: true, Created: f.Created, Updated: f.Updated}
			if err := tx.Apply(store.FileChange{Head: h, Prune: h.Version, Forget: true, Owner: state}); err != nil {
				return err
			}
		}
		for _, h := range page.Logs {
			h.Deleted, h.First, h.Bytes = true, h.Last+1, 0
			if err := tx.Apply(store.LogChange{Head: h, Prune: h.Last, Owner: state}); err != nil {
				return err
			}
		}
	}
}
