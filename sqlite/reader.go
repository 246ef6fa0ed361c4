package sqlite

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// reader is a [store.Reader] on a connection that is in a transaction.
type reader struct {
	c     *conn
	owner string
}

// one reads the row that a query finds, whose key to has. It reports false if there is none.
func (r reader) one(to store.Row, query string, args ...any) (bool, error) {
	return r.c.One(func(f *row.Fields) error { return f.ReadOne(r.owner, to) }, query,
		append([]any{r.owner}, args...)...)
}

// each calls fn with each row of a table that a query finds. The query begins as that of
// [row.Select].
func (r reader) each(t *store.Table, path, query string, fn func(store.Row) error, args ...any) error {
	keys := []any{r.owner}
	if t.OfPath {
		keys = append(keys, path)
	}
	return r.c.Each(func(f *row.Fields) error {
		one := t.New(path)
		if err := f.Read(r.owner, one); err != nil {
			return err
		}
		return fn(one)
	}, query, append(keys, args...)...)
}

func (r reader) Load(q store.Query) (l store.Loaded, err error) {
	for _, part := range []func(store.Query, *store.Loaded) error{r.loadHeads, r.loadFile, r.loadLog, r.loadRequests} {
		if err := part(q, &l); err != nil {
			return store.Loaded{}, err
		}
	}
	if err := l.Reconcile(q); err != nil {
		return store.Loaded{}, err
	}
	return l, nil
}

// loadHeads reads the owner's state once, with a head if there is one to read.
func (r reader) loadHeads(q store.Query, l *store.Loaded) (err error) {
	l.File.Path, l.To.Path, l.Log.Path = q.File, q.To, q.Log
	read := false
	for _, h := range []struct {
		path, query string
		head        store.Row
	}{
		{q.File, r.c.owners().File, store.Row{File: &l.File}},
		{q.To, r.c.owners().File, store.Row{File: &l.To}},
		{q.Log, r.c.owners().Log, store.Row{Log: &l.Log}},
	} {
		if h.path == "" {
			continue
		}
		if err := r.withOwner(h.query, h.path, &l.Owner, h.head); err != nil {
			return err
		}
		read = true
	}
	if !read {
		l.Owner, err = r.Owner()
	}
	return err
}

func (r reader) loadFile(q store.Query, l *store.Loaded) (err error) {
	if n := q.VersionOf(l.File); n != 0 {
		query := selectVersions
		if q.Version == 0 && n == q.Since { // the caller has it
			query = selectReceipts
		}
		if l.Version, err = r.version(q.File, n, query); err != nil {
			return err
		}
	}
	if n := q.OldOf(l.File); n != 0 {
		if l.Old, err = r.version(q.File, n, selectVersions); err != nil {
			return err
		}
	}
	if q.History && len(l.File.Sizes) > 0 {
		if l.Versions, err = r.versions(q.File); err != nil {
			return err
		}
	}
	if q.Summary != nil {
		l.Summary, err = r.summary(q.File, *q.Summary, l.File.Version)
	}
	return err
}

func (r reader) loadLog(q store.Query, l *store.Loaded) (err error) {
	if q.Entries != nil && l.Log.Exists() {
		if l.Entries, err = r.Entries(q.Log, *q.Entries); err != nil {
			return err
		}
	}
	if q.Through > 0 {
		l.Bytes, err = r.c.Number("SELECT coalesce(sum(octet_length(content)), 0) FROM entries WHERE owner = ? AND "+
			"sha256 <> zeroblob(32) AND "+
			"path = ? AND entry <= ?",
			r.owner, q.Log, q.Through)
	}
	return err
}

func (r reader) loadRequests(q store.Query, l *store.Loaded) (err error) {
	if q.Request != "" {
		found, there := store.Request{Key: q.Request}, false
		if there, err = r.one(store.Row{Request: &found}, selectRequests+" AND key = ?", q.Request); there {
			l.Request = &found
		}
	}
	if err == nil && q.MaxDue > 0 && l.Owner.Requests > 0 {
		l.Due, err = r.due(q.DueBefore, q.DueAfter, q.MaxDue)
	}
	return err
}

func (r reader) Owner() (s store.OwnerState, err error) {
	form := r.c.owners()
	_, err = r.c.One(func(f *row.Fields) (err error) {
		s, err = form.Read(f, r.owner)
		return err
	}, form.Owner, r.owner)
	return s, err
}

// withOwner reads the owner's state and a head in one statement. Every write begins with
// it. Either may be missing.
func (r reader) withOwner(query, path string, s *store.OwnerState, head store.Row) error {
	form := r.c.owners()
	_, err := r.c.One(func(f *row.Fields) (err error) {
		both := f.Row
		if f.Row = both[:form.Width]; f.Row[0] != nil {
			*s, err = form.Read(f, r.owner)
		}
		if f.Row = both[form.Width:]; err != nil || f.Row[0] == nil {
			return err
		}
		return f.ReadOne(r.owner, head)
	}, query, r.owner, path)
	return err
}

var (
	selectVersions  = row.Select(store.VersionTable, ", content")
	selectReceipts  = row.Select(store.VersionTable, row.Receipt)
	selectSummaries = row.Select(store.SummaryTable, ", content")
	selectEntries   = row.Select(store.EntryTable, ", content")
	selectRequests  = row.Select(store.RequestTable, "")
)

// version returns the zero Version if there is none. query is selectVersions or
// selectReceipts.
func (r reader) version(path string, n int64, query string) (store.Version, error) {
	v := store.Version{Number: n}
	there, err := r.one(store.Row{Version: &v, Path: path}, query+" AND version = ?", path, n)
	if !there {
		v = store.Version{}
	}
	return v, err
}

func (r reader) versions(path string) (versions []store.Version, err error) {
	err = r.each(store.VersionTable, path, selectReceipts+" ORDER BY version",
		func(v store.Row) error {
			versions = append(versions, *v.Version)
			return nil
		})
	return versions, err
}

func (r reader) summary(path string, k store.SummaryKey, current int64) (*store.Summary, error) {
	k.Version = cmp.Or(k.Version, current)
	s := &store.Summary{SummaryKey: k}
	there, err := r.one(store.Row{Summary: s, Path: path}, selectSummaries+" AND version = ? AND method = ? AND "+
		"model = ? AND prompt = ?", path, k.Version, k.Method, k.Model, k.Prompt)
	if !there {
		s = nil
	}
	return s, err
}

func (r reader) Summaries(path string) (list []store.Summary, err error) {
	t := store.SummaryTable
	err = r.each(t, path, row.Select(t, "")+" ORDER BY "+t.Key, func(s store.Row) error {
		list = append(list, *s.Summary)
		return nil
	})
	return list, err
}

func (r reader) Scan(q store.ScanQuery) (s store.Scanned, err error) {
	end := row.AfterPrefix(q.Prefix)
	query, args := row.Files, []any{r.owner, q.Prefix, end, q.After, int64(q.Limit) + 1}
	switch {
	case q.Versions:
		query = row.KeptVersions
		args = []any{r.owner, q.Prefix, end, cmp.Or(q.After, end), q.Before, int64(q.Limit) + 1}
	case q.Kind == store.KindLog:
		query = row.Logs
	case q.Deleted:
		query, args = row.DeletedFiles, []any{r.owner, int64(q.Limit) + 1}
		q.Authors, q.Contents = false, false
	case q.Contents:
		query, args = row.CurrentFiles, append([]any{q.MaxBytes}, args...)
	case q.Authors:
		query = row.AuthoredFiles
	}
	room := q.MaxBytes
	err = r.c.Each(func(f *row.Fields) error {
		if q.Kind == store.KindLog {
			h := store.LogHead{}
			err := f.Read(r.owner, store.Row{Log: &h})
			s.Logs = append(s.Logs, h)
			return err
		}
		file := store.File{}
		err := f.Read(r.owner, store.Row{File: &file.FileHead})
		size := file.Size()
		if q.Versions && err == nil {
			err = f.Read(r.owner, store.Row{Version: &file.Current, Path: file.Path})
			size = file.Current.Size
		}
		if err != nil {
			return err
		}
		room -= size
		full := (q.Contents || q.Versions) && len(s.Files) > 0 && room < 0
		if s.More = full || len(s.Files) == q.Limit; s.More {
			return errEnough
		}
		if !q.Versions {
			err = r.scanVersion(f, q, &file)
		}
		s.Files = append(s.Files, file)
		return err
	}, query, args...)
	if err != nil && err != errEnough {
		return store.Scanned{}, err
	}
	s.Cut(q.Limit)
	return s, nil
}

// scanVersion reads the rest of the row of a file.
func (r reader) scanVersion(f *row.Fields, q store.ScanQuery, file *store.File) (err error) {
	v := &file.Current
	switch {
	case q.Contents && f.Row[len(f.Row)-1] == nil: // it is too long, or there is none
		if *v, err = r.version(file.Path, file.Version, selectVersions); err == nil && v.Number == 0 {
			err = store.MissingVersion(file.Version)
		}
	case q.Contents:
		v.Number = file.Version
		err = f.ReadOne(r.owner, store.Row{Version: v, Path: file.Path})
	case q.Authors:
		found := store.Version{Number: file.Version}
		if f.ReadOne(r.owner, store.Row{Version: &found, Path: file.Path}) == nil {
			v.Author = found.Author
		}
	}
	return err
}

// errEnough ends a scan before its last row.
var errEnough = errors.New("enough")

func (r reader) Entries(path string, q store.EntryQuery) ([]store.Entry, error) {
	order, after, next := " AND entry > ? ORDER BY entry LIMIT ?", q.After, int64(1)
	if q.Tail {
		order, after, next = " AND entry > ? ORDER BY entry DESC LIMIT ?", 0, -1
	}
	var entries []store.Entry
	var size int64
	err := r.each(store.EntryTable, path, selectEntries+order, func(found store.Row) error {
		e := *found.Entry
		size += int64(len(e.Content))
		if q.MaxBytes > 0 && size > q.MaxBytes && len(entries) > 0 {
			return errEnough
		}
		if n := len(entries); n > 0 && e.ID-entries[n-1].ID != next {
			return store.Errorf(store.ErrCorrupt, "an entry between %d and %d is missing", entries[n-1].ID, e.ID)
		}
		entries = append(entries, e)
		return nil
	}, after, cmp.Or(int64(q.Limit), -1))
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	if q.Tail {
		slices.Reverse(entries)
	}
	return entries, nil
}

// due counts requests that were made before from or after to, up to n of them.
func (r reader) due(from, to time.Time, n int) (int, error) {
	due, err := r.c.Number("SELECT count(*) FROM (SELECT 1 FROM requests WHERE owner = ?1 AND created < ?2 UNION ALL "+
		"SELECT 1 FROM requests WHERE owner = ?1 AND created > ?3 AND created >= ?2 LIMIT ?4)",
		r.owner, row.Micros(from), row.Micros(to), int64(n))
	return int(due), err
}
