package sqlite

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Count implements [workspace.Store].
func (s *Store) Count(ctx context.Context, reads map[workspace.Owner]int64) error {
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
	if errors.Is(err, workspace.ErrCorrupt) || err == nil && state.Usage == (workspace.Usage{}) {
		return nil
	}
	if err != nil {
		return err
	}
	state.Operations += n
	t.changed = true
	return of.SaveOwner(state)
}

// Owners implements [workspace.Store].
func (s *Store) Owners(ctx context.Context, q workspace.OwnersQuery) (owners []workspace.OwnerUsage, err error) {
	tenant := q.Tenant + "/"
	err = s.read(ctx, func(c *conn) error {
		owners = nil
		form := c.owners()
		query, args := form.List(q)
		return c.Each(func(f *row.Fields) error {
			owner := f.Text()
			state := form.Read(f, owner)
			agent := strings.TrimPrefix(owner, tenant)
			owners = append(owners, workspace.OwnerUsage{
				Owner: workspace.Owner{Tenant: q.Tenant, Agent: agent}, Usage: state.Usage, Updated: state.Updated,
			})
			return f.Err("usage of", owner)
		}, query, args...)
	})
	return owners, err
}

// Deleted implements [workspace.Store].
func (s *Store) Deleted(ctx context.Context, tenant string, from, to time.Time, limit int) (owners []workspace.Owner, err error) {
	prefix := tenant + "/"
	err = s.read(ctx, func(c *conn) error {
		owners = nil
		return c.Each(func(f *row.Fields) error {
			owner := f.Text()
			owners = append(owners, workspace.Owner{Tenant: tenant, Agent: owner[min(len(prefix), len(owner)):]})
			return f.Err("name of", "an owner")
		}, "SELECT owner FROM owners o WHERE owner > ? AND owner < ? AND NOT "+row.HoldsAnything+
			" AND requests = 0 AND deleted_files = 0 AND deleted_logs = 0 AND versions = 0 AND changes = 0 AND (updated < ? OR updated > ?) ORDER BY owner LIMIT ?",
			prefix, row.AfterPrefix(prefix), row.Micros(from), row.Micros(to), int64(limit))
	})
	return owners, err
}
