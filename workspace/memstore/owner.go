package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Count adds reads to the operations of owners, at one moment. It waits for the turn of
// each.
func (s *Store) Count(ctx context.Context, reads map[store.Owner]int64) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.active.Done()
	owners := slices.SortedFunc(maps.Keys(reads), func(a, b store.Owner) int {
		return cmp.Compare(a.String(), b.String()) // so that two Counts do not wait for each other
	})
	for _, o := range owners {
		leave, err := s.enter(ctx, o)
		if err != nil {
			return err
		}
		defer leave()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range owners {
		t := &tx{reader{s.rowsOf(o).Copy()}}
		if state := stateOf(t.rows); state.Usage != (store.Usage{}) {
			state.Operations += reads[o]
			t.put(store.Row{State: &state})
			s.set(o, t.rows)
		}
	}
	return nil
}

// Owners answers as of one moment. It waits for no transaction.
func (s *Store) Owners(ctx context.Context, q store.OwnersQuery) (l store.OwnerList, err error) {
	if err := s.begin(ctx); err != nil {
		return l, err
	}
	defer s.active.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	order := orderOf(q)
	for o, all := range s.owners {
		state := stateOf(all)
		u := store.OwnerUsage{Owner: o, Usage: state.Usage, Updated: state.Updated}
		switch {
		case !selects(q, o, state), q.After != nil && order(u, *q.After) <= 0:
		case q.Which == store.OwnerTotals:
			l.Totals.Add(state)
		case q.Which == store.UsedOwners:
			l.Owners = append(l.Owners, u)
		default:
			l.Owners = append(l.Owners, store.OwnerUsage{Owner: o})
		}
	}
	slices.SortFunc(l.Owners, order)
	l.Owners = l.Owners[:min(len(l.Owners), max(q.Limit, 0))]
	return l, nil
}

// selects reports whether a query is for an owner that has rows.
func selects(q store.OwnersQuery, o store.Owner, s store.OwnerState) bool {
	switch {
	case q.Which == store.AllOwners:
		return true
	case o.Tenant != q.Tenant:
		return false
	case q.Which == store.DeletedOwners:
		return s.IsDeleted() && (s.Updated.Before(q.UpdatedBefore) || s.Updated.After(q.UpdatedAfter))
	}
	return s.Usage != store.Usage{} && strings.HasPrefix(o.Agent, q.Prefix) &&
		strings.Contains(strings.ToLower(o.Agent), strings.ToLower(q.Part))
}

func orderOf(q store.OwnersQuery) func(a, b store.OwnerUsage) int {
	return func(a, b store.OwnerUsage) int {
		first := 0
		switch q.Order {
		case store.ByUpdated:
			first = b.Updated.Compare(a.Updated)
		case store.ByBytes:
			first = cmp.Compare(b.Usage.Bytes, a.Usage.Bytes)
		}
		return cmp.Or(first, cmp.Compare(a.Owner.String(), b.Owner.String()))
	}
}
