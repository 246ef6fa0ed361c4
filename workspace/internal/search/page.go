package search

import (
	"context"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	pageHeads   = 64   // of a page
	pageEntries = 2048 // of a page
)

// A Place is where a page of a search begins: after a path, or after an entry of
// the log of that path. The zero value is the beginning.
type Place struct {
	logs    bool
	path    string
	entry   int64
	version int64 // of the file of that path; 0: its current one, or of a log
	begun   bool
}

// storePages reads what a search looks at: first the files, and then the logs. Each page
// is one short View.
type storePages struct {
	view    View
	prefix  string
	kind    store.PathKind
	history *History // nil: the current versions alone
}

// A View runs a function on a snapshot of what an agent has.
type View func(context.Context, func(store.Reader) error) error

// StorePages returns the pages of an agent's texts whose paths begin with a prefix. kind
// is "" for files and logs. With a History, the kept older versions and deleted files belong to them.
func StorePages(view View, prefix string, kind store.PathKind, h *History) Pages[Place] {
	return storePages{view, prefix, kind, h}.read
}

// read implements [Pages].
func (s storePages) read(ctx context.Context, at Place) (texts []Text, next Place, err error) {
	at.logs = at.logs || s.kind == store.KindLog
	err = s.view(ctx, func(tx store.Reader) (err error) {
		texts = nil
		switch {
		case at.logs:
			texts, next, err = s.logs(tx, at)
		case s.history != nil:
			texts, next, err = s.versions(tx, at)
		default:
			texts, next, err = s.files(tx, at)
		}
		return err
	})
	return texts, next, err
}

func (s storePages) files(tx store.Reader, at Place) (texts []Text, next Place, err error) {
	page, err := tx.Scan(store.ScanQuery{
		Kind: store.KindFile, Prefix: s.prefix, After: at.path, Limit: pageHeads, Contents: true, MaxBytes: PageBytes,
	})
	texts = make([]Text, len(page.Files))
	for i := range page.Files {
		f := &page.Files[i]
		v := &f.Current
		texts[i] = Text{Path: f.Path, Time: v.Time, Content: v.Content,
			Check: func() error { return v.Verify() }}
		at = Place{path: f.Path, begun: true}
	}
	return texts, s.afterFiles(at, page.More), err
}

// afterFiles returns the place after a page of files that ends at a place.
func (s storePages) afterFiles(at Place, more bool) Place {
	switch {
	case more:
		return at
	case s.kind == store.KindFile:
		return Place{}
	}
	return Place{logs: true, begun: true}
}

func (s storePages) logs(tx store.Reader, at Place) (texts []Text, next Place, err error) {
	room := int64(PageBytes)
	add := func(path string, after int64) (last int64, err error) {
		entries, err := tx.Entries(path, store.EntryQuery{After: after, Limit: pageEntries - len(texts),
			MaxBytes: room})
		texts = slices.Grow(texts, len(entries))
		for i := range entries {
			e := &entries[i]
			texts = append(texts, Text{Path: path, Entry: e.ID, Time: e.Time, Content: e.Content,
				Check: func() error { return e.Verify() }})
			room -= int64(len(e.Content))
			last = e.ID
		}
		return last, err
	}
	full := func() bool { return room <= 0 || len(texts) >= pageEntries }
	if at.entry > 0 {
		last, err := add(at.path, at.entry)
		if err != nil {
			return nil, at, err
		}
		if last > 0 { // there may be more
			return texts, Place{logs: true, path: at.path, entry: last, begun: true}, nil
		}
	}
	page, err := tx.Scan(store.ScanQuery{Kind: store.KindLog, Prefix: s.prefix, After: at.path, Limit: pageHeads})
	for _, h := range page.Logs {
		if full() {
			return texts, Place{logs: true, path: at.path, begun: true}, nil
		}
		if h.Entries() > 0 {
			last, err := add(h.Path, h.First-1)
			if err != nil {
				return nil, at, err
			}
			if last < h.Last {
				return texts, Place{logs: true, path: h.Path, entry: last, begun: true}, nil
			}
		}
		at.path = h.Path
	}
	if err != nil || page.More {
		return texts, Place{logs: true, path: at.path, begun: true}, err
	}
	return texts, Place{}, nil
}
