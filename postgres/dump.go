package postgres

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Dump implements [store.Store]. If the connection is lost, Dump ends with
// [store.ErrBusy].
func (s *Store) Dump(ctx context.Context, o store.Owner, fn func(store.Row) error) error {
	began := false
	return s.viewOn(ctx, true, 0, func(sn *snapshot) error {
		if began {
			return store.Errorf(store.ErrBusy, "the connection was lost in the middle of a dump; try again")
		}
		d := dumper{reader: reader{runner: sn, owner: o.String()}, ctx: ctx, fn: func(r store.Row) error {
			began = true
			return fn(r)
		}}
		return d.run()
	})
}

// A dumper reads all rows of an owner in the order of [store.Store.Dump], a page at a
// time. fn runs between two pages.
type dumper struct {
	reader
	ctx context.Context
	fn  func(store.Row) error
}

// dumpRows are the rows of a page.
const dumpRows = 500

// pages are the tables that are read page after page, by their first key, with the rows of a page.
// With versions of 1 MiB, or entries of 256 KiB, it has 4 MiB. Other tables have few rows of a path.
var pages = map[*store.Table]int{store.ChangeTable: dumpRows, store.VersionTable: 4, store.EntryTable: 16,
	store.RequestTable: dumpRows}

func (d dumper) run() error { return store.DumpTables(d.paths, d.rows) }

// rows gives all rows of a table, or those of a path, page after page.
func (d dumper) rows(t *store.Table, path string) error {
	query, args := selectOf(t, ""), []any(nil)
	switch {
	case t.Content:
		query = selectOf(t, withContent)
	case path != "":
		query, args = query+" AND path = $2", []any{path}
	}
	size := pages[t]
	if size > 0 {
		after := 2 // the number of the argument
		if t.OfPath {
			after = 3
		}
		query += fmt.Sprintf(" AND %s > $%d", t.Key, after)
		if args = []any{int64(math.MinInt64)}; t == store.RequestTable {
			args[0] = "" // which is no key
		}
	}
	if t.Key != "" {
		query += " ORDER BY " + t.Key
	}
	if size > 0 {
		query += fmt.Sprint(" LIMIT ", size)
	}
	for {
		var page []store.Row
		if err := d.do(d.reader.rows(t, path, query, nil, func(r store.Row) { page = append(page, r) },
			args...)); err != nil {
			return err
		}
		for _, r := range page {
			if d.ctx.Err() != nil {
				return store.NotStarted(d.ctx)
			}
			if err := d.fn(r); err != nil {
				return err
			}
		}
		if size == 0 || len(page) < size {
			return nil
		}
		_, fields := page[len(page)-1].Table()
		args[0] = fields[0]
	}
}

// paths calls fn with each path that is in one of the tables.
func (d dumper) paths(in []*store.Table, fn func(path string) error) error {
	for after := ""; ; {
		var selects []string
		for _, t := range in {
			selects = append(selects, fmt.Sprintf("(SELECT DISTINCT path FROM %s WHERE owner = $1 AND path > $2 "+
				"ORDER BY path LIMIT %d)", t.Name, dumpRows))
		}
		var page []string
		if err := d.do(wire.Statement{
			SQL:  fmt.Sprintf("%s ORDER BY path LIMIT %d", strings.Join(selects, " UNION "), dumpRows),
			Args: []any{d.owner, after},
			Row: func(r *wire.Fields) error {
				page = append(page, "")
				return r.Scan(&page[len(page)-1])
			},
		}); err != nil {
			return err
		}
		for _, path := range page {
			if err := fn(path); err != nil {
				return err
			}
		}
		if len(page) < dumpRows {
			return nil
		}
		after = page[len(page)-1]
	}
}
