package sqlite

import (
	"context"
	"fmt"
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
	tables := []string{"owners", "files", "versions", "summaries", "logs", "entries", "requests"}
	if c.schema >= journalSchema {
		tables = append(tables, "changes")
	}
	where := " WHERE owner " + is + " ?1"
	_, err = c.One(func(f *row.Fields) error {
		next = f.Text()
		return f.Err("name of", "an owner")
	}, "SELECT coalesce(min(owner), '') FROM (SELECT min(owner) AS owner FROM "+
		strings.Join(tables, where+" UNION ALL SELECT min(owner) FROM ")+where+")", name)
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

func (d dumper) run() error {
	for _, part := range []func() error{d.state, d.journal, d.files, d.logs, d.requests} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// each gives all rows of a query, which has the owner as its first argument. read reads one,
// and returns the words that name it.
func (d dumper) each(read func(f *row.Fields) (r store.Row, what, name string), query string, args ...any) error {
	return d.c.Each(func(f *row.Fields) error {
		if d.ctx.Err() != nil {
			return notStarted(d.ctx)
		}
		r, what, name := read(f)
		if err := f.Err(what, name); err != nil {
			return d.bad(err)
		}
		return d.fn(r)
	}, query, append([]any{d.owner}, args...)...)
}

// state gives an owner of a schema without a journal the state that a migration gives it.
func (d dumper) state() error {
	form := d.c.owners()
	return d.each(func(f *row.Fields) (store.Row, string, string) {
		s := form.Read(f, d.owner)
		if d.c.schema < journalSchema {
			s = withRevision(s)
		}
		return store.Row{State: &s}, "usage of", d.owner
	}, "SELECT "+form.Columns+" FROM owners o WHERE o.owner = ?")
}

func (d dumper) journal() error {
	if d.c.schema < journalSchema {
		return nil
	}
	return d.each(func(f *row.Fields) (store.Row, string, string) {
		c := f.Change(d.owner)
		return store.Row{Change: &c}, "change of", fmt.Sprintf("%s, %d,", d.owner, c.Revision)
	}, "SELECT "+row.ChangeColumns+" FROM changes WHERE owner = ? ORDER BY revision")
}

// paths calls fn with each path that is in one of the tables.
func (d dumper) paths(fn func(path string) error, tables ...string) error {
	return d.c.Each(func(f *row.Fields) error {
		path := f.Text()
		if err := f.Err("path of", d.owner); err != nil {
			return d.bad(err)
		}
		return fn(path)
	}, "SELECT path FROM "+strings.Join(tables,
		" WHERE owner = ?1 UNION SELECT path FROM ")+" WHERE owner = ?1 ORDER BY path", d.owner)
}

func (d dumper) files() error { return d.paths(d.file, "files", "versions", "summaries") }

func (d dumper) file(path string) error {
	if err := d.each(func(f *row.Fields) (store.Row, string, string) {
		h := f.File(d.owner)
		f.Bad = f.Bad || h.Path != path
		return store.Row{File: &h}, "head of file", path
	}, "SELECT "+row.FileColumns+" FROM files WHERE owner = ? AND path = ?", path); err != nil {
		return err
	}
	if err := d.each(func(f *row.Fields) (store.Row, string, string) {
		v := f.VersionContent(d.owner, path)
		return store.Row{Version: &v, Path: path}, "version of", fmt.Sprintf("%s, %d,", path, v.Number)
	}, "SELECT "+row.VersionColumns+", content FROM versions WHERE owner = ? AND path = ? ORDER BY version",
		path); err != nil {
		return err
	}
	return d.each(func(f *row.Fields) (store.Row, string, string) {
		s := f.Summary(d.owner, path)
		s.Content = f.Content()
		return store.Row{Summary: &s, Path: path}, "summary of", fmt.Sprintf("%s at version %d", path, s.Version)
	}, "SELECT "+row.SummaryColumns+", content FROM summaries WHERE owner = ? AND path = ? ORDER BY version, "+
		"method, model, prompt", path)
}

func (d dumper) logs() error { return d.paths(d.log, "logs", "entries") }

func (d dumper) log(path string) error {
	if err := d.each(func(f *row.Fields) (store.Row, string, string) {
		h := f.Log(d.owner)
		f.Bad = f.Bad || h.Path != path
		return store.Row{Log: &h}, "head of log", path
	}, "SELECT "+row.LogColumns+" FROM logs WHERE owner = ? AND path = ?", path); err != nil {
		return err
	}
	return d.each(func(f *row.Fields) (store.Row, string, string) {
		e := f.Entry(d.owner, path)
		return store.Row{Entry: &e, Path: path}, "entry of", fmt.Sprintf("%s, %d,", path, e.ID)
	}, "SELECT "+row.EntryColumns+", content FROM entries WHERE owner = ? AND path = ? ORDER BY entry", path)
}

func (d dumper) requests() error {
	return d.each(func(f *row.Fields) (store.Row, string, string) {
		q := f.Request(d.owner)
		return store.Row{Request: &q}, "request", q.Key
	}, "SELECT "+row.RequestColumns+" FROM requests WHERE owner = ? ORDER BY key")
}
