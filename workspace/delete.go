package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// DeleteOptions of [Workspace.DeleteFile], [Workspace.DeleteLog] and
// [Workspace.TrimLog]. The zero value sets no condition.
type DeleteOptions struct {
	IfVersion      *int64 // of a file, as in WriteOptions; a log has no versions and refuses it
	IfLast         *int64 // the last entry that the log must have, else ErrConflict; DeleteLog alone takes it; nil: any
	IdempotencyKey string // as in WriteOptions
}

// DeleteResult says what a deletion removed.
type DeleteResult struct {
	Path    string
	Deleted bool  // whether there was anything to remove
	Removed int64 // how many versions of a file, or entries of a log
}

// errLogVersion refuses a condition that a log cannot have.
func errLogVersion(op, path string) error {
	return fail(ErrInvalid, op, path, "a log has no versions; leave %s out", ArgIfVersion)
}

// errIfLast refuses a condition that only DeleteLog has.
func errIfLast(op, path string) error {
	return fail(ErrInvalid, op, path, "IfLast is a condition for the deletion of a whole log; leave it out")
}

// DeleteFile removes a file with all of its versions and summaries. It is no error if
// there is no file. A log at the same path stays. The path keeps its highest version, and
// a later file there continues above it. Errors: [ErrConflict].
func (w *Workspace) DeleteFile(ctx context.Context, path string, o DeleteOptions) (DeleteResult, error) {
	const op = "delete"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return DeleteResult{}, err
	}
	if o.IfLast != nil {
		return DeleteResult{}, errIfLast(op, path)
	}
	o.IfVersion = cloned(o.IfVersion)
	if err := checkIfVersion(op, path, o.IfVersion); err != nil {
		return DeleteResult{}, err
	}
	return w.remove(ctx, op, p, o.IfVersion, o.IdempotencyKey, store.Query{File: p.name},
		func(tx store.Tx, a *attempt, l store.Loaded) (store.Outcome, error) {
			if err := checkCondition(l.File, o.IfVersion); err != nil {
				return store.Outcome{}, err
			}
			return w.deleteFile(tx, a, l.File, l.Owner)
		})
}

// DeleteLog removes a log with all of its entries. It is no error if there is no log. A
// file at the same path stays. The path keeps the number of its last entry, and a later
// entry there continues above it. Errors: [ErrConflict] if the log's last entry is not
// IfLast. So a caller can delete a log that it has looked at, and no entry that has come since.
func (w *Workspace) DeleteLog(ctx context.Context, path string, o DeleteOptions) (DeleteResult, error) {
	const op = "delete log"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return DeleteResult{}, err
	}
	if o.IfVersion != nil {
		return DeleteResult{}, errLogVersion(op, path)
	}
	last := cloned(o.IfLast)
	return w.remove(ctx, op, p, last, o.IdempotencyKey, store.Query{Log: p.name},
		func(tx store.Tx, a *attempt, l store.Loaded) (store.Outcome, error) {
			if last != nil && l.Log.Exists() && l.Log.Last != *last {
				return store.Outcome{}, or(Errorf(ErrConflict, "its last entry is %d, not %d", l.Log.Last, *last), DoRetry,
					0)
			}
			return w.deleteLog(tx, a, l.Log, l.Owner)
		})
}

// TrimLog removes the entries of a log up to the number through, which is included. The
// others keep their numbers, and later entries continue above the last number. A log
// whose entries are all removed stays, empty. If there is no log, or the entries are gone
// already, nothing happens.
// Errors: [ErrInvalid] for a number below 1 or above that of the last entry.
func (w *Workspace) TrimLog(ctx context.Context, path string, through int64, o DeleteOptions) (DeleteResult, error) {
	const op = "delete entries of log"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return DeleteResult{}, err
	}
	if o.IfVersion != nil {
		return DeleteResult{}, errLogVersion(op, path)
	}
	if o.IfLast != nil {
		return DeleteResult{}, errIfLast(op, path)
	}
	if err := checkNumber(op, path, ArgThrough, through, 1); err != nil {
		return DeleteResult{}, err
	}
	q := store.Query{Log: p.name, Through: through}
	return w.remove(ctx, op, p, &through, o.IdempotencyKey, q,
		func(tx store.Tx, a *attempt, l store.Loaded) (store.Outcome, error) {
			return w.trimLog(tx, a, l, through)
		})
}

// remove runs a deletion with its idempotency key. number is the condition, or the last
// entry that a trim removes; nil: neither.
func (w *Workspace) remove(ctx context.Context, op string, p Path, number *int64, key string, q store.Query,
	fn func(store.Tx, *attempt, store.Loaded) (store.Outcome, error)) (DeleteResult, error) {
	a, err := w.newAttempt(op, p.name, key, conditionBytes(number))
	if err != nil {
		return DeleteResult{}, err
	}
	a.deletes = true
	out, err := w.commit(ctx, a, q, func(tx store.Tx, l store.Loaded) (store.Outcome, error) { return fn(tx, a, l) })
	if err != nil {
		return DeleteResult{}, within(op, p.name, err)
	}
	return DeleteResult{Path: p.name, Deleted: out.Number > 0, Removed: out.Count}, nil
}

func (w *Workspace) deleteFile(tx store.Tx, a *attempt, head FileHead, state store.OwnerState) (store.Outcome, error) {
	before := state
	if !head.Exists() {
		return store.Outcome{}, w.saveNothing(tx, a, before, state)
	}
	out := store.Outcome{Number: head.Version, Count: int64(len(head.Sizes))}
	if state == (store.OwnerState{}) {
		return store.Outcome{}, errNoOwner
	}
	state.Files--
	for _, size := range head.Sizes {
		state.Bytes -= size
	}
	state.Bytes -= head.Summary
	state.Versions -= int64(len(head.Sizes))
	forget := head.Summary > 0
	head.Deleted, head.Sizes, head.Summary = true, nil, 0
	if head.Updated.Before(a.now) {
		head.Updated = a.now
	}
	state.DeletedFiles++
	c := Change{Op: OpDelete, Kind: KindFile, Path: head.Path, Before: head.Version, Time: head.Updated}
	if err := w.settleDeletion(tx, a, before, &state, out, &c); err != nil {
		return store.Outcome{}, err
	}
	if err := tx.Apply(store.FileChange{Head: head, Prune: head.Version, Forget: forget, Change: c,
		Owner: state}); err != nil {
		return store.Outcome{}, err
	}
	return out, forgetOldest(tx, state)
}

func (w *Workspace) deleteLog(
	tx store.Tx, a *attempt, head store.LogHead, state store.OwnerState,
) (store.Outcome, error) {
	before := state
	if !head.Exists() {
		return store.Outcome{}, w.saveNothing(tx, a, before, state)
	}
	out := store.Outcome{Number: head.Last, Count: head.Entries()}
	if state == (store.OwnerState{}) {
		return store.Outcome{}, errNoOwner
	}
	state.Logs--
	state.Entries -= head.Entries()
	state.Bytes -= head.Bytes
	head.Deleted, head.Bytes, head.First = true, 0, head.Last+1
	if head.Updated.Before(a.now) {
		head.Updated = a.now
	}
	state.DeletedLogs++
	c := Change{Op: OpDelete, Kind: KindLog, Path: head.Path, Before: head.Last, Time: head.Updated}
	if err := w.settleDeletion(tx, a, before, &state, out, &c); err != nil {
		return store.Outcome{}, err
	}
	if err := tx.Apply(store.LogChange{Head: head, Prune: head.Last, Change: c, Owner: state}); err != nil {
		return store.Outcome{}, err
	}
	return out, forgetOldest(tx, state)
}

func (w *Workspace) trimLog(tx store.Tx, a *attempt, l store.Loaded, through int64) (store.Outcome, error) {
	head, before, state := l.Log, l.Owner, l.Owner
	if !head.Exists() {
		return store.Outcome{}, w.saveNothing(tx, a, before, state)
	}
	if through > head.Last {
		return store.Outcome{}, or(Errorf(ErrInvalid, "%s is %d, the last entry is %d", ArgThrough, through, head.Last),
			DoGiveAtMost, head.Last)
	}
	if through < head.First {
		return store.Outcome{}, w.saveNothing(tx, a, before, state)
	}
	if state == (store.OwnerState{}) {
		return store.Outcome{}, errNoOwner
	}
	size := min(l.Bytes, head.Bytes) // stored bytes may be damaged
	out := store.Outcome{Number: through, Count: through - head.First + 1}
	state.Entries -= out.Count
	state.Bytes -= size
	head.Bytes -= size
	head.First = through + 1
	if head.Updated.Before(a.now) {
		head.Updated = a.now
	}
	c := Change{Op: OpTrim, Kind: KindLog, Path: head.Path, Before: head.Last, After: head.Last, Time: head.Updated}
	if err := w.settleDeletion(tx, a, before, &state, out, &c); err != nil {
		return store.Outcome{}, err
	}
	return out, tx.Apply(store.LogChange{Head: head, Prune: through, Change: c, Owner: state})
}

// saveNothing ends a deletion that finds nothing to remove. It keeps the zero Outcome for
// a retry, but leaves no trace of an agent that holds nothing.
func (w *Workspace) saveNothing(tx store.Tx, a *attempt, before, state store.OwnerState) error {
	if before.Usage == (Usage{}) && a.key == "" {
		return nil
	}
	a.floor.Begin(&state)
	if err := w.settleDeletion(tx, a, before, &state, store.Outcome{}, nil); err != nil {
		return err
	}
	return tx.Apply(state)
}
