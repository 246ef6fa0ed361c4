package workspace

import (
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

// answered returns errRepeated and the first outcome for a request that was answered
// before. kept is what is kept under its key; nil: nothing.
func (a *attempt) answered(kept *store.Request) (store.Outcome, error) {
	a.stale = false
	switch {
	case kept == nil:
		return store.Outcome{}, nil
	case a.now.Sub(kept.Time) >= requestAge, kept.Time.Sub(a.now) > clockSkew:
		a.stale = true
		return store.Outcome{}, nil
	case kept.Hash != a.hash:
		return store.Outcome{}, within("idempotency key", a.key,
			or(Errorf(ErrConflict, "it was used for another request"), DoNewKey, 0))
	}
	return kept.Outcome, errRepeated
}

// makeRoom counts the request that will be kept. It takes the place of the expired one
// under its key, or of the oldest one if there are too many.
func (a *attempt) makeRoom(tx store.Tx, state *store.OwnerState) error {
	if a.stale {
		l, err := tx.Load(store.Query{Request: a.key})
		if err != nil || l.Request != nil {
			return err
		}
	}
	if over := int(state.Requests) + 1 - requestCount; over > 0 {
		state.Requests -= int64(over)
		if err := tx.Forget(store.Old{Requests: over, From: never, Until: never}); err != nil {
			return err
		}
	}
	state.Requests++
	return nil
}
