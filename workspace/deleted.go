package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A deleted file keeps its versions until its head expires, and at most maxRestorable deleted
// files of an agent do. From then on nobody can read them, whatever the store still has. The
// agent's next writes remove them, and DropExpired does.

const (
	maxRestorable = 1000 // deleted files of an agent that keep versions
	expiredAtOnce = 10   // of them that one write removes after their time
	droppedAtOnce = 100  // of them that one transaction of DropExpired removes
)

// deleted returns the head of a file that is deleted at a time. It keeps what h retains for a
// while; 0: it keeps nothing.
func (r *run) deleted(h FileHead, at time.Time, keep time.Duration) FileHead {
	d := emptied(h)
	if d.Updated = at; keep > 0 && len(h.Sizes) > 0 {
		d.Sizes, d.Runs = h.Sizes, h.Runs
		d.Deleter, d.Expires = stored(r.w.author), at.Add(keep).UTC().Truncate(time.Microsecond)
	}
	return d
}

// emptied returns the head of a deleted file that keeps nothing.
func emptied(h FileHead) FileHead {
	return FileHead{Path: h.Path, Version: h.Version, Deleted: true, Created: h.Created, Updated: h.Updated}
}

// unexpired returns the head without versions whose time is over.
func unexpired(h FileHead, now time.Time) FileHead {
	if h.Deleted && !h.Restorable(now) {
		return emptied(h)
	}
	return h
}

// readable reports whether somebody may see versions of a path.
func readable(h FileHead, now time.Time) bool { return h.Exists() || h.Restorable(now) }

// restorable returns the newest version of a deleted file that has its content; 0: none can be
// restored. The sizes do not tell a redacted version from an empty one.
func restorable(r store.Reader, h FileHead, now time.Time) (int64, error) {
	if !h.Restorable(now) {
		return 0, nil
	}
	if h.Sizes[len(h.Sizes)-1] > 0 {
		return h.Last(), nil
	}
	l, err := r.Load(store.Query{File: h.Path, History: true})
	for _, v := range slices.Backward(l.Versions) {
		if v.Redacted == nil {
			return v.Number, err
		}
	}
	return 0, err
}

// deleteAgain deletes what is kept of a file that was deleted before, if that is for good.
func (r *run) deleteAgain(forGood bool) error {
	h := r.File
	if !forGood || len(h.Sizes) == 0 {
		return r.saveNothing()
	}
	if h.Restorable(r.now) { // else it is as if nothing was there
		r.out = store.Outcome{Number: h.Version, Count: int64(len(h.Sizes))}
	}
	r.countFile(h, -1)
	r.File = emptied(h)
	r.countFile(r.File, 1)
	if err := r.account(nil); err != nil {
		return err
	}
	return r.tx.Apply(store.FileChange{Head: r.File, Prune: h.Version, Scrub: true, Owner: r.Owner})
}

// drop removes what is kept of a deleted file. The change is not one of the journal, because
// nobody had the file any more.
func drop(tx store.Tx, state *store.OwnerState, h FileHead, scrub bool) error {
	countFile(state, h, -1)
	countFile(state, emptied(h), 1)
	return tx.Apply(store.FileChange{Head: emptied(h), Prune: h.Version, Scrub: scrub, Owner: *state})
}

// dropExpired removes what is kept of at most n deleted files whose time is over, and sets the
// time of the next one. The caller stores the state. It reports how many it removed.
func dropExpired(tx store.Tx, state *store.OwnerState, now time.Time, n int, scrub bool) (dropped int64, err error) {
	page, err := tx.Scan(store.ScanQuery{Kind: KindFile, Deleted: true, Limit: n + 1})
	if err != nil {
		return 0, err
	}
	next := time.Time{}
	for i, f := range page.Files {
		if i == n || f.Restorable(now) {
			next = f.Expires
			break
		}
		if err := drop(tx, state, f.FileHead, scrub); err != nil {
			return dropped, err
		}
		dropped++
	}
	state.NextExpiry = next
	return dropped, nil
}

// forgetExpired removes some of what is kept of deleted files after its time.
func (r *run) forgetExpired() error {
	state := r.Owner
	if state.NextExpiry.IsZero() || r.now.Before(state.NextExpiry) && !r.nextGone {
		return nil
	}
	if _, err := dropExpired(r.tx, &state, r.now, expiredAtOnce, false); err != nil {
		return err
	}
	r.Owner = state
	return r.tx.Apply(state)
}

// dropOldest removes what is kept of deleted files, those whose time ends first, until the agent
// has room for the change that is being made. It never touches what the run changes. A project
// takes nothing away.
func (r *run) dropOldest(before store.OwnerState) error {
	is, most := &r.after, max(r.w.limits().Bytes, charged(before))
	if r.w.project != "" {
		return nil
	}
	over := func() bool {
		return is.Restorable > maxRestorable || !r.deletes && charged(*is) > most
	}
	if charged(*is)-is.DeletedBytes-is.Versions*store.VersionCharge > most && is.Restorable <= maxRestorable {
		return nil // it would not be enough
	}
	const page = 50
	for dropped := true; dropped && over(); {
		dropped = false
		oldest, err := r.tx.Scan(store.ScanQuery{Kind: KindFile, Deleted: true, Limit: page})
		if err != nil {
			return err
		}
		for _, f := range oldest.Files {
			if f.Path == r.File.Path || f.Path == r.To.Path || !over() {
				continue
			}
			r.nextGone = r.nextGone || f.Expires.Equal(is.NextExpiry)
			if err := drop(r.tx, is, f.FileHead, false); err != nil {
				return err
			}
			dropped = true
		}
	}
	return nil
}

// DropExpired removes what stores keep of deleted files whose time is over, of all agents of all
// tenants. It returns how many files these were. With scrub, their content leaves the database
// file as redacted content does. Nobody could read them before either.
// Errors: those of the store.
func DropExpired(ctx context.Context, s Store, now time.Time, scrub bool) (files int64, err error) {
	err = eachExpiry(ctx, s, func(o store.Owner, next time.Time) error {
		for more := !next.After(now); more; {
			var n int64
			err := s.Update(ctx, o, func(tx store.Tx) error {
				n = 0
				state, err := tx.Owner()
				if err != nil || state.NextExpiry.IsZero() {
					return err
				}
				if n, err = dropExpired(tx, &state, now, droppedAtOnce, scrub); err != nil {
					return err
				}
				return tx.Apply(state)
			})
			if err != nil {
				return err
			}
			files += n
			more = n == droppedAtOnce
		}
		return nil
	})
	return files, within("drop", "expired deletions", err)
}

// HasExpired reports how many agents of all tenants have deleted files whose time is over.
func HasExpired(ctx context.Context, s Store, now time.Time) (agents int64, err error) {
	err = eachExpiry(ctx, s, func(_ store.Owner, next time.Time) error {
		if !next.After(now) {
			agents++
		}
		return nil
	})
	return agents, within("look for", "expired deletions", err)
}

// eachExpiry calls fn for each owner that has deleted files with versions, with the first time
// at which one of them expires.
func eachExpiry(ctx context.Context, s Store, fn func(o store.Owner, next time.Time) error) (failed error) {
	for o, err := range store.EveryOwner(ctx, s) {
		if err != nil {
			return errors.Join(failed, err)
		}
		var state store.OwnerState
		err := s.View(ctx, o, func(r store.Reader) (err error) {
			state, err = r.Owner()
			return err
		})
		if err == nil && !state.NextExpiry.IsZero() {
			err = fn(o, state.NextExpiry)
		}
		if err != nil { // one that is damaged is not in the way of the others
			failed = errors.Join(failed, fmt.Errorf("%s: %w", o, err))
		}
		if ctx.Err() != nil {
			return failed
		}
	}
	return failed
}
