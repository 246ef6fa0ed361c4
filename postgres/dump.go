package postgres

import (
	"context"
	"fmt"
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
func give[T any](d dumper, all []T, row func(*T) store.Row) error {
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
func pages[T, K any](d dumper, first K, limit int, query string, read func(*wire.Row) (T, error), after func(*T) K,
	row func(*T) store.Row, args ...any) error {
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
	var states []store.OwnerState
	q := d.ownerQuery(new(store.OwnerState))
	q.Row = func(row *wire.Row) error {
		s, err := readOwner(row, d.owner)
		states = append(states, s)
		return err
	}
	if err := d.do(q); err != nil {
		return err
	}
	return give(d, states, func(s *store.OwnerState) store.Row { return store.Row{State: s} })
}

func (d dumper) journal() error {
	return pages(d, int64(-1<<63), dumpRows, "SELECT "+changeColumns+" FROM changes WHERE owner = $1 AND revision > "+
		"$2 ORDER BY revision",
		func(r *wire.Row) (store.Change, error) { return readChange(r, d.owner) },
		func(c *store.Change) int64 { return c.Revision },
		func(c *store.Change) store.Row { return store.Row{Change: c} })
}

func (d dumper) requests() error {
	return pages(d, "", dumpRows, "SELECT "+requestColumns+" FROM requests WHERE owner = $1 AND key > $2 ORDER BY key",
		readRequest,
		func(q *store.Request) string { return q.Key },
		func(q *store.Request) store.Row { return store.Row{Request: q} })
}

// paths calls fn with each path that is in one of the tables.
func (d dumper) paths(fn func(path string) error, tables ...string) error {
	for after := ""; ; {
		var selects []string
		for _, t := range tables {
			selects = append(selects, fmt.Sprintf("(SELECT DISTINCT path FROM %s WHERE owner = $1 AND path > $2 "+
				"ORDER BY path LIMIT %d)", t, dumpRows))
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
	var heads []store.FileHead
	q := d.fileQuery(path, new(store.FileHead))
	q.Row = func(r *wire.Row) error {
		h, err := readFile(r)
		heads = append(heads, h)
		return err
	}
	if err := d.do(q); err != nil {
		return err
	}
	if err := give(d, heads, func(h *store.FileHead) store.Row { return store.Row{File: h} }); err != nil {
		return err
	}
	err := pages(d, int64(-1<<63), dumpVersions,
		"SELECT "+versionColumns+", content FROM versions WHERE owner = $1 AND path = $3 AND version > $2 ORDER BY "+
			"version",
		func(r *wire.Row) (store.Version, error) { return readContent(r, path) },
		func(v *store.Version) int64 { return v.Number },
		func(v *store.Version) store.Row { return store.Row{Version: v, Path: path} }, path)
	if err != nil {
		return err
	}
	var summaries []store.Summary
	if err := d.do(wire.Statement{
		SQL: "SELECT " + summaryColumns + " FROM summaries WHERE owner = $1 AND path = $2 ORDER BY version, " +
			"method, model, prompt",
		Args: []any{d.owner, path},
		Row: func(r *wire.Row) error {
			s, err := readSummary(r, path)
			summaries = append(summaries, s)
			return err
		},
	}); err != nil {
		return err
	}
	return give(d, summaries, func(s *store.Summary) store.Row { return store.Row{Summary: s, Path: path} })
}

func (d dumper) logs() error { return d.paths(d.log, "logs", "entries") }

func (d dumper) log(path string) error {
	var heads []store.LogHead
	q := d.logQuery(path, new(store.LogHead))
	q.Row = func(r *wire.Row) error {
		h, err := readLog(r)
		heads = append(heads, h)
		return err
	}
	if err := d.do(q); err != nil {
		return err
	}
	if err := give(d, heads, func(h *store.LogHead) store.Row { return store.Row{Log: h} }); err != nil {
		return err
	}
	for after := int64(-1 << 63); ; {
		var page []store.Entry
		if err := d.do(d.rawEntries(path, store.EntryQuery{After: after, Limit: dumpRows, MaxBytes: dumpBytes},
			&page)); err != nil {
			return err
		}
		if err := give(d, page, func(e *store.Entry) store.Row { return store.Row{Entry: e, Path: path} }); err != nil {
			return err
		}
		if len(page) == 0 {
			return nil
		}
		after = page[len(page)-1].ID
	}
}
