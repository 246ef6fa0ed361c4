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
	owners := slices.SortedFunc(maps.Keys(reads), func(a, b store.Owner) int {
		return cmp.Compare(a.String(), b.String()) // so that two Counts do not wait for each other
	})
	var desks []*desk
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i, d := range desks {
			s.end(owners[i], d)
		}
	}()
	for _, o := range owners {
		d, err := s.enter(ctx, o)
		if err != nil {
			return failed(err, "count reads of %s", o)
		}
		desks = append(desks, d)
	}
	for i, d := range desks {
		if d.data.state.Usage != (store.Usage{}) {
			d.data.state.Operations += reads[owners[i]]
		}
	}
	return nil
}

// Owners answers as of one moment. It waits for no transaction.
func (s *Store) Owners(ctx context.Context, q store.OwnersQuery) (l store.OwnerList, err error) {
	if err := withdrawn(ctx); err != nil {
		return l, failed(err, "owners %s", q.Tenant)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return l, failed(store.ErrClosed, "owners %s", q.Tenant)
	}
	order := orderOf(q)
	for o, d := range s.desks {
		u := store.OwnerUsage{Owner: o, Usage: d.state.Usage, Updated: d.state.Updated}
		switch {
		case !selects(q, o, d), q.After != nil && order(u, *q.After) <= 0:
		case q.Which == store.OwnerTotals:
			l.Totals.Add(d.state)
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

// selects reports whether a query is for an owner.
func selects(q store.OwnersQuery, o store.Owner, d *desk) bool {
	switch {
	case q.Which == store.AllOwners:
		return d.has
	case o.Tenant != q.Tenant:
		return false
	case q.Which == store.DeletedOwners:
		return d.state.IsDeleted() && (d.state.Updated.Before(q.UpdatedBefore) || d.state.Updated.After(q.UpdatedAfter))
	}
	return d.state.Usage != store.Usage{} && strings.HasPrefix(o.Agent, q.Prefix) &&
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
