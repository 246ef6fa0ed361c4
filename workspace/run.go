package workspace

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A run is one run of the transaction of a write. What it changes, its copy of the write
// included, is gone before the next run.
type run struct {
	write
	storeBytes int64             // that the store holds, about
	admitted   *store.OwnerState // the state in which an agent that holds nothing may write; nil: none
	floor      *registry.Floor   // above which an agent without a state begins

	tx           store.Tx
	store.Loaded                  // as it was loaded, with what was stored since
	after        store.OwnerState // the owner's state after the change that is being made
	stale        bool             // the request that is kept under the key has no effect any more
	nextGone     bool             // after.NextExpiry was that of a file which is not deleted any more
	ops          int64            // operations that are not counted yet
	born         time.Time        // when the file was created that a write makes again; zero: it is a new one
	out          store.Outcome
	secrets      *Secrets  // of what the write stores
	left         int64     // versions that a move leaves at the old path
	repeated     bool      // the request was answered before
	keepsAll     bool      // a new version removes no older one
	made         time.Time // of the version that was made; zero if the write has a key
	created      bool      // the write has made a file where none was
}

// try runs the transaction once.
func (first run) try(ctx context.Context, q store.Query, fn func(*run) error) (run, error) {
	q.Request = first.key
	q.DueBefore, q.DueAfter, q.MaxDue = first.now.Add(-requestAge), first.now.Add(clockSkew), requestDrops
	w, r := first.w, run{}
	reads := w.svc.reads.take(w.owner)
	err := w.svc.store.Update(ctx, w.owner, func(tx store.Tx) error {
		r = first
		r.tx, r.ops = tx, reads+1
		return r.do(q, fn)
	})
	if err == nil {
		return r, nil
	}
	w.svc.reads.add(w.owner, reads)
	switch {
	case errors.Is(err, errRepeated):
		return r, nil
	case errors.Is(err, errNewAgent):
		return r, err
	}
	return run{}, err
}

func (r *run) do(q store.Query, fn func(*run) error) error {
	if err := r.load(q); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	if err := fn(r); err != nil {
		return err
	}
	if err := r.forgetExpired(); err != nil {
		return err
	}
	return r.forgetOldest()
}

// check looks for a repeated request, and at the conditions of the write.
func (r *run) check() error {
	if err := r.answered(); err != nil {
		return err
	}
	return r.checkFile()
}

// load loads what a query asks for.
func (r *run) load(q store.Query) (err error) {
	q.History = q.History || r.w.project != "" && q.File != "" // see sinceOutside
	if r.Loaded, err = r.tx.Load(q); err != nil {
		return err
	}
	if r.after = r.Owner; r.Owner == (store.OwnerState{}) {
		if r.File.Version > 0 || r.To.Version > 0 || r.Log.Last > 0 {
			return errNoOwner
		}
		r.floor.Begin(&r.after)
	}
	return nil
}

// checkRoom refuses a change that takes the agent further over one of its limits, or the
// store further over its limit of bytes. before is the owner's state before the change.
func (r *run) checkRoom(before store.OwnerState) error {
	svc := r.w.svc
	if err := r.w.limits().checkQuota(before, r.after); err != nil || r.deletes {
		if e, ok := err.(*Error); ok && r.w.project != "" {
			e.Way.Do = store.DoOutside
		}
		return err
	}
	return svc.total.checkBytes(r.storeBytes, charged(r.after)-charged(before), r.after.DeletedBytes)
}

// changeDrops is how many rows of the journal a write removes at once.
const changeDrops = 100

// account does what every change needs before it is stored. It removes requests that are
// expired or too many, counts the operation, checks the quotas, numbers the change, and keeps
// the request with r.out. c is nil if nothing changes. If account refuses the change, the
// transaction must end, unless c is nil.
func (r *run) account(c *Change) error {
	before, after := r.Owner, &r.after
	if before.Usage == (Usage{}) && (r.admitted == nil || *r.admitted != before) {
		return errNewAgent
	}
	old := r.makeRoom()
	after.Operations += r.ops
	after.Updated = latest(r.now, before.Updated) // it never goes back, see saveVersion
	if c != nil {
		if err := r.dropOldest(before); err != nil {
			return err
		}
	}
	err := r.checkRoom(before)
	switch {
	case err != nil && !r.deletes:
		return err
	case err != nil: // a deletion always has room: its key is not kept, and a repetition finds nothing to delete
		r.key = ""
		after.Requests--
	}
	if c != nil {
		after.Updated = latest(after.Updated, c.Time)
		after.Revision++
		after.Changes++
		c.Revision, c.Author = after.Revision, r.w.author
		if after.Changes-changeDrops >= r.w.svc.o.Limits.Changes {
			after.Changes -= changeDrops
			old.Changes = after.Revision - after.Changes
		}
	}
	if err := r.checkForgotten(old); err != nil {
		return err
	}
	if old.Requests > 0 || old.Changes > 0 {
		if err := r.tx.Forget(old); err != nil {
			return err
		}
	}
	r.Owner, r.ops, r.Due = *after, 0, 0 // a write may account for several changes, as one operation
	if r.key == "" {
		return nil
	}
	return r.tx.Apply(store.Request{Key: r.key, Hash: r.hash, Time: r.now, Outcome: r.out})
}

// saveFile stores a change of the file that was loaded. It counts the file's new head.
func (r *run) saveFile(c store.FileChange) error {
	c.Forget = r.File.Summary > 0 // all of them are of earlier versions
	if err := r.accountFile(c.Head, &c.Change); err != nil {
		return err
	}
	c.Owner = r.Owner
	return r.tx.Apply(c)
}

// accountFile accounts for a change that puts a head in place of that of the file that was loaded.
func (r *run) accountFile(h FileHead, c *Change) error {
	r.countFile(r.File, -1)
	r.countFile(h, 1)
	r.File = h
	c.Kind, c.Path, c.Time = KindFile, cmp.Or(c.Path, h.Path), latest(r.now, h.Updated)
	return r.account(c)
}

// countFile counts in the owner's state what the agent has of a file, n times.
func (r *run) countFile(h FileHead, n int64) {
	r.nextGone = r.nextGone || n < 0 && h.Deleted && h.Expires.Equal(r.after.NextExpiry)
	countFile(&r.after, h, n)
}

func countFile(s *store.OwnerState, h FileHead, n int64) {
	if h.Exists() {
		s.Files += n
	}
	if h.Deleted {
		s.DeletedFiles += n
	}
	s.Versions += n * int64(len(h.Sizes))
	s.Bytes += n * (h.Kept() + h.Summary)
	if !h.Deleted || len(h.Sizes) == 0 {
		return
	}
	s.DeletedBytes += n * h.Kept()
	if s.Restorable += n; s.Restorable == 0 {
		s.NextExpiry = time.Time{}
	} else if n > 0 && (s.NextExpiry.IsZero() || h.Expires.Before(s.NextExpiry)) {
		s.NextExpiry = h.Expires
	}
}

// saveLog stores a change of the log that was loaded. It counts the log's new head.
func (r *run) saveLog(c store.LogChange) error {
	if err := r.accountLog(c.Head, &c.Change); err != nil {
		return err
	}
	c.Owner = r.Owner
	return r.tx.Apply(c)
}

// accountLog accounts for a change that puts a head in place of that of the log that was loaded.
func (r *run) accountLog(h store.LogHead, c *Change) error {
	r.countLog(r.Log, -1)
	r.countLog(h, 1)
	r.Log = h
	c.Kind, c.Path, c.Time = KindLog, h.Path, latest(r.now, h.Updated)
	return r.account(c)
}

// countLog counts in the owner's state what the agent has of a log, n times.
func (r *run) countLog(h store.LogHead, n int64) {
	if h.Exists() {
		r.after.Logs += n
	}
	if h.Deleted {
		r.after.DeletedLogs += n
	}
	r.after.Entries += n * h.Entries()
	r.after.Bytes += n * h.Bytes
}
