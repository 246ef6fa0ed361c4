package workspace

import (
	"errors"
	"time"
)

const (
	requestAge   = 24 * time.Hour
	requestCount = 1000 // kept of an agent; the oldest goes when there are more
	requestDrops = 10   // expired ones that one write removes at most; a request from the future is expired
)

// errRepeated ends a transaction whose request was answered before.
var errRepeated = errors.New("repeated")

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
