package workspace

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// DeleteOptions of [Workspace.DeleteFile]. The zero value sets no condition.
type DeleteOptions struct {
	IfVersion      *int64 // as in WriteOptions; nil: any
	IdempotencyKey string // as in WriteOptions

	// ForGood removes the versions of a file at once, also if the file is deleted already. Their
	// content leaves the database file as redacted content does. A project cannot delete for good,
	// see [Workspace.From].
	ForGood bool
}

// DeleteLogOptions of [Workspace.DeleteLog]. The zero value sets no condition.
type DeleteLogOptions struct {
	IfLast         *int64 // the number of the log's last entry, else ErrConflict; nil: any
	IdempotencyKey string // as in WriteOptions
}

// TrimLogOptions of [Workspace.TrimLog].
type TrimLogOptions struct {
	IdempotencyKey string // as in WriteOptions
}

// DeleteResult says what a deletion removed, and what it has kept.
type DeleteResult struct {
	Path    string
	Deleted bool  // whether there was anything to remove
	Removed int64 // how many versions of a file, or entries of a log, were removed for good

	Versions int64     // how many versions of a deleted file are kept, for RestoreFile
	Until    time.Time // until when these versions can be restored; zero: none are kept
}

// DeleteFile deletes a file, and removes its summaries. For [Options].KeepDeleted, the retained
// versions can still be read by their numbers, and [Workspace.RestoreFile] brings them back. A
// later file at the path goes on with the retained versions. Its own versions have higher
// numbers, and another time of creation.
//
// An agent has at most 1,000 deleted files with versions. One more deletion removes the versions
// whose time ends first. So does a write that would exceed [Limits].Bytes.
//
// If there is no file, DeleteFile returns no error, unless IfVersion is above 0. A log at the
// same path stays. Errors: [ErrConflict] if the file is not at IfVersion.
func (w *Workspace) DeleteFile(ctx context.Context, path string, o DeleteOptions) (DeleteResult, error) {
	op := "delete"
	if o.ForGood {
		op = "delete for good"
	}
	c := w.newWrite(ctx, op, path, o.IdempotencyKey)
	if o.ForGood && w.project != "" {
		c.refuse(or(Errorf(ErrInvalid, "a project does not delete for good"), store.DoOutside, 0))
	}
	c.expect(o.IfVersion, 0)
	return c.remove(ctx, c.ifVersion, store.Query{File: c.path}, func(r *run) error { return r.deleteFile(o.ForGood) })
}

// DeleteLog removes a log with all of its entries. If there is no log, DeleteLog returns no
// error. A file at the same path stays. The entries of a later log at the path have higher
// numbers. With IfLast, a caller deletes only entries that it has seen. Errors:
// [ErrConflict] if the log's last entry is not IfLast.
func (w *Workspace) DeleteLog(ctx context.Context, path string, o DeleteLogOptions) (DeleteResult, error) {
	c := w.newWrite(ctx, "delete log", path, o.IdempotencyKey)
	last := o.IfLast
	if last != nil {
		last = new(*last)
	}
	return c.remove(ctx, last, store.Query{Log: c.path}, func(r *run) error {
		h := r.Log
		switch {
		case !h.Exists():
			return r.saveNothing()
		case last != nil && h.Last != *last:
			return or(Errorf(ErrConflict, "its last entry is %d, not %d", h.Last, *last), store.DoRetry, 0)
		}
		r.out = store.Outcome{Number: h.Last, Count: h.Entries()}
		h.Deleted, h.Bytes, h.First, h.Updated = true, 0, h.Last+1, latest(r.now, h.Updated)
		return r.saveLog(store.LogChange{Head: h, Prune: h.Last, Change: Change{Op: OpDelete, Before: h.Last}})
	})
}

// TrimLog removes the entries of a log up to and including the number through. The other
// entries keep their numbers, and later entries get higher ones. If all entries are removed,
// the log stays, empty. If there is no log, or the entries are gone already, TrimLog removes
// nothing and returns no error.
// Errors: [ErrInvalid] for a number below 1 or above that of the last entry.
func (w *Workspace) TrimLog(ctx context.Context, path string, through int64, o TrimLogOptions) (
	DeleteResult, error) {
	c := w.newWrite(ctx, "delete entries of log", path, o.IdempotencyKey)
	c.refuse(checkNumber(store.ArgThrough, through, 1))
	return c.remove(ctx, &through, store.Query{Log: c.path, Through: through}, func(r *run) error {
		h := r.Log
		switch {
		case !h.Exists() || through < h.First:
			return r.saveNothing()
		case through > h.Last:
			return or(Errorf(ErrInvalid, "%s is %d, the last entry is %d", store.ArgThrough, through, h.Last),
				store.DoGiveAtMost, h.Last)
		}
		r.out = store.Outcome{Number: through, Count: through - h.First + 1}
		h.Bytes -= min(r.Bytes, h.Bytes) // stored bytes may be damaged
		h.First, h.Updated = through+1, latest(r.now, h.Updated)
		c := Change{Op: OpTrim, Before: h.Last, After: h.Last}
		return r.saveLog(store.LogChange{Head: h, Prune: through, Change: c})
	})
}

// remove commits a deletion. number is the condition, or the last entry that a trim removes;
// nil: neither.
func (c *write) remove(
	ctx context.Context, number *int64, q store.Query, fn func(*run) error,
) (DeleteResult, error) {
	c.hashArgs(conditionBytes(number))
	c.deletes = true
	r, err := c.transact(ctx, q, fn)
	d := DeleteResult{Path: r.path, Deleted: r.out.Number > 0, Removed: r.out.Count}
	if r.out.Bytes > 0 { // see deleteFile
		d.Removed, d.Versions, d.Until = 0, r.out.Count, time.UnixMicro(r.out.Bytes).UTC()
	}
	return d, c.explain(ctx, err)
}

// deleteFile deletes the file that was loaded. The outcome has the time until which its versions
// are kept in place of its bytes.
func (r *run) deleteFile(forGood bool) error {
	h, keep := r.File, r.w.svc.o.KeepDeleted
	if forGood {
		keep = 0
	}
	if !h.Exists() {
		return r.deleteAgain(forGood)
	}
	if keep == 0 {
		if err := r.checkOutside(); err != nil {
			return err
		}
	}
	c := store.FileChange{Head: r.deleted(h, latest(r.now, h.Updated), keep), Change: Change{Op: OpDelete,
		Before: h.Version}}
	r.out = store.Outcome{Number: h.Version, Count: int64(len(h.Sizes))}
	if keep == 0 {
		c.Prune, c.Scrub = h.Version, forGood
	} else {
		r.out.Bytes = c.Head.Expires.UnixMicro()
	}
	return r.saveFile(c)
}

// saveNothing ends a deletion that finds nothing to remove. It keeps the zero Outcome for
// a retry, but leaves no trace of an agent that holds nothing.
func (r *run) saveNothing() error {
	if r.Owner.Usage == (Usage{}) && r.key == "" {
		return nil
	}
	if err := r.account(nil); err != nil {
		return err
	}
	return r.tx.Apply(r.Owner)
}
