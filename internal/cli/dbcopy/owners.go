package dbcopy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// owners returns all owners of a database, in order.
func owners(ctx context.Context, s workspace.Store) (all []store.Owner, err error) {
	for o, err := range store.EveryOwner(ctx, s) {
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// owners returns the owners of both databases, in order.
func (c *copier) owners() (here, there []store.Owner, err error) {
	here, err1 := owners(c.ctx, c.from)
	there, err2 := owners(c.ctx, c.to)
	return here, there, cmp.Or(err1, err2)
}

func byName(a, b store.Owner) int { return cmp.Compare(a.String(), b.String()) }

// union returns the owners of two lists in order, each once.
func union(here, there []store.Owner) []store.Owner {
	all := slices.Concat(here, there)
	slices.SortFunc(all, byName)
	return slices.Compact(all)
}

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

// states returns an owner's state in the source and in the target.
func (c *copier) states(o store.Owner) (here, there store.OwnerState, err error) {
	here, err1 := stateOf(c.ctx, c.from, o)
	there, err2 := stateOf(c.ctx, c.to, o)
	if err = errors.Join(err1, err2); err != nil {
		err = fmt.Errorf("verify %s: %w", o, err)
	}
	return here, there, err
}
