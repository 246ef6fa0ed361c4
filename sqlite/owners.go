package sqlite

import (
	"context"
	"errors"

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
	return of.put(store.Row{State: &state}, false)
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
	form := c.owners()
	query, args := form.List(q)
	err = c.Each(func(f *row.Fields) error {
		name := f.Text()
		of, err := store.ParseOwner(name)
		u := store.OwnerUsage{Owner: of}
		if q.Which == store.UsedOwners && err == nil {
			var state store.OwnerState
			state, err = form.Read(f, name)
			u.Usage, u.Updated = state.Usage, state.Updated
		}
		owners = append(owners, u)
		return err
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
		of, err := store.ParseOwner(name)
		if err != nil {
			return nil, err
		}
		owners = append(owners, store.OwnerUsage{Owner: of})
	}
	return owners, err
}

// totals adds up what the owners of a tenant have. If the sum is more than the database can
// hold, it leaves out the owners whose row is damaged, which takes several times as long. So
// a flipped bit in one owner's row does not stop the writes of all.
func (c *conn) totals(tenant string) (sum store.Totals, err error) {
	form, prefix, size := c.owners(), tenant+"/", int64(0)
	from := form.Table + " WHERE owner > ? AND owner < ? AND " + row.HoldsAnything
	args := []any{prefix, store.AfterName(prefix)}
	_, err = c.One(func(f *row.Fields) error {
		f.Scan(&sum.Agents, &sum.Files, &sum.Logs, &sum.Entries, &sum.Requests, &sum.Versions, &sum.Bytes, &size)
		return f.Err("totals of " + tenant)
	}, "SELECT count(*), coalesce(sum(files), 0), coalesce(sum(logs), 0), coalesce(sum(entries), 0), "+
		"coalesce(sum(requests), 0), coalesce(sum(versions), 0), coalesce(sum(bytes), 0), "+
		"(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) FROM "+from, args...)
	if err == nil && max(sum.Files, sum.Logs, sum.Entries, sum.Versions, sum.Requests, sum.Bytes) <= size {
		return sum, nil
	}
	sum = store.Totals{}
	err = c.Each(func(f *row.Fields) error {
		if s, err := form.Read(f, f.Text()); err == nil {
			sum.Add(s)
		}
		return nil
	}, "SELECT owner, "+form.Columns+" FROM "+from, args...)
	return sum, err
}
