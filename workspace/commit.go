package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/registry"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Every write takes this path:
//
//  1. The method checks its arguments and makes an attempt.
//  2. commit runs one transaction of the store, see try.
//  3. The transaction loads all that the write needs in one go, and answered looks for a
//     repeated request. Then the method's own function changes a head, calls settle, and
//     saves it.
//  4. settle counts the operation, checks the quotas, numbers the change for the journal,
//     and keeps the request.
//
// For an agent that holds nothing, settle returns errNewAgent. Then commit calls admit,
// outside of transactions, and runs the transaction again.

// An attempt is one call that writes.
type attempt struct {
	now   time.Time
	key   string            // the idempotency key; "": none
	hash  [sha256.Size]byte // of the request
	stale bool              // an expired request is kept under the key
	due   int               // requests that have expired, up to requestDrops
	ops   int64             // what the call adds to the owner's operations

	deletes    bool  // it is never refused, neither for a full store nor for an archived agent
	storeBytes int64 // that the store holds, about
	admitted   bool  // an agent that holds nothing may write
	// made is the time of the version that the write makes. It is zero if the write has a key, as a
	// repeated request has no time.
	made  time.Time
	noRow bool            // the last transaction found no row of the agent
	floor *registry.Floor // above which an agent without a row begins; nil: not read yet
}

// newAttempt checks the key, and hashes the operation with all of its arguments.
func (w *Workspace) newAttempt(op, object, key string, args ...[]byte) (*attempt, error) {
	a := &attempt{key: key, now: w.svc.stamp(time.Time{})}
	if key == "" {
		return a, nil
	}
	if cause := names.Key(key); cause != "" {
		return nil, fail(ErrInvalid, op, object, "%s", cause)
	}
	h := sha256.New()
	for _, arg := range append([][]byte{[]byte(op), []byte(object)}, args...) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(arg)))
		h.Write(n[:])
		h.Write(arg)
	}
	h.Sum(a.hash[:0])
	return a, nil
}

// madeAt notes the time of the version that the write makes.
func (a *attempt) madeAt(t time.Time) {
	if a.key == "" {
		a.made = t
	}
}

// errNewAgent ends a transaction that would be the first write of an agent.
var errNewAgent = errors.New("a new agent")

// A writeFunc is what a write does in its transaction, with what was loaded for it.
type writeFunc func(store.Tx, store.Loaded) (store.Outcome, error)

// commit runs the one transaction of a write. It gives a repeated request the outcome of
// the first one. It also writes the count of reads. An agent that holds nothing is
// admitted first, outside of transactions.
func (w *Workspace) commit(ctx context.Context, a *attempt, q store.Query, fn writeFunc) (store.Outcome, error) {
	if !a.deletes {
		if err := w.svc.archive.Check(ctx, w.svc.store, w.owner); err != nil {
			return store.Outcome{}, beforeStart(err)
		}
	}
	if err := w.svc.readTotal(ctx, a); err != nil {
		return store.Outcome{}, err
	}
	out, err := w.try(ctx, a, q, fn)
	if err != errNewAgent {
		return out, err
	}
	turn, late := w.svc.total.admitting.Take(ctx, "", 1)
	if late != nil {
		return store.Outcome{}, beforeStart(late)
	}
	defer turn.Leave()
	for err == errNewAgent { // twice if the agent's row went meanwhile
		if err := w.svc.admitNewAgent(ctx, w.owner, a); err != nil {
			return store.Outcome{}, err
		}
		out, err = w.try(ctx, a, q, fn)
	}
	return out, err
}

// try runs the transaction of a write once.
func (w *Workspace) try(ctx context.Context, a *attempt, q store.Query, fn writeFunc) (store.Outcome, error) {
	var out store.Outcome
	q.Request = a.key
	q.From, q.Until, q.MaxDue = a.now.Add(-requestAge), a.now.Add(clockSkew), requestDrops
	reads := w.svc.reads.take(w.owner)
	err := w.svc.store.Update(ctx, w.owner, func(tx store.Tx) error {
		a.ops = reads + 1
		l, err := tx.Load(q)
		if err != nil {
			return err
		}
		a.due = l.Due
		if out, err = a.answered(l.Request); err == nil {
			out, err = fn(tx, l)
		}
		return err
	})
	if err == nil {
		return out, nil
	}
	w.svc.reads.add(w.owner, reads)
	if errors.Is(err, errRepeated) {
		return out, nil
	}
	if errors.Is(err, errNewAgent) {
		return store.Outcome{}, errNewAgent
	}
	return store.Outcome{}, err
}

// beforeStart returns the error of a write whose context ended before it began.
func beforeStart(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && Kind(err) == nil {
		late := or(Errorf(ErrBusy, "the deadline came before it could begin, nothing happened"), DoRetry, 0)
		late.Err = err
		return late
	}
	return err
}

// settle comes before a write saves its head. It removes requests that are expired or too
// many, counts the operation, checks the quotas, numbers the change, and keeps the request.
// c is nil if nothing changes. If there is no request to remove, it refuses before anything
// has changed: the store has nothing to undo.
func (w *Workspace) settle(tx store.Tx, a *attempt, before store.OwnerState, after *store.OwnerState, out store.Outcome,
	c *Change) error {
	a.noRow = before == (store.OwnerState{})
	if before.Usage == (Usage{}) && !a.admitted || a.noRow && a.floor == nil {
		return errNewAgent
	}
	if a.due > 0 {
		after.Requests -= int64(a.due)
		if err := tx.Forget(store.Old{Requests: a.due, From: a.now.Add(-requestAge),
			Until: a.now.Add(clockSkew)}); err != nil {
			return err
		}
		a.due = 0 // an import settles several times
	}
	if a.key != "" {
		if err := a.makeRoom(tx, after); err != nil {
			return err
		}
	}
	after.Operations += a.ops
	after.Updated = latest(a.now, before.Updated) // it never goes back, see saveVersion
	if c != nil {
		after.Updated = latest(after.Updated, c.Time)
	}
	if err := w.svc.checkRoom(a, before, *after); err != nil {
		return err
	}
	if c != nil {
		if err := w.addChange(tx, after, c); err != nil {
			return err
		}
	}
	if a.key == "" {
		return nil
	}
	return tx.Apply(store.Request{Key: a.key, Hash: a.hash, Time: a.now, Outcome: out})
}

// changeDrops is how many rows of the journal a write removes at once.
const changeDrops = 100

// addChange gives a change the next revision. The caller saves it with a head.
func (w *Workspace) addChange(tx store.Tx, state *store.OwnerState, c *Change) error {
	state.Revision++
	state.Changes++
	c.Revision, c.Author = state.Revision, w.author
	if state.Changes-changeDrops < w.svc.limits.Changes {
		return nil
	}
	oldest := state.Revision - state.Changes
	state.Changes -= changeDrops
	return tx.Forget(store.Old{Changes: oldest + changeDrops})
}

// settleDeletion is settle for a deletion, which must not be refused. If there is no room
// for the request, it is not kept, and a repetition finds nothing to delete.
func (w *Workspace) settleDeletion(tx store.Tx, a *attempt, before store.OwnerState, after *store.OwnerState,
	out store.Outcome, c *Change) error {
	with := *after
	with.Requests++
	if w.svc.limits.checkQuota(before, with) != nil {
		defer func(key string) { a.key = key }(a.key) // for another run of the transaction
		a.key = ""
	}
	return w.settle(tx, a, before, after, out, c)
}
