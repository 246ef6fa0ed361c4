package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Count adds reads to the operations of owners, at one moment. It waits for the turn of
// each.
func (s *Store) Count(ctx context.Context, reads map[store.Owner]int64) error {
	owners := slices.Collect(maps.Keys(reads))
	sort.Slice(owners, func(i, j int) bool {
		return owners[i].String() < owners[j].String() // so that two Counts do not wait for each other
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

// Owners lists owners of a tenant, as of one moment. It waits for no transaction.
func (s *Store) Owners(ctx context.Context, q store.OwnersQuery) ([]store.OwnerUsage, error) {
	if err := withdrawn(ctx); err != nil {
		return nil, failed(err, "owners %s", q.Tenant)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, failed(store.ErrClosed, "owners %s", q.Tenant)
	}
	order := orderOf(q.Order)
	part := strings.ToLower(q.Part)
	var list []store.OwnerUsage
	for o, d := range s.desks {
		u := store.OwnerUsage{Owner: o, Usage: d.state.Usage, Updated: d.state.Updated}
		switch {
		case o.Tenant != q.Tenant, u.Usage == store.Usage{}:
		case !strings.HasPrefix(o.Agent, q.Prefix), !strings.Contains(strings.ToLower(o.Agent), part):
		case q.After != nil && order(u, *q.After) <= 0:
		default:
			list = append(list, u)
		}
	}
	sort.Slice(list, func(i, j int) bool { return order(list[i], list[j]) < 0 })
	return list[:min(len(list), max(q.Limit, 0))], nil
}

func orderOf(o store.OwnersOrder) func(a, b store.OwnerUsage) int {
	return func(a, b store.OwnerUsage) int {
		first := 0
		switch o {
		case store.ByUpdated:
			first = b.Updated.Compare(a.Updated)
		case store.ByBytes:
			first = cmp.Compare(b.Usage.Bytes, a.Usage.Bytes)
		}
		return cmp.Or(first, cmp.Compare(a.Owner.Agent, b.Owner.Agent))
	}
}
