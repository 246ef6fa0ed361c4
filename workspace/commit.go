package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/floors"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// Every write takes this path:
//
//  1. The method checks its arguments and makes an attempt.
//  2. commit runs one transaction of the store, see try.
//  3. In the transaction, answered looks for a repeated request. Then the method's own
//     function reads a head, changes it, calls settle, and saves it.
//  4. settle counts the operation, checks the quotas and keeps the request.
//
// For an agent that holds nothing, settle returns errNewAgent. Then commit calls admit,
// outside of transactions, and runs the transaction again.

// An attempt is one call that writes.
type attempt struct {
	now   time.Time
	key   string            // the idempotency key; "": none
	hash  [sha256.Size]byte // of the request
	stale bool              // an expired request is kept under the key
	ops   int64             // what the call adds to the owner's operations

	deletes    bool          // it is never refused because the store is full
	storeBytes int64         // that the store holds, about
	admitted   bool          // an agent that holds nothing may write
	noRow      bool          // the last transaction found no row of the agent
	floor      *floors.Floor // above which an agent without a row begins; nil: not read yet
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

// errNewAgent ends a transaction that would be the first write of an agent.
var errNewAgent = errors.New("a new agent")

// commit runs the one transaction of a write. It gives a repeated request the outcome of
// the first one. It also writes the count of reads. An agent that holds nothing is
// admitted first, outside of transactions.
func (w *Workspace) commit(ctx context.Context, a *attempt, fn func(Tx) (Outcome, error)) (Outcome, error) {
	if err := w.svc.readTotal(ctx, a); err != nil {
		return Outcome{}, err
	}
	out, err := w.try(ctx, a, fn)
	if err != errNewAgent {
		return out, err
	}
	if err := w.svc.total.admitting.Take(ctx); err != nil {
		return Outcome{}, beforeStart(err)
	}
	defer w.svc.total.admitting.Give()
	for err == errNewAgent { // twice if the agent's row went meanwhile
		if err := w.svc.admit(ctx, w.owner, a); err != nil {
			return Outcome{}, err
		}
		out, err = w.try(ctx, a, fn)
	}
	return out, err
}

// try runs the transaction of a write once.
func (w *Workspace) try(ctx context.Context, a *attempt, fn func(Tx) (Outcome, error)) (Outcome, error) {
	var out Outcome
	reads := w.svc.reads.Take(w.owner)
	err := w.svc.store.Update(ctx, w.owner, func(tx Tx) (err error) {
		a.ops = reads + 1
		if out, err = a.answered(tx); err == nil {
			out, err = fn(tx)
		}
		return err
	})
	if err == nil {
		return out, nil
	}
	w.svc.reads.Add(w.owner, reads)
	if errors.Is(err, errRepeated) {
		return out, nil
	}
	if errors.Is(err, errNewAgent) {
		return Outcome{}, errNewAgent
	}
	return Outcome{}, err
}

// beforeStart returns the error of a write whose context ended before it began.
func beforeStart(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && Kind(err) == nil {
		late := Errorf(ErrBusy, "the deadline came before it could begin, nothing happened").or(DoRetry, 0)
		late.Err = err
		return late
	}
	return err
}

// settle comes before a write saves its head. It removes requests that are expired or too
// many, counts the operation, checks the quotas, and keeps the request. If there is no
// request to remove, it refuses before anything has changed: the store has nothing to undo.
func (w *Workspace) settle(tx Tx, a *attempt, before OwnerState, after *OwnerState, out Outcome) error {
	a.noRow = before == (OwnerState{})
	if before.Usage == (Usage{}) && !a.admitted || a.noRow && a.floor == nil {
		return errNewAgent
	}
	if after.Requests > 0 {
		if err := dropRequests(tx, after, a.now.Add(-requestAge), a.now.Add(clockSkew), requestDrops); err != nil {
			return err
		}
	}
	if a.key != "" {
		if err := a.makeRoom(tx, after); err != nil {
			return err
		}
	}
	after.Operations += a.ops
	after.Updated = a.now
	if err := w.svc.checkRoom(a, before, *after); err != nil || a.key == "" {
		return err
	}
	return tx.SaveRequest(Request{Key: a.key, Hash: a.hash, Time: a.now, Outcome: out})
}

// settleDeletion is settle for a deletion, which must not be refused. If there is no room
// for the request, it is not kept, and a repetition finds nothing to delete.
func (w *Workspace) settleDeletion(tx Tx, a *attempt, before OwnerState, after *OwnerState, out Outcome) error {
	with := *after
	with.Requests++
	if w.svc.limits.checkQuota(before, with) != nil {
		defer func(key string) { a.key = key }(a.key) // for another run of the transaction
		a.key = ""
	}
	return w.settle(tx, a, before, after, out)
}
