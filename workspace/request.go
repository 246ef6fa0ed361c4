package workspace

import (
	"bytes"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	requestAge   = 24 * time.Hour
	requestCount = 1000 // kept of an agent; the oldest goes when there are more
	requestDrops = 10   // expired ones that one write removes at most; a request from the future is expired
)

// errRepeated ends a transaction whose request was answered before.
var errRepeated = errors.New("repeated")

// answered looks at the request that is kept under the key. If it is the same one, and was
// answered before, answered sets the first outcome and returns errRepeated.
func (r *run) answered() error {
	kept := r.Request
	if kept == nil {
		return nil
	}
	r.stale = r.now.Sub(kept.Time) >= requestAge || kept.Time.Sub(r.now) > clockSkew
	switch {
	case r.stale:
		return nil
	case kept.Hash != r.hash:
		return within("idempotency key", r.key,
			or(Errorf(ErrConflict, "it was used for another request"), store.DoNewKey, 0))
	}
	if r.once != nil {
		entries, err := r.tx.Entries(r.path, store.EntryQuery{After: kept.Outcome.Number - 1, Limit: 1})
		if err != nil {
			return err
		}
		r.repeated = r.Log.Exists() && len(entries) == 1 && entries[0].ID == kept.Outcome.Number &&
			entries[0].Redacted == nil && bytes.Equal(entries[0].Content, *r.once)
		if r.stale = !r.repeated; r.stale {
			return nil
		}
	}
	r.out, r.repeated = kept.Outcome, true
	return errRepeated
}

// setOnce makes the write an append that stores its entry once.
func (c *write) setOnce(entries [][]byte) {
	switch {
	case c.key != "":
		c.refuse(Errorf(ErrInvalid, "%s and an idempotency key exclude each other", store.ArgOnce))
	case len(entries) != 1:
		c.refuse(Errorf(ErrInvalid, "%s is for one entry, not %d", store.ArgOnce, len(entries)))
	default:
		c.once = &entries[0]
	}
}

// makeRoom counts the request that will be kept, if the write has a key, and returns the
// requests that have to go: those that have expired, or else the oldest if there are too many.
func (r *run) makeRoom() store.Old {
	old := store.Old{Requests: r.Due, DueBefore: r.now.Add(-requestAge), DueAfter: r.now.Add(clockSkew)}
	switch {
	case r.key == "":
	case r.stale: // the request takes the place of the expired one
		old.Requests = 0
	default:
		r.after.Requests++
		if over := int(r.after.Requests) - requestCount; r.Due == 0 && over > 0 {
			old = store.Old{Requests: over, DueBefore: never, DueAfter: never}
		}
	}
	r.after.Requests -= int64(old.Requests)
	return old
}
