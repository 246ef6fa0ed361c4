package sqlite

import (
	"context"
	"errors"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Count implements [store.Store].
func (s *Store) Count(ctx context.Context, reads map[store.Owner]int64) error {
	return s.write(ctx, "", func(t *tx) error {
		for o, n := range reads {
			if err := t.count(o.String(), n); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tx) count(owner string, n int64) error {
	of := tx{reader: reader{c: t.c, owner: owner}}
	state, err := of.Owner()
	if errors.Is(err, store.ErrCorrupt) || err == nil && state.Usage == (store.Usage{}) {
		return nil
	}
	if err != nil {
		return err
	}
	state.Operations += n
	t.changed = true
	return of.saveOwner(state)
}

// Owners implements [store.Store].
func (s *Store) Owners(ctx context.Context, q store.OwnersQuery) (l store.OwnerList, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		l = store.OwnerList{}
		switch q.Which {
		case store.OwnerTotals:
			l.Totals, err = c.totals(q.Tenant)
		case store.AllOwners:
			l.Owners, err = c.allOwners(q)
		default:
			l.Owners, err = c.ownersOf(q)
		}
		return err
	})
	return l, err
}

// ownersOf lists owners of a tenant.
func (c *conn) ownersOf(q store.OwnersQuery) (owners []store.OwnerUsage, err error) {
	form, tenant := c.owners(), q.Tenant+"/"
	query, args := form.List(q)
	err = c.Each(func(f *row.Fields) error {
		owner := f.Text()
		u := store.OwnerUsage{Owner: store.Owner{Tenant: q.Tenant, Agent: strings.TrimPrefix(owner, tenant)}}
		if q.Which == store.UsedOwners {
			state := form.Read(f, owner)
			u.Usage, u.Updated = state.Usage, state.Updated
		}
		owners = append(owners, u)
		return f.Err("usage of", owner)
	}, query, args...)
	return owners, err
}

// allOwners lists the owners of every tenant that have a row in any table.
func (c *conn) allOwners(q store.OwnersQuery) (owners []store.OwnerUsage, err error) {
	after := ""
	if q.After != nil {
		after = q.After.Owner.String()
	}
	names, err := c.ownerNames(after, q.Limit)
	for _, name := range names {
		slash := strings.LastIndexByte(name, '/') // no agent's name has one
		if slash < 0 {
			return nil, store.Errorf(store.ErrCorrupt, "the stored name %q of an owner has no tenant", name)
		}
		owners = append(owners, store.OwnerUsage{Owner: store.Owner{Tenant: name[:slash], Agent: name[slash+1:]}})
	}
	return owners, err
}
