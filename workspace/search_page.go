package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	searchHeads   = 64   // of a page
	searchEntries = 2048 // of a page
)

// A searchPlace is where a page of a search begins: after a path, or after an entry of
// the log of that path. The zero value is the beginning.
type searchPlace struct {
	logs  bool
	path  string
	entry int64
	begun bool
}

// searchPages reads what a search looks at: first the files, and then the logs. Each page
// is one short View.
type searchPages struct {
	w *Workspace
	o SearchOptions
}

// read implements [search.Pages].
func (s searchPages) read(ctx context.Context, at searchPlace) (texts []search.Text, next searchPlace, err error) {
	at.logs = at.logs || s.o.Kind == KindLog
	err = s.w.svc.store.View(ctx, s.w.owner, func(tx Reader) (err error) {
		texts = nil
		if at.logs {
			texts, next, err = s.logs(tx, at)
		} else {
			texts, next, err = s.files(tx, at)
		}
		return err
	})
	return texts, next, err
}

func (s searchPages) files(tx Reader, at searchPlace) (texts []search.Text, next searchPlace, err error) {
	heads, err := tx.Files(s.o.Prefix, at.path, searchHeads)
	var size int64
	for _, h := range heads {
		if size += h.Size(); size > search.PageBytes && len(texts) > 0 {
			return texts, at, nil
		}
		v, err := store.Retained(tx, h, h.Version)
		if err != nil {
			return nil, at, err
		}
		texts = append(texts, search.Text{Path: h.Path, Time: v.Time, Content: v.Content, Check: func() error { return verify.Version(v) }})
		at = searchPlace{path: h.Path, begun: true}
	}
	switch {
	case err != nil || len(heads) == searchHeads:
		return texts, at, err
	case s.o.Kind == KindFile:
		return texts, searchPlace{}, nil
	}
	return texts, searchPlace{logs: true, begun: true}, nil
}

func (s searchPages) logs(tx Reader, at searchPlace) (texts []search.Text, next searchPlace, err error) {
	room := int64(search.PageBytes)
	add := func(path string, after int64) (last int64, err error) {
		entries, err := tx.Entries(path, EntryQuery{After: after, Limit: searchEntries - len(texts), MaxBytes: room})
		for _, e := range entries {
			texts = append(texts, search.Text{Path: path, Entry: e.ID, Time: e.Time, Content: e.Content, Check: func() error { return verify.Entry(e) }})
			room -= int64(len(e.Content))
			last = e.ID
		}
		return last, err
	}
	full := func() bool { return room <= 0 || len(texts) >= searchEntries }
	if at.entry > 0 {
		last, err := add(at.path, at.entry)
		if err != nil {
			return nil, at, err
		}
		if last > 0 { // there may be more
			return texts, searchPlace{true, at.path, last, true}, nil
		}
	}
	heads, err := tx.Logs(s.o.Prefix, at.path, searchHeads)
	for _, h := range heads {
		if full() {
			return texts, searchPlace{logs: true, path: at.path, begun: true}, nil
		}
		if h.Entries() > 0 {
			last, err := add(h.Path, h.First-1)
			if err != nil {
				return nil, at, err
			}
			if last < h.Last {
				return texts, searchPlace{true, h.Path, last, true}, nil
			}
		}
		at.path = h.Path
	}
	if err != nil || len(heads) == searchHeads {
		return texts, searchPlace{logs: true, path: at.path, begun: true}, err
	}
	return texts, searchPlace{}, nil
}
