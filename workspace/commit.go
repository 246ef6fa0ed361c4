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

const (
	requestAge   = 24 * time.Hour
	requestCount = 1000 // kept of an agent; the oldest goes when there are more
	requestDrops = 10   // expired ones that one write removes at most; a request from the future is expired
)

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

// errRepeated ends a transaction whose request was answered before.
var errRepeated = errors.New("repeated")

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

// answered returns errRepeated and the first outcome for a request that was answered
// before.
func (a *attempt) answered(tx Reader) (Outcome, error) {
	a.stale = false
	if a.key == "" {
		return Outcome{}, nil
	}
	kept, err := tx.Request(a.key)
	switch {
	case errors.Is(err, ErrNotFound):
		return Outcome{}, nil
	case err != nil:
		return Outcome{}, err
	case a.now.Sub(kept.Time) >= requestAge, kept.Time.Sub(a.now) > clockSkew:
		a.stale = true
		return Outcome{}, nil
	case kept.Hash != a.hash:
		return Outcome{}, within("idempotency key", a.key, Errorf(ErrConflict, "it was used for another request").or(DoNewKey, 0))
	}
	return kept.Outcome, errRepeated
}

// settle is the end of every write. It removes expired requests, counts the operation,
// checks the quotas, and keeps the request. If no request has expired, it refuses before
// it changes anything.
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

// makeRoom counts the request that will be kept. It takes the place of the expired one
// under its key, or of the oldest one if there are too many.
func (a *attempt) makeRoom(tx Tx, state *OwnerState) error {
	if a.stale {
		_, err := tx.Request(a.key)
		if err == nil || !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	if over := int(state.Requests) + 1 - requestCount; over > 0 {
		if err := dropAnyRequests(tx, state, over); err != nil {
			return err
		}
	}
	state.Requests++
	return nil
}

// dropRequests removes requests that have expired: those from before the time from, and
// those from after the time to, which came from a clock that was set back since.
func dropRequests(tx Tx, state *OwnerState, from, to time.Time, n int) error {
	dropped, err := tx.DropRequests(from, to, n)
	state.Requests -= int64(dropped)
	return err
}

// dropAnyRequests removes the oldest requests.
func dropAnyRequests(tx Tx, state *OwnerState, n int) error {
	never := time.Unix(1<<40, 0)
	return dropRequests(tx, state, never, never, n)
}
