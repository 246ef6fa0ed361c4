package memstore

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A file is the head of a path, its retained versions in ascending order, and its
// summaries.
type file struct {
	head      store.FileHead
	versions  []store.Version
	summaries map[store.SummaryKey]store.Summary
}

func (f *file) lists() bool { return f.head.Exists() }

// find returns a retained version with content of its own, the zero Version if there is none.
func (f *file) find(n int64) store.Version {
	i, found := f.index(n)
	if !found {
		return store.Version{}
	}
	return ownVersion(f.versions[i])
}

func (f *file) index(n int64) (int, bool) {
	return slices.BinarySearchFunc(f.versions, n, func(v store.Version, n int64) int {
		return cmp.Compare(v.Number, n)
	})
}

func (r *reader) Load(q store.Query) (l store.Loaded, err error) {
	l.Owner = r.state
	if q.File != "" {
		r.loadFile(q, &l)
	}
	if q.To != "" {
		l.To.Path = q.To
		if f := r.files.get(q.To); f != nil {
			l.To = ownHead(f.head)
		}
	}
	if q.Log != "" {
		r.loadLog(q, &l)
	}
	if kept := r.requests.get(q.Request); kept != nil {
		l.Request = new(store.Request(*kept))
	}
	if q.MaxDue > 0 {
		l.Due = len(r.due(q.DueBefore, q.DueAfter, q.MaxDue))
	}
	if err := l.Reconcile(q); err != nil {
		return store.Loaded{}, err
	}
	return l, nil
}

func (r *reader) loadFile(q store.Query, l *store.Loaded) {
	l.File.Path = q.File
	f := r.files.get(q.File)
	if f == nil {
		return
	}
	l.File = ownHead(f.head)
	l.Version, l.Old = f.find(q.VersionOf(l.File)), f.find(q.OldOf(l.File))
	if q.History {
		for _, v := range f.versions {
			v.Content = nil
			l.Versions = append(l.Versions, ownVersion(v))
		}
	}
	if q.Summary != nil {
		key := *q.Summary
		key.Version = cmp.Or(key.Version, l.File.Version)
		if s, ok := f.summaries[key]; ok {
			l.Summary = new(ownSummary(s))
		}
	}
}

func (r *reader) Scan(q store.ScanQuery) (s store.Scanned, err error) {
	if q.Kind == store.KindLog {
		for _, l := range r.logs.list(q.Prefix, q.After, q.Limit+1) {
			s.Logs = append(s.Logs, l.head)
		}
		s.Cut(q.Limit)
		return s, nil
	}
	if q.Deleted {
		s.Files = r.restorable()
		s.Cut(q.Limit)
		return s, nil
	}
	if q.Versions {
		s.Files, s.More = r.versions(q)
		return s, nil
	}
	room := q.MaxBytes
	for _, f := range r.files.list(q.Prefix, q.After, q.Limit+1) {
		room -= f.head.Size()
		if s.More = len(s.Files) == q.Limit || q.Contents && len(s.Files) > 0 && room < 0; s.More {
			break
		}
		file := store.File{FileHead: ownHead(f.head)}
		switch i, found := f.index(f.head.Version); {
		case q.Contents && !found:
			return store.Scanned{}, store.Errorf(store.ErrCorrupt, "read %s: version %d is not there", f.head.Path,
				f.head.Version)
		case q.Contents:
			file.Current = ownVersion(f.versions[i])
		case q.Authors && found:
			file.Current.Author = f.versions[i].Author
		}
		s.Files = append(s.Files, file)
	}
	return s, nil
}

// versions returns the retained versions that q selects, and whether there are more.
func (r *reader) versions(q store.ScanQuery) (list []store.File, more bool) {
	room := q.MaxBytes
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(r.files.rows))) {
		if !strings.HasPrefix(path, q.Prefix) || q.After != "" && path > q.After {
			continue
		}
		f := r.files.get(path)
		for _, v := range slices.Backward(f.versions) {
			if path == q.After && v.Number >= q.Before {
				continue
			}
			if room -= v.Size; len(list) == q.Limit || len(list) > 0 && room < 0 {
				return list, true
			}
			list = append(list, store.File{FileHead: ownHead(f.head), Current: ownVersion(v)})
		}
	}
	return list, false
}

// restorable returns the deleted files that retain versions.
func (r *reader) restorable() (files []store.File) {
	for _, f := range r.files.rows {
		if f.head.Deleted && len(f.head.Sizes) > 0 {
			files = append(files, store.File{FileHead: ownHead(f.head)})
		}
	}
	slices.SortFunc(files, func(a, b store.File) int {
		return cmp.Or(a.Expires.Compare(b.Expires), strings.Compare(a.Path, b.Path))
	})
	return files
}

// change puts a file with a new head in the place of the one at its path. fn changes the
// versions and the summaries.
func (t *tx) change(h store.FileHead, fn func(*file) error) error {
	f := &file{head: ownHead(h), summaries: map[store.SummaryKey]store.Summary{}}
	if old := t.files.get(h.Path); old != nil {
		f.versions = slices.Clone(old.versions)
		maps.Copy(f.summaries, old.summaries)
	}
	if err := fn(f); err != nil {
		return err
	}
	t.setFile(h.Path, f)
	return nil
}

// saveFile returns ErrCorrupt for a version that is not above the last one: the head that
// the caller has read does not fit the versions.
func (t *tx) saveFile(c store.FileChange) error {
	return t.change(c.Head, func(f *file) error {
		if c.Forget {
			clear(f.summaries)
		}
		if c.New != nil {
			if n := len(f.versions); n > 0 && f.versions[n-1].Number >= c.New.Number {
				return store.Errorf(store.ErrCorrupt, "save %s: version %d after version %d", c.Head.Path, c.New.Number,
					f.versions[n-1].Number)
			}
			f.versions = append(f.versions, ownVersion(*c.New))
		}
		f.versions = slices.DeleteFunc(f.versions, func(v store.Version) bool { return v.Number <= c.Prune })
		return nil
	})
}

// moveFile returns ErrCorrupt for a version that is not above the last one.
func (t *tx) moveFile(m store.FileMove) error {
	var moved []store.Version
	err := t.change(m.From, func(f *file) error {
		i := slices.IndexFunc(f.versions, func(v store.Version) bool { return v.Number > m.Above })
		if i >= 0 {
			f.versions, moved = f.versions[:i], f.versions[i:]
		}
		if len(m.From.Sizes) == 0 {
			f.versions = nil
		}
		if m.Forget {
			clear(f.summaries)
		}
		return nil
	})
	for i := range moved {
		if err == nil {
			err = t.saveFile(store.FileChange{Head: m.To, New: &moved[i]})
		}
	}
	return cmp.Or(err, t.saveFile(store.FileChange{Head: m.To, New: &m.New, Prune: m.Prune}))
}

// redact returns ErrCorrupt if there is no such version.
func (t *tx) redact(c store.VersionRedaction) error {
	return t.change(c.Head, func(f *file) error {
		i, found := f.index(c.Number)
		if !found {
			return store.Errorf(store.ErrCorrupt, "redact %s: version %d is not there", c.Head.Path, c.Number)
		}
		if c.Forget {
			clear(f.summaries)
		}
		v := f.versions[i]
		f.versions[i] = ownVersion(store.Version{Number: v.Number, Author: v.Author, Time: v.Time,
			Project: v.Project, Redacted: &c.Redaction})
		return nil
	})
}

func (r *reader) Summaries(path string) (list []store.Summary, err error) {
	f := r.files.get(path)
	if f == nil {
		return nil, nil
	}
	for _, s := range f.summaries {
		s.Content = nil
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b store.Summary) int { return dump.CompareKeys(a.SummaryKey, b.SummaryKey) })
	return list, nil
}

func (t *tx) saveSummary(c store.SummaryChange) error {
	return t.change(c.Head, func(f *file) error {
		f.summaries[c.New.SummaryKey] = ownSummary(c.New)
		return nil
	})
}
