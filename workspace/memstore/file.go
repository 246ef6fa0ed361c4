package memstore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

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

// find returns a retained version with content of its own.
func (f *file) find(n int64) (store.Version, bool) {
	i, found := f.index(n)
	if !found {
		return store.Version{}, false
	}
	return copyVersion(f.versions[i]), true
}

// copyVersion returns a version that shares nothing with another one.
func copyVersion(v store.Version) store.Version {
	v.Content = slices.Clone(v.Content)
	if v.Redacted != nil {
		v.Redacted = new(*v.Redacted)
	}
	return v
}

func (f *file) index(n int64) (int, bool) {
	return slices.BinarySearchFunc(f.versions, n, func(v store.Version, n int64) int {
		return cmp.Compare(v.Number, n)
	})
}

func copyHead(h store.FileHead) store.FileHead {
	h.Sizes = slices.Clone(h.Sizes)
	return h
}

func (r *reader) File(path string) (store.FileHead, store.OwnerState, error) {
	f := r.files.get(path)
	if f == nil {
		return store.FileHead{Path: path}, r.state, nil
	}
	return copyHead(f.head), r.state, nil
}

func (r *reader) Current(path string) (store.FileHead, store.Version, error) {
	f := r.files.get(path)
	if f == nil {
		return store.FileHead{Path: path}, store.Version{}, nil
	}
	head := copyHead(f.head)
	if !head.Exists() {
		return head, store.Version{}, nil
	}
	v, ok := f.find(head.Version)
	if !ok {
		return store.FileHead{}, store.Version{},
			store.Errorf(store.ErrCorrupt, "read %s: version %d is not there", path, head.Version)
	}
	return head, v, nil
}

func (r *reader) Version(path string, n int64) (store.Version, error) {
	if f := r.files.get(path); f != nil {
		if v, ok := f.find(n); ok {
			return v, nil
		}
	}
	return store.Version{}, &store.Error{Op: fmt.Sprintf("read %s: version %d", path, n), Kind: store.ErrNotFound}
}

func (r *reader) Versions(path string) ([]store.Version, error) {
	f := r.files.get(path)
	if f == nil {
		return nil, nil
	}
	list := slices.Clone(f.versions)
	for i := range list {
		list[i].Content = nil
		list[i] = copyVersion(list[i])
	}
	return list, nil
}

func (r *reader) Files(prefix, after string, limit int) ([]store.FileHead, error) {
	var heads []store.FileHead
	for _, f := range r.files.list(prefix, after, limit) {
		heads = append(heads, copyHead(f.head))
	}
	return heads, nil
}

func (r *reader) AuthoredFiles(prefix, after string, limit int) ([]store.AuthoredFile, error) {
	var files []store.AuthoredFile
	for _, f := range r.files.list(prefix, after, limit) {
		file := store.AuthoredFile{FileHead: copyHead(f.head)}
		if i, found := f.index(f.head.Version); found {
			file.Author = f.versions[i].Author
		}
		files = append(files, file)
	}
	return files, nil
}

func (r *reader) CurrentFiles(prefix, after string, limit int, maxBytes int64) (files []store.CurrentFile, more bool, err error) {
	for _, f := range r.files.list(prefix, after, limit+1) {
		maxBytes -= f.head.Size()
		if len(files) == limit || len(files) > 0 && maxBytes < 0 {
			return files, true, nil
		}
		v, found := f.find(f.head.Version)
		if !found {
			return nil, false, store.Errorf(store.ErrCorrupt, "read %s: version %d is not there", f.head.Path, f.head.Version)
		}
		files = append(files, store.CurrentFile{FileHead: copyHead(f.head), Current: v})
	}
	return files, false, nil
}

// SaveFile returns ErrCorrupt for a version that is not above the last one: the head that
// the caller has read does not fit the versions.
func (t *tx) SaveFile(c store.FileChange) error {
	f := &file{head: copyHead(c.Head)}
	f.head.Created = stored(f.head.Created)
	f.head.Updated = stored(f.head.Updated)
	if old := t.files.get(c.Head.Path); old != nil {
		f.versions, f.summaries = slices.Clone(old.versions), old.summaries
	}
	if c.Forget {
		f.summaries = nil
	}
	if c.New != nil {
		v := copyVersion(*c.New)
		v.Time, v.Author.Session = stored(v.Time), ""
		if n := len(f.versions); n > 0 && f.versions[n-1].Number >= v.Number {
			return store.Errorf(store.ErrCorrupt, "save %s: version %d after version %d", c.Head.Path, v.Number, f.versions[n-1].Number)
		}
		f.versions = append(f.versions, v)
	}
	f.versions = slices.DeleteFunc(f.versions, func(v store.Version) bool { return v.Number <= c.Prune })
	t.setFile(c.Head.Path, f)
	if err := t.addChange(c.Change); err != nil {
		return err
	}
	return t.SaveOwner(c.Owner)
}

// MoveFile returns ErrCorrupt for a version that is not above the last one.
func (t *tx) MoveFile(m store.FileMove) error {
	var moved []store.Version
	if old := t.files.get(m.From.Path); old != nil {
		moved = slices.DeleteFunc(slices.Clone(old.versions), func(v store.Version) bool { return v.Number <= m.Above })
	}
	to := &file{head: copyHead(m.To), versions: moved}
	t.setFile(m.To.Path, to)
	if err := t.SaveFile(store.FileChange{Head: m.To, New: &m.New, Prune: m.Prune, Change: m.Change, Owner: m.Owner}); err != nil {
		return err
	}
	return t.SaveFile(store.FileChange{Head: m.From, Prune: m.From.Version, Forget: m.Forget, Owner: m.Owner})
}

// RedactVersion returns ErrCorrupt if there is no such version.
func (t *tx) RedactVersion(c store.VersionRedaction) error {
	old := t.files.get(c.Head.Path)
	if old == nil {
		old = &file{}
	}
	i, found := old.index(c.Number)
	if !found {
		return store.Errorf(store.ErrCorrupt, "redact %s: version %d is not there", c.Head.Path, c.Number)
	}
	f := &file{versions: slices.Clone(old.versions), summaries: old.summaries}
	f.versions[i] = redacted(f.versions[i], c.Redaction)
	t.setFile(c.Head.Path, f)
	return t.SaveFile(store.FileChange{Head: c.Head, Forget: c.Forget, Change: c.Change, Owner: c.Owner})
}

// redacted returns a version with a receipt in place of its content.
func redacted(v store.Version, r store.Redaction) store.Version {
	r.Time, r.Author.Session = stored(r.Time), ""
	return store.Version{Number: v.Number, Author: v.Author, Time: v.Time, Redacted: &r}
}

func (r *reader) Summary(path string, k store.SummaryKey) (store.Summary, error) {
	if f := r.files.get(path); f != nil {
		if s, ok := f.summaries[k]; ok {
			s.Content = slices.Clone(s.Content)
			return s, nil
		}
	}
	return store.Summary{}, &store.Error{Op: fmt.Sprintf("summary of %s at version %d", path, k.Version), Kind: store.ErrNotFound}
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
	sort.Slice(list, func(i, j int) bool { // package slices would bring its code for large values into the program
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Prompt, b.Prompt)) < 0
	})
	return list, nil
}

func (t *tx) SaveSummary(c store.SummaryChange) error {
	f := &file{head: copyHead(c.Head), summaries: make(map[store.SummaryKey]store.Summary)}
	f.head.Created = stored(f.head.Created)
	f.head.Updated = stored(f.head.Updated)
	if old := t.files.get(c.Head.Path); old != nil {
		f.versions = old.versions
		maps.Copy(f.summaries, old.summaries)
	}
	s := c.New
	s.Time = stored(s.Time)
	s.Content = slices.Clone(s.Content)
	f.summaries[s.SummaryKey] = s
	t.setFile(c.Head.Path, f)
	return t.SaveOwner(c.Owner)
}

func (t *tx) FoldFiles(n int) (highest int64, err error) {
	var gone []*file
	for _, f := range t.files.rows {
		if f.head.Deleted {
			gone = append(gone, f)
		}
	}
	slices.SortFunc(gone, func(a, b *file) int {
		return cmp.Or(a.head.Updated.Compare(b.head.Updated), strings.Compare(a.head.Path, b.head.Path))
	})
	for _, f := range gone[:min(max(n, 0), len(gone))] {
		highest = max(highest, f.head.Version)
		t.setFile(f.head.Path, nil)
	}
	return highest, nil
}
