// Package plain has what one owner keeps in maps, with no thought of speed. It is the
// model that the random checks of package storetest compare a store with.
package plain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Tx is all that one owner has.
type Tx struct {
	state     store.OwnerState
	files     map[string]file
	logs      map[string]log
	requests  map[string]store.Request
	summaries map[string]map[store.SummaryKey]store.Summary // by path
	changes   []store.Change
}

var (
	_ store.Tx = (*Tx)(nil)
	_ Calls    = (*Tx)(nil)
)

func (p *Tx) Apply(w store.Write) error { return Join(p).Apply(w) }

func (p *Tx) Scan(q store.ScanQuery) (store.Scanned, error) { return Join(p).Scan(q) }

func (p *Tx) ForgetDeleted(kind store.PathKind, n int) (int64, error) {
	return Join(p).ForgetDeleted(kind, n)
}

func (p *Tx) Forget(o store.Old) error { return Join(p).Forget(o) }

type file struct {
	head     store.FileHead
	versions []store.Version
}

type log struct {
	head    store.LogHead
	entries []store.Entry
}

// New returns the Tx of an owner that has nothing.
func New() *Tx {
	return &Tx{files: map[string]file{}, logs: map[string]log{}, requests: map[string]store.Request{},
		summaries: map[string]map[store.SummaryKey]store.Summary{}}
}

// Copy returns a Tx with the same contents, which later changes do not share.
func (p *Tx) Copy() *Tx {
	c := &Tx{state: p.state, files: maps.Clone(p.files), logs: maps.Clone(p.logs), requests: maps.Clone(p.requests),
		summaries: maps.Clone(p.summaries), changes: slices.Clone(p.changes)}
	for path, kept := range c.summaries {
		c.summaries[path] = maps.Clone(kept)
	}
	return c
}

func (p *Tx) Owner() (store.OwnerState, error) { return p.state, nil }

func (p *Tx) File(path string) (store.FileHead, store.OwnerState, error) {
	h := p.files[path].head
	h.Path, h.Sizes, h.Runs = path, slices.Clone(h.Sizes), slices.Clone(h.Runs)
	return h, p.state, nil
}

func (p *Tx) Current(path string) (store.FileHead, store.Version, error) {
	h, _, _ := p.File(path)
	if !h.Exists() {
		return h, store.Version{}, nil
	}
	v, err := p.Version(path, h.Version)
	return h, v, err
}

func (p *Tx) Version(path string, n int64) (store.Version, error) {
	for _, v := range p.files[path].versions {
		if v.Number == n {
			return v, nil
		}
	}
	return store.Version{}, store.ErrNotFound
}

func (p *Tx) Versions(path string) (list []store.Version, err error) {
	for _, v := range p.files[path].versions {
		v.Content = nil
		list = append(list, v)
	}
	return list, nil
}

func (p *Tx) Files(prefix, after string, limit int) (list []store.FileHead, err error) {
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		if h := p.files[path].head; h.Exists() && strings.HasPrefix(path, prefix) && path > after && len(list) < limit {
			list = append(list, h)
		}
	}
	return list, nil
}

func (p *Tx) DeletedFiles(limit int) (list []store.File, err error) {
	for _, f := range p.files {
		if f.head.Deleted && len(f.head.Sizes) > 0 {
			list = append(list, store.File{FileHead: f.head})
		}
	}
	slices.SortFunc(list, func(a, b store.File) int {
		return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Path, b.Path))
	})
	return list[:min(limit, len(list))], nil
}

func (p *Tx) AuthoredFiles(prefix, after string, limit int) (list []store.File, err error) {
	heads, err := p.Files(prefix, after, limit)
	for _, h := range heads {
		_, v, _ := p.Current(h.Path)
		list = append(list, store.File{FileHead: h, Current: store.Version{Author: v.Author}})
	}
	return list, err
}

func (p *Tx) CurrentFiles(prefix, after string, limit int, maxBytes int64) (list []store.File, more bool, err error) {
	heads, err := p.Files(prefix, after, limit+1)
	bytes := int64(0)
	for i, h := range heads {
		if bytes += h.Size(); i == limit || i > 0 && bytes > maxBytes {
			return list, true, err
		}
		_, v, _ := p.Current(h.Path)
		list = append(list, store.File{FileHead: h, Current: v})
	}
	return list, false, err
}

func (p *Tx) KeptVersions(q store.ScanQuery) (s store.Scanned, err error) {
	bytes := int64(0)
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(p.files))) {
		h, _, _ := p.File(path)
		for _, v := range slices.Backward(p.files[path].versions) {
			before := q.After == "" || path < q.After || path == q.After && v.Number < q.Before
			if !strings.HasPrefix(path, q.Prefix) || !before {
				continue
			}
			if bytes += v.Size; len(s.Files) == q.Limit || len(s.Files) > 0 && bytes > q.MaxBytes {
				return store.Scanned{Files: s.Files, More: true}, nil
			}
			s.Files = append(s.Files, store.File{FileHead: h, Current: v})
		}
	}
	return s, nil
}

func (p *Tx) Log(path string) (store.LogHead, store.OwnerState, error) {
	h := p.logs[path].head
	h.Path = path
	return h, p.state, nil
}

func (p *Tx) Entries(path string, q store.EntryQuery) (list []store.Entry, err error) {
	all := slices.Clone(p.logs[path].entries)
	if q.Tail {
		slices.Reverse(all)
	}
	bytes := int64(0)
	for _, e := range all {
		if !q.Tail && e.ID <= q.After {
			continue
		}
		bytes += int64(len(e.Content))
		if q.Limit > 0 && len(list) == q.Limit || q.MaxBytes > 0 && len(list) > 0 && bytes > q.MaxBytes {
			break
		}
		list = append(list, e)
	}
	if q.Tail {
		slices.Reverse(list)
	}
	return list, nil
}

func (p *Tx) EntryBytes(path string, through int64) (bytes int64, err error) {
	for _, e := range p.logs[path].entries {
		if e.ID <= through {
			bytes += int64(len(e.Content))
		}
	}
	return bytes, nil
}

func (p *Tx) Logs(prefix, after string, limit int) (list []store.LogHead, err error) {
	for _, path := range slices.Sorted(maps.Keys(p.logs)) {
		if h := p.logs[path].head; h.Exists() && strings.HasPrefix(path, prefix) && path > after && len(list) < limit {
			list = append(list, h)
		}
	}
	return list, nil
}

func (p *Tx) Request(key string) (store.Request, error) {
	if q, ok := p.requests[key]; ok {
		return q, nil
	}
	return store.Request{}, store.ErrNotFound
}

func (p *Tx) Summary(path string, k store.SummaryKey) (store.Summary, error) {
	if s, ok := p.summaries[path][k]; ok {
		return s, nil
	}
	return store.Summary{}, store.ErrNotFound
}

func (p *Tx) Summaries(path string) ([]store.Summary, error) {
	kept := slices.Collect(maps.Values(p.summaries[path]))
	for i := range kept {
		kept[i].Content = nil
	}
	slices.SortFunc(kept, func(a, b store.Summary) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Prompt, b.Prompt))
	})
	return kept, nil
}

func (p *Tx) SaveSummary(c store.SummaryChange) error {
	f := p.files[c.Head.Path]
	f.head = c.Head
	p.files[c.Head.Path] = f
	if p.summaries[c.Head.Path] == nil {
		p.summaries[c.Head.Path] = map[store.SummaryKey]store.Summary{}
	}
	p.summaries[c.Head.Path][c.New.SummaryKey] = c.New
	return p.SaveOwner(c.Owner)
}

func (p *Tx) SaveFile(c store.FileChange) error {
	if c.Forget {
		delete(p.summaries, c.Head.Path)
	}
	f := file{head: c.Head}
	for _, v := range p.files[c.Head.Path].versions {
		if v.Number > c.Prune {
			f.versions = append(f.versions, v)
		}
	}
	if c.New != nil {
		f.versions = append(f.versions, *c.New)
	}
	p.files[c.Head.Path] = f
	p.addChange(c.Change)
	return p.SaveOwner(c.Owner)
}

func (p *Tx) RedactVersion(c store.VersionRedaction) error {
	f := p.files[c.Head.Path]
	f.versions = slices.Clone(f.versions)
	for i, v := range f.versions {
		if v.Number == c.Number {
			f.versions[i] = store.Version{Number: v.Number, Author: v.Author, Time: v.Time, Project: v.Project,
				Redacted: &c.Redaction}
		}
	}
	p.files[c.Head.Path] = f
	return p.SaveFile(store.FileChange{Head: c.Head, Forget: c.Forget, Change: c.Change, Owner: c.Owner})
}

func (p *Tx) MoveFile(m store.FileMove) error {
	from, to := file{head: m.From}, file{head: m.To}
	var along []store.Version
	for _, v := range p.files[m.From.Path].versions {
		if v.Number > m.Above {
			along = append(along, v)
		} else if m.From.Has(v.Number) {
			from.versions = append(from.versions, v)
		}
	}
	for _, v := range slices.Concat(p.files[m.To.Path].versions, along, []store.Version{m.New}) {
		if m.To.Has(v.Number) {
			to.versions = append(to.versions, v)
		}
	}
	p.files[m.From.Path], p.files[m.To.Path] = from, to
	delete(p.summaries, m.From.Path)
	delete(p.summaries, m.To.Path)
	p.addChange(m.Change)
	return p.SaveOwner(m.Owner)
}

func (p *Tx) RedactEntry(c store.EntryRedaction) error {
	l := p.logs[c.Head.Path]
	l.entries = slices.Clone(l.entries)
	for i, e := range l.entries {
		if e.ID == c.ID {
			l.entries[i] = store.Entry{ID: e.ID, Author: e.Author, Time: e.Time, Redacted: &c.Redaction}
		}
	}
	p.logs[c.Head.Path] = l
	return p.SaveLog(store.LogChange{Head: c.Head, Change: c.Change, Owner: c.Owner})
}

func (p *Tx) addChange(c store.Change) {
	if c.Revision != 0 {
		p.changes = append(p.changes, c)
	}
}

func (p *Tx) Load(q store.Query) (store.Loaded, error) { return load(p, q) }

func (p *Tx) Changes(after int64, limit int) (rows []store.Change, err error) {
	for _, c := range p.changes {
		if c.Revision > after && len(rows) < limit {
			rows = append(rows, c)
		}
	}
	return rows, nil
}

func (p *Tx) DropChanges(through int64) error {
	p.changes = slices.DeleteFunc(slices.Clone(p.changes), func(c store.Change) bool { return c.Revision <= through })
	return nil
}

func (p *Tx) SaveLog(c store.LogChange) error {
	l := log{head: c.Head}
	for _, e := range p.logs[c.Head.Path].entries {
		if e.ID > c.Prune {
			l.entries = append(l.entries, e)
		}
	}
	l.entries = append(l.entries, c.New...)
	p.logs[c.Head.Path] = l
	p.addChange(c.Change)
	return p.SaveOwner(c.Owner)
}

func (p *Tx) ForgetFiles(n int) (highest int64, err error) {
	var gone []store.FileHead
	for _, f := range p.files {
		if f.head.Deleted && len(f.head.Sizes) == 0 {
			gone = append(gone, f.head)
		}
	}
	slices.SortFunc(gone, func(a, b store.FileHead) int {
		return cmp.Or(a.Updated.Compare(b.Updated), strings.Compare(a.Path, b.Path))
	})
	for _, h := range gone[:min(n, len(gone))] {
		highest = max(highest, h.Version)
		delete(p.files, h.Path)
	}
	return highest, nil
}

func (p *Tx) ForgetLogs(n int) (highest int64, err error) {
	var gone []store.LogHead
	for _, l := range p.logs {
		if l.head.Deleted {
			gone = append(gone, l.head)
		}
	}
	slices.SortFunc(gone, func(a, b store.LogHead) int {
		return cmp.Or(a.Updated.Compare(b.Updated), strings.Compare(a.Path, b.Path))
	})
	for _, h := range gone[:min(n, len(gone))] {
		highest = max(highest, h.Last)
		delete(p.logs, h.Path)
	}
	return highest, nil
}

func (p *Tx) SaveRequest(q store.Request) error {
	p.requests[q.Key] = q
	return nil
}

func (p *Tx) DueRequests(from, to time.Time, n int) (int, error) {
	return len(p.due(from, to, n)), nil
}

func (p *Tx) DropRequests(from, to time.Time, n int) error {
	for _, key := range p.due(from, to, n) {
		delete(p.requests, key)
	}
	return nil
}

// due returns the keys of requests that were made before from or after to, the oldest
// first.
func (p *Tx) due(from, to time.Time, n int) (keys []string) {
	left := maps.Clone(p.requests)
	for len(keys) < n {
		oldest, found := store.Request{}, false
		for _, q := range left {
			if !q.Time.Before(from) && !q.Time.After(to) {
				continue
			}
			if !found || q.Time.Before(oldest.Time) || q.Time.Equal(oldest.Time) && q.Key < oldest.Key {
				oldest, found = q, true
			}
		}
		if !found {
			break
		}
		delete(left, oldest.Key)
		keys = append(keys, oldest.Key)
	}
	return keys
}

func (p *Tx) SaveOwner(s store.OwnerState) error {
	p.state = s
	return nil
}

// Rows returns all that the owner has, in the order of a dump.
func (p *Tx) Rows() (rows []store.Row) {
	if p.state != (store.OwnerState{}) {
		rows = append(rows, store.Row{State: new(p.state)})
	}
	for _, c := range p.changes {
		rows = append(rows, store.Row{Change: &c})
	}
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		rows = append(rows, store.Row{File: new(p.files[path].head)})
		for _, v := range p.files[path].versions {
			rows = append(rows, store.Row{Version: &v, Path: path})
		}
		kept := slices.Collect(maps.Values(p.summaries[path]))
		slices.SortFunc(kept, func(a, b store.Summary) int {
			return cmp.Or(cmp.Compare(a.Version, b.Version), strings.Compare(a.Method, b.Method),
				strings.Compare(a.Model, b.Model), strings.Compare(a.Prompt, b.Prompt))
		})
		for _, s := range kept {
			rows = append(rows, store.Row{Summary: &s, Path: path})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(p.logs)) {
		rows = append(rows, store.Row{Log: new(p.logs[path].head)})
		for _, e := range p.logs[path].entries {
			rows = append(rows, store.Row{Entry: &e, Path: path})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.requests)) {
		rows = append(rows, store.Row{Request: new(p.requests[key])})
	}
	return rows
}
