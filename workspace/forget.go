package workspace

import (
	"cmp"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The highest numbers of what was deleted are kept, so that none is ever given twice. The
// rest is forgotten.

// maxDeleted is how many deleted files of an agent, and how many deleted logs, keep a
// number of their own. The numbers of older ones only raise the owner's floor.
const maxDeleted = 10_000

// forgetOldest forgets the numbers of deleted paths beyond maxDeleted, and then stores the
// owner's state.
func (r *run) forgetOldest() error {
	state := r.Owner
	if state.DeletedFiles <= maxDeleted && state.DeletedLogs <= maxDeleted {
		return nil
	}
	if err := forgetNumbers(r.tx, &state, maxDeleted); err != nil {
		return err
	}
	return r.tx.Apply(state)
}

// forgetNumbers keeps the numbers of the newest deleted files and logs. Those of the others are
// forgotten, and raise the owner's floors.
func forgetNumbers(tx store.Tx, state *store.OwnerState, keep int64) error {
	for _, paths := range []struct {
		kind           PathKind
		deleted, floor *int64
	}{{KindFile, &state.DeletedFiles, &state.FileFloor}, {KindLog, &state.DeletedLogs, &state.LogFloor}} {
		n := *paths.deleted - keep
		if n <= 0 {
			continue
		}
		highest, err := tx.ForgetDeleted(paths.kind, int(n))
		if err != nil {
			return err
		}
		*paths.floor, *paths.deleted = max(*paths.floor, highest), keep
	}
	return nil
}

// requestsAtOnce is how many requests are dropped at once.
const requestsAtOnce = 1000

// never is a time before which every request was made.
var never = time.Unix(1<<40, 0)

// forgetAll raises the owner's floors to the numbers of all paths, and forgets everything
// else. It reports whether anything was counted.
func forgetAll(tx store.Tx, now time.Time) (counted bool, err error) {
	state, err := tx.Owner()
	if err != nil || state == (store.OwnerState{}) || state.IsDeleted() {
		return false, err
	}
	counted = state.Usage != Usage{}
	for state.Restorable > 0 {
		if n, err := dropExpired(tx, &state, never, droppedAtOnce, false); err != nil || n == 0 {
			return false, cmp.Or(err, error(Errorf(ErrCorrupt, "%d deleted files are counted and not there",
				state.Restorable)))
		}
	}
	if err := forgetNumbers(tx, &state, 0); err != nil {
		return false, err
	}
	for state.Requests > 0 {
		l, err := tx.Load(store.Query{DueBefore: never, DueAfter: never, MaxDue: requestsAtOnce})
		if err != nil {
			return false, err
		}
		n := l.Due
		if n == 0 {
			return false, Errorf(ErrCorrupt, "%d requests are counted and not there", state.Requests)
		}
		if err := tx.Forget(store.Old{Requests: n, DueBefore: never, DueAfter: never}); err != nil {
			return false, err
		}
		state.Requests = max(0, state.Requests-int64(n))
	}
	if state.Changes > 0 {
		if err := tx.Forget(store.Old{Changes: state.Revision}); err != nil {
			return false, err
		}
		state.Changes = 0
	}
	if state.FileFloor == 0 && state.LogFloor == 0 && state.Revision == 0 {
		return counted, tx.Apply(store.OwnerState{})
	}
	state.Operations = 0
	if state.Updated.Before(now) { // it never goes back
		state.Updated = now
	}
	return counted, tx.Apply(state)
}
