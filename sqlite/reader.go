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

func (r reader) Load(q store.Query) (l store.Loaded, err error) {
	for _, part := range []func(store.Query, *store.Loaded) error{r.loadHeads, r.loadFile, r.loadLog, r.loadRequests} {
		if err := part(q, &l); err != nil {
			return store.Loaded{}, err
		}
	}
	if err := l.Settle(q); err != nil {
		return store.Loaded{}, err
	}
	return l, nil
}

// loadHeads reads the owner's state once, with a head if there is one to read.
func (r reader) loadHeads(q store.Query, l *store.Loaded) (err error) {
	owner := &l.Owner // nil once it is read
	for _, f := range []struct {
		path string
		head *store.FileHead
	}{{q.File, &l.File}, {q.To, &l.To}} {
		if f.path == "" {
			continue
		}
		if *f.head, err = r.file(f.path, owner); err != nil {
			return err
		}
		owner = nil
	}
	if q.Log != "" {
		l.Log.Path = q.Log
		return r.withOwner(r.c.owners().Log, q.Log, &l.Owner, func(f *row.Fields) error {
			l.Log = f.Log(r.owner)
			f.Bad = f.Bad || l.Log.Path != q.Log
			return f.Err("head of log", q.Log)
		})
	}
	if owner != nil {
		l.Owner, err = r.Owner()
	}
	return err
}

func (r reader) loadFile(q store.Query, l *store.Loaded) (err error) {
	if n := q.VersionOf(l.File); n != 0 {
		content := "content"
		if q.Version == 0 && n == q.Since { // the caller has it
			content = row.Receipt
		}
		if l.Version, err = r.version(q.File, n, content); err != nil {
			return err
		}
	}
	if n := q.OldOf(l.File); n != 0 {
		if l.Old, err = r.version(q.File, n, "content"); err != nil {
			return err
		}
	}
	if q.History && l.File.Exists() {
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
			"path = ? AND entry <= ?",
			r.owner, q.Log, q.Through)
	}
	return err
}

func (r reader) loadRequests(q store.Query, l *store.Loaded) (err error) {
	if q.Request != "" {
		_, err = r.c.One(func(f *row.Fields) error {
			l.Request = new(f.Request(r.owner))
			f.Bad = f.Bad || l.Request.Key != q.Request
			return f.Err("request", q.Request)
		}, "SELECT "+row.RequestColumns+" FROM requests WHERE owner = ? AND key = ?", r.owner, q.Request)
	}
	if err == nil && q.MaxDue > 0 && l.Owner.Requests > 0 {
		l.Due, err = r.due(q.From, q.Until, q.MaxDue)
	}
	return err
}

func (r reader) Owner() (s store.OwnerState, err error) {
	form := r.c.owners()
	_, err = r.c.One(func(f *row.Fields) error {
		s = form.Read(f, r.owner)
		return f.Err("usage of", r.owner)
	}, "SELECT "+form.Columns+" FROM owners o WHERE o.owner = ?", r.owner)
	return s, err
}

// file reads the head of a file, and the owner's state unless owner is nil.
func (r reader) file(path string, owner *store.OwnerState) (h store.FileHead, err error) {
	h.Path = path
	head := func(f *row.Fields) (err error) {
		h, err = f.HeadOf(r.owner, path)
		return err
	}
	if owner != nil {
		err = r.withOwner(r.c.owners().File, path, owner, head)
	} else {
		_, err = r.c.One(head, "SELECT "+row.FileColumns+" FROM files WHERE owner = ? AND path = ?", r.owner, path)
	}
	return h, err
}

// withOwner reads the owner's state and a head in one statement. Every write begins with
// it. Either may be missing.
func (r reader) withOwner(query, path string, s *store.OwnerState, head func(*row.Fields) error) error {
	form := r.c.owners()
	_, err := r.c.One(func(f *row.Fields) error {
		both := f.Row
		if f.Row = both[:form.Width]; f.Row[0] != nil {
			*s = form.Read(f, r.owner)
		}
		if err := f.Err("usage of", r.owner); err != nil || both[form.Width] == nil {
			return err
		}
		f.Row = both[form.Width:]
		return head(f)
	}, query, r.owner, path)
	return err
}

// version returns the zero Version if there is none. content is the column of the content,
// or [row.Receipt].
func (r reader) version(path string, n int64, content string) (v store.Version, err error) {
	_, err = r.c.One(func(f *row.Fields) error {
		v = f.VersionContent(r.owner, path)
		f.Bad = f.Bad || v.Number != n
		return f.ErrAt("version of", path, n)
	}, "SELECT "+row.VersionColumns+", "+content+" FROM versions WHERE owner = ? AND path = ? AND version = ?", r.owner,
		path, n)
	return v, err
}

func (r reader) versions(path string) (versions []store.Version, err error) {
	err = r.c.Each(func(f *row.Fields) error {
		versions = append(versions, f.VersionReceipt(r.owner, path))
		return f.Err("version of", path)
	}, "SELECT "+row.VersionColumns+", "+row.Receipt+" FROM versions WHERE owner = ? AND path = ? ORDER BY version",
		r.owner, path)
	return versions, err
}

func (r reader) summary(path string, k store.SummaryKey, current int64) (s *store.Summary, err error) {
	k.Version = cmp.Or(k.Version, current)
	_, err = r.c.One(func(f *row.Fields) error {
		s = new(f.Summary(r.owner, path))
		s.Content = f.Content()
		f.Bad = f.Bad || s.SummaryKey != k
		return f.Err("summary of", path)
	}, "SELECT "+row.SummaryColumns+", content FROM summaries WHERE owner = ? AND path = ? AND version = ? AND "+
		"method = ? AND model = ? AND prompt = ?",
		r.owner, path, k.Version, k.Method, k.Model, k.Prompt)
	return s, err
}

func (r reader) Summaries(path string) (list []store.Summary, err error) {
	err = r.c.Each(func(f *row.Fields) error {
		list = append(list, f.Summary(r.owner, path))
		return f.Err("summary of", path)
	}, "SELECT "+row.SummaryColumns+" FROM summaries WHERE owner = ? AND path = ? ORDER BY version, method, model, "+
		"prompt", r.owner, path)
	return list, err
}

func (r reader) Scan(q store.ScanQuery) (s store.Scanned, err error) {
	query, args := row.Files, []any{r.owner, q.Prefix, row.AfterPrefix(q.Prefix), q.After, int64(q.Limit) + 1}
	switch {
	case q.Kind == store.KindLog:
		query = row.Logs
	case q.Contents:
		query, args = row.CurrentFiles, append([]any{q.MaxBytes}, args...)
	case q.Authors:
		query = row.AuthoredFiles
	}
	room := q.MaxBytes
	err = r.c.Each(func(f *row.Fields) error {
		if q.Kind == store.KindLog {
			h := f.Log(r.owner)
			s.Logs = append(s.Logs, h)
			return f.Err("head of log", h.Path)
		}
		h := f.File(r.owner)
		if err := f.Err("head of file", h.Path); err != nil {
			return err
		}
		room -= h.Size()
		if s.More = len(s.Files) == q.Limit || q.Contents && len(s.Files) > 0 && room < 0; s.More {
			return errEnough
		}
		file := store.File{FileHead: h}
		if q.Contents {
			if file.Current, err = r.currentVersion(f, h); err != nil {
				return err
			}
		} else if q.Authors {
			if v := f.Version(r.owner, h.Path); !f.Bad {
				file.Current.Author = v.Author
			}
		}
		s.Files = append(s.Files, file)
		return nil
	}, query, args...)
	if err != nil && err != errEnough {
		return store.Scanned{}, err
	}
	s.Cut(q.Limit)
	return s, nil
}

// currentVersion reads the rest of a row of [row.CurrentFiles], after its head.
func (r reader) currentVersion(f *row.Fields, h store.FileHead) (store.Version, error) {
	v, read, err := f.CurrentVersion(r.owner, h)
	if read {
		return v, err
	}
	if v, err = r.version(h.Path, h.Version, "content"); err == nil && v.Number == 0 {
		err = store.MissingVersion(h.Version)
	}
	return v, err
}

// errEnough ends a scan before its last row.
var errEnough = errors.New("enough")

func (r reader) Entries(path string, q store.EntryQuery) ([]store.Entry, error) {
	query, after, next := "SELECT "+row.EntryColumns+", content FROM entries WHERE owner = ? AND path = ? AND entry "+
		"> ? ORDER BY entry LIMIT ?", q.After, int64(1)
	if q.Tail {
		query, after, next = "SELECT "+row.EntryColumns+", content FROM entries WHERE owner = ? AND path = ? AND "+
			"entry > ? ORDER BY entry DESC LIMIT ?", 0, -1
	}
	var entries []store.Entry
	var size int64
	err := r.c.Each(func(f *row.Fields) error {
		e := f.Entry(r.owner, path)
		if err := f.ErrAt("entry of", path, e.ID); err != nil {
			return err
		}
		size += int64(len(e.Content))
		if q.MaxBytes > 0 && size > q.MaxBytes && len(entries) > 0 {
			return errEnough
		}
		if n := len(entries); n > 0 && e.ID-entries[n-1].ID != next {
			return store.Errorf(store.ErrCorrupt, "an entry between %d and %d is missing", entries[n-1].ID, e.ID)
		}
		entries = append(entries, e)
		return nil
	}, query, r.owner, path, after, cmp.Or(int64(q.Limit), -1))
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
	due, err := r.c.Number("SELECT count(*) FROM (SELECT 1 FROM requests WHERE owner = ? AND created < ? LIMIT ?)",
		r.owner, row.Micros(from), int64(n))
	if err != nil || due >= int64(n) {
		return int(due), err
	}
	ahead, err := r.c.Number("SELECT count(*) FROM (SELECT 1 FROM requests WHERE owner = ? AND created > ? AND "+
		"created >= ? LIMIT ?)",
		r.owner, row.Micros(to), row.Micros(from), int64(n)-due)
	return int(due + ahead), err
}
