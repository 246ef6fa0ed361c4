package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ownerNames returns the owners that have a row in any table, from the first one after a
// name, at most limit of them.
func (c *conn) ownerNames(after string, limit int) (owners []string, err error) {
	for len(owners) < limit {
		next, err := c.nextOwner(">", after)
		if err != nil || next == "" {
			return owners, err
		}
		owners = append(owners, next)
		after = next
	}
	return owners, nil
}

// nextOwner returns the first owner with a row in any table that is > or >= a name, and ""
// if there is none. It looks once into the index of each table, whatever the owners have.
func (c *conn) nextOwner(is, name string) (next string, err error) {
	var tables []string
	for _, t := range slices.Concat(store.Tables...) {
		tables = append(tables, "SELECT min(owner) AS owner FROM "+t.Name+" WHERE owner "+is+" ?1")
	}
	_, err = c.One(func(f *row.Fields) error {
		next = f.Text()
		return f.Err("name of an owner")
	}, "SELECT coalesce(min(owner), '') FROM ("+strings.Join(tables, " UNION ALL ")+")", name)
	return next, err
}

// Dump implements [store.Store].
func (s *Store) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	return s.read(ctx, func(c *conn) error {
		return dumper{reader: reader{c: c, owner: o.String()}, ctx: ctx, fn: fn,
			bad: func(err error) error { return err }}.run()
	})
}

// A dumper reads all rows of an owner in the order of [store.Store.Dump].
type dumper struct {
	reader
	ctx context.Context
	fn  func(store.Row) error
	bad func(error) error // is told of a row that does not match its checksum, and may let the dump go on without it
}

func (d dumper) run() error { return store.DumpTables(d.paths, d.rows) }

// paths calls fn with each path that is in one of the tables.
func (d dumper) paths(in []*store.Table, fn func(path string) error) error {
	var names []string
	for _, t := range in {
		names = append(names, "SELECT path FROM "+t.Name+" WHERE owner = ?1")
	}
	return d.c.Each(func(f *row.Fields) error {
		path := f.Text()
		if err := f.Err("path of " + d.owner); err != nil {
			return d.bad(err)
		}
		return fn(path)
	}, strings.Join(names, " UNION ")+" ORDER BY path", d.owner)
}

// rows gives all rows of a table, or those of a path.
func (d dumper) rows(t *store.Table, path string) error {
	query, args := "", []any{d.owner}
	switch {
	case t == store.OwnerTable:
		query = d.c.owners().Owner
	case t.Content:
		query = row.Select(t, ", content")
	default:
		query = row.Select(t, "")
	}
	if path != "" {
		args = append(args, path)
		if !t.OfPath {
			query += " AND path = ?"
		}
	}
	if t.Key != "" {
		query += " ORDER BY " + t.Key
	}
	return d.c.Each(func(f *row.Fields) (err error) {
		if d.ctx.Err() != nil {
			return store.NotStarted(d.ctx)
		}
		r := t.New(path)
		switch {
		case path != "" && !t.OfPath:
			err = f.ReadOne(d.owner, r)
		case t != store.OwnerTable:
			err = f.Read(d.owner, r)
		default:
			*r.State, err = d.c.owners().Read(f, d.owner)
			if d.c.schema < journalSchema { // the state that a migration gives
				*r.State = withRevision(*r.State)
			}
		}
		if err != nil {
			return d.bad(err)
		}
		return d.fn(r)
	}, query, args...)
}
