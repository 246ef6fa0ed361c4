// Package fold keeps the highest numbers of what was deleted, so that none is ever given
// twice, and forgets the rest.
package fold

import (
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// MaxDeleted is how many deleted files of an agent, and how many deleted logs, keep a
// number of their own. The numbers of older ones are folded into the owner's floor.
const MaxDeleted = 10_000

// Oldest folds the numbers of deleted paths beyond MaxDeleted, and then stores the
// owner's state.
func Oldest(tx store.Tx, state store.OwnerState) error {
	if state.DeletedFiles <= MaxDeleted && state.DeletedLogs <= MaxDeleted {
		return nil
	}
	if err := fold(tx, &state, MaxDeleted); err != nil {
		return err
	}
	return tx.SaveOwner(state)
}

// fold keeps the numbers of the newest deleted files and logs, and folds those of the
// others into the owner's floors.
func fold(tx store.Tx, state *store.OwnerState, keep int64) error {
	if n := state.DeletedFiles - keep; n > 0 {
		highest, err := tx.FoldFiles(int(n))
		if err != nil {
			return err
		}
		state.FileFloor, state.DeletedFiles = max(state.FileFloor, highest), keep
	}
	if n := state.DeletedLogs - keep; n > 0 {
		highest, err := tx.FoldLogs(int(n))
		if err != nil {
			return err
		}
		state.LogFloor, state.DeletedLogs = max(state.LogFloor, highest), keep
	}
	return nil
}

// requestsAtOnce is how many requests are dropped at once.
const requestsAtOnce = 1000

// Never is a time before which every request was made.
var Never = time.Unix(1<<40, 0)

// Erase folds the numbers of all paths of the owner into its floors, and forgets the
// rest. It reports whether anything was counted.
func Erase(tx store.Tx, now time.Time) (counted bool, err error) {
	state, err := tx.Owner()
	if err != nil || state == (store.OwnerState{}) || state.IsDeleted() {
		return false, err
	}
	counted = state.Usage != store.Usage{}
	if err := fold(tx, &state, 0); err != nil {
		return false, err
	}
	for state.Requests > 0 {
		n, err := tx.DueRequests(Never, Never, requestsAtOnce)
		if err != nil {
			return false, err
		}
		if n == 0 {
			return false, store.Errorf(store.ErrCorrupt, "%d requests are counted and not there", state.Requests)
		}
		if err := tx.DropRequests(Never, Never, n); err != nil {
			return false, err
		}
		state.Requests = max(0, state.Requests-int64(n))
	}
	if state.Changes > 0 {
		if err := tx.DropChanges(state.Revision); err != nil {
			return false, err
		}
		state.Changes = 0
	}
	if state.FileFloor == 0 && state.LogFloor == 0 && state.Revision == 0 {
		return counted, tx.SaveOwner(store.OwnerState{})
	}
	state.Operations = 0
	if state.Updated.Before(now) { // it never goes back
		state.Updated = now
	}
	return counted, tx.SaveOwner(state)
}
