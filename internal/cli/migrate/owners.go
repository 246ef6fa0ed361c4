package migrate

import (
	"cmp"
	"context"
	"iter"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ownersPage is how many owners are listed at once.
const ownersPage = 500

// owners returns all owners of a database, in order.
func owners(ctx context.Context, s workspace.Store) iter.Seq2[store.Owner, error] {
	return func(yield func(store.Owner, error) bool) {
		for q := (store.OwnersQuery{Which: store.AllOwners, Limit: ownersPage}); ; {
			list, err := s.Owners(ctx, q)
			if err != nil {
				yield(store.Owner{}, err)
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

// A pair is what two databases have of one thing. here is the source's, there the target's.
// nil: it has none.
type pair[T any] struct{ here, there *T }

// pairs joins two sequences in the order of compare. It ends with the first error.
func pairs[T any](here, there iter.Seq2[T, error], compare func(a, b T) int) iter.Seq2[pair[T], error] {
	return func(yield func(pair[T], error) bool) {
		nextHere, stopHere := iter.Pull2(here)
		defer stopHere()
		nextThere, stopThere := iter.Pull2(there)
		defer stopThere()
		a, errA, moreA := nextHere()
		b, errB, moreB := nextThere()
		for moreA || moreB {
			if err := cmp.Or(errA, errB); err != nil {
				yield(pair[T]{}, err)
				return
			}
			order := 0
			switch {
			case !moreB:
				order = -1
			case !moreA:
				order = 1
			default:
				order = compare(a, b)
			}
			var p pair[T]
			if order <= 0 {
				p.here = new(a)
				a, errA, moreA = nextHere()
			}
			if order >= 0 {
				p.there = new(b)
				b, errB, moreB = nextThere()
			}
			if !yield(p, nil) {
				return
			}
		}
	}
}

// ownerPairs returns the owners of both databases, in order.
func (c *copier) ownerPairs() iter.Seq2[pair[store.Owner], error] {
	return pairs(owners(c.ctx, c.from), owners(c.ctx, c.to), func(a, b store.Owner) int {
		return cmp.Compare(a.String(), b.String())
	})
}

// owner returns the owner of a pair.
func owner(p pair[store.Owner]) store.Owner { return *cmp.Or(p.here, p.there) }

// stateOf returns an owner's state as a dump has it, the zero value if there is none.
func stateOf(ctx context.Context, s workspace.Store, o store.Owner) (state store.OwnerState, err error) {
	for r, err := range dump.Rows(ctx, s, o) {
		if err != nil || r.State == nil { // the state comes first
			return state, err
		}
		return *r.State, nil
	}
	return state, nil
}
