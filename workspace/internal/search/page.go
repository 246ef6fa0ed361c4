package search

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	pageHeads   = 64   // of a page
	pageEntries = 2048 // of a page
)

// A Place is where a page of a search begins: after a path, or after an entry of a log.
type Place struct {
	logs    bool
	path    string // of the last file or log that was read to its end, or of the file of version
	version int64  // of the file of that path; 0: its current one, or of a log
	log     string // that was read to entry; "": none
	entry   int64
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
func StorePages(view View, prefix string, kind store.PathKind, h *History) Pages {
	return storePages{view, prefix, kind, h}.read
}

// read implements [Pages]. Its places are of the type Place.
func (s storePages) read(ctx context.Context, from any) (texts []Text, next any, err error) {
	at, _ := from.(Place)
	at.logs = at.logs || s.kind == store.KindLog
	err = s.view(ctx, func(tx store.Reader) (err error) {
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

func (s storePages) files(tx store.Reader, at Place) (texts []Text, next any, err error) {
	page, err := tx.Scan(store.ScanQuery{
		Kind: store.KindFile, Prefix: s.prefix, After: at.path, Limit: pageHeads, Contents: true, MaxBytes: PageBytes,
	})
	for i := range page.Files {
		v := &page.Files[i].Current
		at.path = page.Files[i].Path
		texts = append(texts, Text{Path: at.path, Time: v.Time, Content: v.Content,
			Check: func() error { return v.Verify() }})
	}
	return texts, s.afterFiles(at, page.More), err
}

// afterFiles returns the place after a page of files that ends at a place.
func (s storePages) afterFiles(at Place, more bool) any {
	switch {
	case more:
		return at
	case s.kind == store.KindFile:
		return nil
	}
	return Place{logs: true}
}

func (s storePages) logs(tx store.Reader, at Place) (texts []Text, next any, err error) {
	room := int64(PageBytes)
	q := store.ScanQuery{Kind: store.KindLog, Prefix: s.prefix, After: at.path, Limit: pageHeads}
	for page, err := range store.Pages(tx, q) {
		if err != nil {
			return nil, at, err
		}
		for _, h := range page.Logs {
			last := h.First - 1
			if h.Path == at.log {
				last = max(last, at.entry)
			}
			after := store.EntryQuery{After: last, Limit: pageEntries - len(texts), MaxBytes: room}
			entries, err := tx.Entries(h.Path, after)
			if err != nil {
				return nil, at, err
			}
			for i := range entries {
				e := &entries[i]
				texts = append(texts, Text{Path: h.Path, Entry: e.ID, Time: e.Time, Content: e.Content,
					Check: func() error { return e.Verify() }})
				room -= int64(len(e.Content))
				last = e.ID
			}
			if len(entries) > 0 && last < h.Last || room <= 0 || len(texts) >= pageEntries {
				at.log, at.entry = h.Path, last
				return texts, at, nil
			}
			at.path = h.Path
		}
	}
	return texts, nil, nil
}
