package sqlite

import (
	"cmp"
	"errors"
	"fmt"
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

// Load reads the owner's state only once if a query has two files.
func (r reader) Load(q store.Query) (store.Loaded, error) {
	to := q.To
	if q.File != "" {
		q.To = ""
	}
	l, err := store.LoadFrom(r, q)
	if err == nil && q.To != to {
		l.To, err = r.head(to)
	}
	if err != nil {
		return store.Loaded{}, err
	}
	return l, nil
}

func (r reader) Owner() (s store.OwnerState, err error) {
	form := r.c.owners()
	_, err = r.c.One(func(f *row.Fields) error {
		s = form.Read(f, r.owner)
		return f.Err("usage of", r.owner)
	}, "SELECT "+form.Columns+" FROM owners o WHERE o.owner = ?", r.owner)
	return s, err
}

func (r reader) File(path string) (h store.FileHead, s store.OwnerState, err error) {
	h.Path = path
	err = r.withOwner(r.c.owners().File, path, &s, func(f *row.Fields) (err error) {
		h, err = f.HeadOf(r.owner, path)
		return err
	})
	return h, s, err
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

func (r reader) head(path string) (store.FileHead, error) {
	h := store.FileHead{Path: path}
	_, err := r.c.One(func(f *row.Fields) (err error) {
		h, err = f.HeadOf(r.owner, path)
		return err
	}, "SELECT "+row.FileColumns+" FROM files WHERE owner = ? AND path = ?", r.owner, path)
	return h, err
}

func (r reader) Current(path string) (store.FileHead, store.Version, error) {
	h, err := r.head(path)
	if err != nil || !h.Exists() {
		return h, store.Version{}, err
	}
	v, err := r.Version(path, h.Version)
	if errors.Is(err, store.ErrNotFound) {
		err = store.Errorf(store.ErrCorrupt, "version %d is missing", h.Version)
	}
	return h, v, err
}

func (r reader) Version(path string, n int64) (v store.Version, err error) {
	found, err := r.c.One(func(f *row.Fields) error {
		v = f.VersionContent(r.owner, path)
		f.Bad = f.Bad || v.Number != n
		return f.ErrAt("version of", path, n)
	}, "SELECT "+row.VersionColumns+", content FROM versions WHERE owner = ? AND path = ? AND version = ?", r.owner, path, n)
	if err == nil && !found {
		err = &store.Error{Op: fmt.Sprintf("version %d", n), Kind: store.ErrNotFound}
	}
	return v, err
}

func (r reader) Versions(path string) (versions []store.Version, err error) {
	err = r.c.Each(func(f *row.Fields) error {
		versions = append(versions, f.VersionReceipt(r.owner, path))
		return f.Err("version of", path)
	}, "SELECT "+row.VersionColumns+", "+row.Receipt+" FROM versions WHERE owner = ? AND path = ? ORDER BY version", r.owner, path)
	return versions, err
}

func (r reader) Summary(path string, k store.SummaryKey) (s store.Summary, err error) {
	found, err := r.c.One(func(f *row.Fields) error {
		s = f.Summary(r.owner, path)
		s.Content = f.Content()
		f.Bad = f.Bad || s.SummaryKey != k
		return f.Err("summary of", path)
	}, "SELECT "+row.SummaryColumns+", content FROM summaries WHERE owner = ? AND path = ? AND version = ? AND method = ? AND model = ? AND prompt = ?",
		r.owner, path, k.Version, k.Method, k.Model, k.Prompt)
	if err == nil && !found {
		err = &store.Error{Op: fmt.Sprintf("summary of %s at version %d", path, k.Version), Kind: store.ErrNotFound}
	}
	return s, err
}

func (r reader) Summaries(path string) (list []store.Summary, err error) {
	err = r.c.Each(func(f *row.Fields) error {
		list = append(list, f.Summary(r.owner, path))
		return f.Err("summary of", path)
	}, "SELECT "+row.SummaryColumns+" FROM summaries WHERE owner = ? AND path = ? ORDER BY version, method, model, prompt", r.owner, path)
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
	if !read {
		_, v, err = r.Current(h.Path)
	}
	return v, err
}

func (r reader) Log(path string) (h store.LogHead, s store.OwnerState, err error) {
	h.Path = path
	err = r.withOwner(r.c.owners().Log, path, &s, func(f *row.Fields) error {
		h = f.Log(r.owner)
		f.Bad = f.Bad || h.Path != path
		return f.Err("head of log", path)
	})
	return h, s, err
}

// errEnough ends a scan before its last row.
var errEnough = errors.New("enough")

func (r reader) Entries(path string, q store.EntryQuery) ([]store.Entry, error) {
	query, after, next := "SELECT "+row.EntryColumns+", content FROM entries WHERE owner = ? AND path = ? AND entry > ? ORDER BY entry LIMIT ?", q.After, int64(1)
	if q.Tail {
		query, after, next = "SELECT "+row.EntryColumns+", content FROM entries WHERE owner = ? AND path = ? AND entry > ? ORDER BY entry DESC LIMIT ?", 0, -1
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

func (r reader) EntryBytes(path string, through int64) (int64, error) {
	return r.c.Number("SELECT coalesce(sum(octet_length(content)), 0) FROM entries WHERE owner = ? AND path = ? AND entry <= ?", r.owner, path, through)
}

func (r reader) Request(key string) (q store.Request, err error) {
	found, err := r.c.One(func(f *row.Fields) error {
		q = f.Request(r.owner)
		f.Bad = f.Bad || q.Key != key
		return f.Err("request", key)
	}, "SELECT "+row.RequestColumns+" FROM requests WHERE owner = ? AND key = ?", r.owner, key)
	if err == nil && !found {
		err = &store.Error{Op: fmt.Sprintf("request %q", key), Kind: store.ErrNotFound}
	}
	return q, err
}

func (r reader) DueRequests(from, to time.Time, n int) (int, error) {
	due, err := r.c.Number("SELECT count(*) FROM (SELECT 1 FROM requests WHERE owner = ? AND created < ? LIMIT ?)", r.owner, row.Micros(from), int64(n))
	if err != nil || due >= int64(n) {
		return int(due), err
	}
	ahead, err := r.c.Number("SELECT count(*) FROM (SELECT 1 FROM requests WHERE owner = ? AND created > ? AND created >= ? LIMIT ?)",
		r.owner, row.Micros(to), row.Micros(from), int64(n)-due)
	return int(due + ahead), err
}
