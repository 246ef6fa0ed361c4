package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var ownedTables = []string{"owners", "files", "versions", "summaries", "logs", "entries", "requests", "changes"}

// AllOwners implements [workspace.Store]. The server looks once for each owner into the
// index of each table, whatever the owners have.
func (s *Store) AllOwners(ctx context.Context, after workspace.Owner, limit int) (owners []workspace.Owner, err error) {
	from := after.String()
	if after == (workspace.Owner{}) {
		from = ""
	}
	next := func(after string) string {
		where := " WHERE owner > " + after
		return "SELECT min(owner) FROM (SELECT min(owner) AS owner FROM " +
			strings.Join(ownedTables, where+" UNION ALL SELECT min(owner) FROM ") + where + ") next"
	}
	query := "WITH RECURSIVE names (owner) AS ((" + next("$1") + ") UNION ALL SELECT (" + next("names.owner") + ") FROM names WHERE names.owner IS NOT NULL)" +
		" SELECT owner FROM names WHERE owner IS NOT NULL LIMIT $2"
	err = s.view(ctx, func(sn *snapshot) error {
		owners = nil
		return sn.do(wire.Statement{SQL: query, Args: []any{from, int64(limit)}, Row: func(row *wire.Row) error {
			name := row.Text()
			slash := strings.LastIndexByte(name, '/') // no agent's name has one
			if slash < 0 {
				return workspace.Errorf(workspace.ErrCorrupt, "the stored name %q of an owner has no tenant", name)
			}
			owners = append(owners, workspace.Owner{Tenant: name[:slash], Agent: name[slash+1:]})
			return nil
		}})
	})
	return owners, err
}

// Dump implements [workspace.Store]. If the connection is lost, Dump ends with
// [workspace.ErrBusy].
func (s *Store) Dump(ctx context.Context, o workspace.Owner, fn func(workspace.Row) error) error {
	began := false
	return s.viewOn(ctx, true, 0, func(sn *snapshot) error {
		if began {
			return workspace.Errorf(workspace.ErrBusy, "the connection was lost in the middle of a dump; try again")
		}
		d := dumper{reader: reader{runner: sn, owner: o.String()}, ctx: ctx, fn: func(r workspace.Row) error {
			began = true
			return fn(r)
		}}
		return d.run()
	})
}

// A dumper reads all rows of an owner in the order of [workspace.Store.Dump], a page at a
// time. fn runs between two pages.
type dumper struct {
	reader
	ctx context.Context
	fn  func(workspace.Row) error
}

// The sizes of a page.
const (
	dumpRows     = 500
	dumpVersions = 4 // of 1 MiB each
	dumpBytes    = 4 << 20
)

func (d dumper) run() error {
	for _, part := range []func() error{d.state, d.journal, d.files, d.logs, d.requests} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// give passes rows on.
func give[T any](d dumper, all []T, row func(*T) workspace.Row) error {
	for i := range all {
		if d.ctx.Err() != nil {
			return notStarted(d.ctx)
		}
		if err := d.fn(row(&all[i])); err != nil {
			return err
		}
	}
	return nil
}

// pages reads page after page until one has fewer rows than it may. after returns what the
// next page begins after.
func pages[T, K any](d dumper, first K, limit int, query string, read func(*wire.Row) (T, error), after func(*T) K, row func(*T) workspace.Row, args ...any) error {
	for from := first; ; {
		var page []T
		err := d.do(wire.Statement{
			SQL: fmt.Sprintf("%s LIMIT %d", query, limit), Args: append([]any{d.owner, from}, args...),
			Row: func(r *wire.Row) error {
				one, err := read(r)
				page = append(page, one)
				return err
			},
		})
		if err == nil {
			err = give(d, page, row)
		}
		if err != nil || len(page) < limit {
			return err
		}
		from = after(&page[len(page)-1])
	}
}

func (d dumper) state() error {
	var states []workspace.OwnerState
	q := d.ownerQuery(new(workspace.OwnerState))
	q.Row = func(row *wire.Row) error {
		s, err := readOwner(row, d.owner)
		states = append(states, s)
		return err
	}
	if err := d.do(q); err != nil {
		return err
	}
	return give(d, states, func(s *workspace.OwnerState) workspace.Row { return workspace.Row{State: s} })
}

func (d dumper) journal() error {
	return pages(d, int64(-1<<63), dumpRows, "SELECT "+changeColumns+" FROM changes WHERE owner = $1 AND revision > $2 ORDER BY revision",
		func(r *wire.Row) (workspace.Change, error) { return readChange(r, d.owner) },
		func(c *workspace.Change) int64 { return c.Revision },
		func(c *workspace.Change) workspace.Row { return workspace.Row{Change: c} })
}

func (d dumper) requests() error {
	return pages(d, "", dumpRows, "SELECT "+requestColumns+" FROM requests WHERE owner = $1 AND key > $2 ORDER BY key", readRequest,
		func(q *workspace.Request) string { return q.Key },
		func(q *workspace.Request) workspace.Row { return workspace.Row{Request: q} })
}

// paths calls fn with each path that is in one of the tables.
func (d dumper) paths(fn func(path string) error, tables ...string) error {
	for after := ""; ; {
		var selects []string
		for _, t := range tables {
			selects = append(selects, fmt.Sprintf("(SELECT DISTINCT path FROM %s WHERE owner = $1 AND path > $2 ORDER BY path LIMIT %d)", t, dumpRows))
		}
		var page []string
		if err := d.do(wire.Statement{
			SQL:  fmt.Sprintf("%s ORDER BY path LIMIT %d", strings.Join(selects, " UNION "), dumpRows),
			Args: []any{d.owner, after},
			Row: func(r *wire.Row) error {
				page = append(page, r.Text())
				return nil
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

func (d dumper) files() error { return d.paths(d.file, "files", "versions", "summaries") }

func (d dumper) file(path string) error {
	var heads []workspace.FileHead
	q := d.fileQuery(path, new(workspace.FileHead))
	q.Row = func(r *wire.Row) error {
		h, err := readFile(r)
		heads = append(heads, h)
		return err
	}
	if err := d.do(q); err != nil {
		return err
	}
	if err := give(d, heads, func(h *workspace.FileHead) workspace.Row { return workspace.Row{File: h} }); err != nil {
		return err
	}
	err := pages(d, int64(-1<<63), dumpVersions,
		"SELECT "+versionColumns+", content FROM versions WHERE owner = $1 AND path = $3 AND version > $2 ORDER BY version",
		func(r *wire.Row) (workspace.Version, error) { return readContent(r, path) },
		func(v *workspace.Version) int64 { return v.Number },
		func(v *workspace.Version) workspace.Row { return workspace.Row{Version: v, Path: path} }, path)
	if err != nil {
		return err
	}
	var summaries []workspace.Summary
	if err := d.do(wire.Statement{
		SQL:  "SELECT " + summaryColumns + " FROM summaries WHERE owner = $1 AND path = $2 ORDER BY version, method, model, prompt",
		Args: []any{d.owner, path},
		Row: func(r *wire.Row) error {
			s, err := readSummary(r, path)
			summaries = append(summaries, s)
			return err
		},
	}); err != nil {
		return err
	}
	return give(d, summaries, func(s *workspace.Summary) workspace.Row { return workspace.Row{Summary: s, Path: path} })
}

func (d dumper) logs() error { return d.paths(d.log, "logs", "entries") }

func (d dumper) log(path string) error {
	var heads []workspace.LogHead
	q := d.logQuery(path, new(workspace.LogHead))
	q.Row = func(r *wire.Row) error {
		h, err := readLog(r)
		heads = append(heads, h)
		return err
	}
	if err := d.do(q); err != nil {
		return err
	}
	if err := give(d, heads, func(h *workspace.LogHead) workspace.Row { return workspace.Row{Log: h} }); err != nil {
		return err
	}
	for after := int64(-1 << 63); ; {
		var page []workspace.Entry
		if err := d.do(d.rawEntries(path, workspace.EntryQuery{After: after, Limit: dumpRows, MaxBytes: dumpBytes}, &page)); err != nil {
			return err
		}
		if err := give(d, page, func(e *workspace.Entry) workspace.Row { return workspace.Row{Entry: e, Path: path} }); err != nil {
			return err
		}
		if len(page) == 0 {
			return nil
		}
		after = page[len(page)-1].ID
	}
}
