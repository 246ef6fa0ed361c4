package memstore

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A reader is a [store.Reader]. It loses its rows at the end of its transaction, so that a
// function that has kept it panics and does no harm.
type reader struct{ rows *rows }

// find returns the row at a place.
func (r *reader) find(p place) (store.Row, bool) {
	found, ok := r.rows.Get(row{place: p})
	if !ok {
		return store.Row{}, false
	}
	return own(found.Row), true
}

func (r *reader) Owner() (store.OwnerState, error) { return stateOf(r.rows), nil }

// stateOf returns the owner's state, whose row is the first one.
func stateOf(all *rows) store.OwnerState {
	if first, ok := all.Min(); ok && first.State != nil {
		return *first.State
	}
	return store.OwnerState{}
}

func (r *reader) file(path string) store.FileHead {
	if found, ok := r.find(place{part: files, path: path}); ok {
		return *found.File
	}
	return store.FileHead{Path: path}
}

// version returns a retained version, the zero Version if there is none.
func (r *reader) version(path string, n int64) store.Version {
	if found, ok := r.find(place{part: files, path: path, table: contents, number: n}); ok {
		return *found.Version
	}
	return store.Version{}
}

func (r *reader) Load(q store.Query) (l store.Loaded, err error) {
	l.Owner = stateOf(r.rows)
	if q.File != "" {
		r.loadFile(q, &l)
	}
	if q.To != "" {
		l.To = r.file(q.To)
	}
	if q.Log != "" {
		r.loadLog(q, &l)
	}
	if found, ok := r.find(place{part: requests, path: q.Request}); ok {
		l.Request = found.Request
	}
	l.Due = len(r.due(q.DueBefore, q.DueAfter, q.MaxDue))
	if err := l.Reconcile(q); err != nil {
		return store.Loaded{}, err
	}
	return l, nil
}

func (r *reader) loadFile(q store.Query, l *store.Loaded) {
	l.File = r.file(q.File)
	l.Version, l.Old = r.version(q.File, q.VersionOf(l.File)), r.version(q.File, q.OldOf(l.File))
	if q.History {
		for found := range along(r.rows.Ascend, place{part: files, path: q.File, table: contents}) {
			v := *found.Version
			v.Content = nil
			l.Versions = append(l.Versions, *own(store.Row{Version: &v}).Version)
		}
	}
	if q.Summary != nil {
		key := *q.Summary
		key.Version = cmp.Or(key.Version, l.File.Version)
		found, _ := r.find(place{part: files, path: q.File, table: summaries, summary: key})
		l.Summary = found.Summary
	}
}

func (r *reader) loadLog(q store.Query, l *store.Loaded) {
	l.Log.Path = q.Log
	if found, ok := r.find(place{part: logs, path: q.Log}); ok {
		l.Log = *found.Log
	}
	if q.Entries != nil {
		l.Entries, _ = r.Entries(q.Log, *q.Entries)
	}
	for e := range along(r.rows.Ascend, place{part: logs, path: q.Log, table: contents}) {
		if e.Entry.ID > q.Through {
			break
		}
		l.Bytes += int64(len(e.Entry.Content))
	}
}

func (r *reader) Entries(path string, q store.EntryQuery) (all []store.Entry, err error) {
	walk, from := r.rows.Ascend, q.After+1
	if q.Tail {
		walk, from = r.rows.Descend, math.MaxInt64
	}
	var bytes int64
	for e := range along(walk, place{part: logs, path: path, table: contents, number: from}) {
		bytes += int64(len(e.Entry.Content))
		if q.Limit > 0 && len(all) == q.Limit || q.MaxBytes > 0 && len(all) > 0 && bytes > q.MaxBytes {
			break
		}
		all = append(all, *own(e).Entry)
	}
	if q.Tail {
		slices.Reverse(all)
	}
	return all, nil
}

func (r *reader) Changes(after int64, limit int) (all []store.Change, err error) {
	for c := range along(r.rows.Ascend, place{part: changes, number: after + 1}) {
		if len(all) == limit {
			break
		}
		all = append(all, *c.Change)
	}
	return all, nil
}

func (r *reader) Summaries(path string) (all []store.Summary, err error) {
	for found := range along(r.rows.Ascend, place{part: files, path: path, table: summaries}) {
		s := *found.Summary
		s.Content = nil
		all = append(all, s)
	}
	return all, nil
}

func (r *reader) Scan(q store.ScanQuery) (s store.Scanned, err error) {
	switch {
	case q.Kind == store.KindLog:
		for l := range list(r.rows, logs, q.Prefix, q.After) {
			if len(s.Logs) > q.Limit {
				break
			}
			if l.Log.Exists() && l.Log.Path > q.After {
				s.Logs = append(s.Logs, *l.Log)
			}
		}
	case q.Deleted:
		s.Files = r.restorable()
	case q.Versions:
		r.scanVersions(q, &s)
	default:
		err = r.scanFiles(q, &s)
	}
	s.Cut(q.Limit)
	return s, err
}

func (r *reader) scanFiles(q store.ScanQuery, s *store.Scanned) error {
	room := q.MaxBytes
	for found := range list(r.rows, files, q.Prefix, q.After) {
		h := found.File
		if !h.Exists() || h.Path <= q.After {
			continue
		}
		room -= h.Size()
		if s.More = len(s.Files) == q.Limit || q.Contents && len(s.Files) > 0 && room < 0; s.More {
			break
		}
		file := store.File{FileHead: *own(found).File}
		if q.Contents {
			if file.Current = r.version(h.Path, h.Version); file.Current.Number == 0 {
				return store.MissingVersion(h.Version)
			}
		} else if q.Authors {
			file.Current.Author = r.version(h.Path, h.Version).Author
		}
		s.Files = append(s.Files, file)
	}
	return nil
}

func (r *reader) scanVersions(q store.ScanQuery, s *store.Scanned) {
	from, room := place{part: files, path: q.Prefix + "\xff"}, q.MaxBytes // after all paths with the prefix
	if q.After != "" {
		from = place{part: files, path: min(q.After, from.path), table: contents, number: q.Before - 1}
	}
	r.rows.Descend(row{place: from}, func(x row) bool {
		if x.part != files || !strings.HasPrefix(x.path, q.Prefix) {
			return false
		}
		if x.Version == nil {
			return true
		}
		room -= x.Version.Size
		if s.More = len(s.Files) == q.Limit || len(s.Files) > 0 && room < 0; s.More {
			return false
		}
		s.Files = append(s.Files, store.File{FileHead: r.file(x.path), Current: *own(x.Row).Version})
		return true
	})
}

// restorable returns the deleted files that retain versions.
func (r *reader) restorable() (all []store.File) {
	for f := range list(r.rows, files, "", "") {
		if f.File.Deleted && len(f.File.Sizes) > 0 {
			all = append(all, store.File{FileHead: *own(f).File})
		}
	}
	slices.SortStableFunc(all, func(a, b store.File) int { return a.Expires.Compare(b.Expires) })
	return all
}

// due returns requests that were made before from or after to, the oldest first.
func (r *reader) due(from, to time.Time, n int) (all []store.Row) {
	if n <= 0 {
		return nil
	}
	for q := range list(r.rows, requests, "", "") {
		if q.Request.Time.Before(from) || q.Request.Time.After(to) {
			all = append(all, q)
		}
	}
	slices.SortStableFunc(all, func(a, b store.Row) int { return a.Request.Time.Compare(b.Request.Time) })
	return all[:min(n, len(all))]
}
