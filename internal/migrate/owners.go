package migrate

import (
	"context"
	"errors"
	"iter"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ownersPage is how many owners are listed at once.
const ownersPage = 500

// owners returns all owners of a database, in order.
func owners(ctx context.Context, s workspace.Store) iter.Seq2[workspace.Owner, error] {
	return func(yield func(workspace.Owner, error) bool) {
		for q := (store.OwnersQuery{Which: store.AllOwners, Limit: ownersPage}); ; {
			list, err := s.Owners(ctx, q)
			if err != nil {
				yield(workspace.Owner{}, err)
				return
			}
			for _, o := range list.Owners {
				if !yield(o.Owner, nil) {
					return
				}
				q.After = &o
			}
			if len(list.Owners) < ownersPage {
				return
			}
		}
	}
}

// A pair is an owner that the source has, or the target, or both.
type pair struct {
	owner       workspace.Owner
	here, there bool // in the source, in the target
}

// pairs returns the owners of both databases, in order.
func pairs(ctx context.Context, from, to workspace.Store) iter.Seq2[pair, error] {
	return func(yield func(pair, error) bool) {
		next, stop := iter.Pull2(owners(ctx, to))
		defer stop()
		there, err, more := next()
		for here, hereErr := range owners(ctx, from) {
			if hereErr != nil {
				yield(pair{}, hereErr)
				return
			}
			for more && err == nil && there.String() < here.String() {
				if !yield(pair{owner: there, there: true}, nil) {
					return
				}
				there, err, more = next()
			}
			if err != nil {
				yield(pair{}, err)
				return
			}
			both := more && there == here
			if !yield(pair{owner: here, here: true, there: both}, nil) {
				return
			}
			if both {
				there, err, more = next()
			}
		}
		for ; more; there, err, more = next() {
			if !yield(pair{owner: there, there: true}, err) || err != nil {
				return
			}
		}
	}
}

// errState ends a dump after the state, which comes first.
var errState = errors.New("the state was read")

// stateOf returns an owner's state as a dump has it, the zero value if there is none.
func stateOf(ctx context.Context, s workspace.Store, o workspace.Owner) (state workspace.OwnerState, err error) {
	err = s.Dump(ctx, o, func(r workspace.Row) error {
		if r.State != nil {
			state = *r.State
		}
		return errState
	})
	if err == errState {
		err = nil
	}
	return state, err
}
