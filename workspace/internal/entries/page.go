package entries

import (
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	pageEntries = 100

	// PageBytes is the most bytes of a page as JSON, unless one entry has more.
	PageBytes = 256 << 10
)

// Options say which entries to read.
type Options struct {
	Since int64 // the entries after this number; 0: from the first
	Limit int   // entries at most; 0: as many as a page has
	Tail  int   // the last entries; excludes Since and Limit; 0: off
	Zeros []store.Arg
}

// given reports whether an argument was given.
func (o Options) given(arg store.Arg, n int64) bool { return n != 0 || slices.Contains(o.Zeros, arg) }

// Query checks the options and returns what to load. op and path are those of the error.
func (o Options) Query(op, path string) (store.EntryQuery, error) {
	q := store.EntryQuery{After: o.Since, Limit: o.Limit, MaxBytes: PageBytes}
	if q.Limit == 0 {
		q.Limit = pageEntries
	}
	if o.Tail > 0 {
		q.Tail, q.Limit = true, o.Tail
	}
	return q, o.check(op, path)
}

func (o Options) check(op, path string) error {
	if err := fault.CheckNumber(op, path, store.ArgSinceEntry, o.Since, 0); err != nil {
		return err
	}
	tail, limit := o.given(store.ArgTail, int64(o.Tail)), o.given(store.ArgLimit, int64(o.Limit))
	switch {
	case tail && o.given(store.ArgSinceEntry, o.Since):
		return fault.New(store.ErrInvalid, op, path, "%s and %s exclude each other", store.ArgTail, store.ArgSinceEntry)
	case tail && limit:
		return fault.New(store.ErrInvalid, op, path, "%s and %s exclude each other", store.ArgTail, store.ArgLimit)
	case tail && (o.Tail < 1 || o.Tail > pageEntries):
		return fault.New(store.ErrInvalid, op, path, "%s is %d, allowed are 1-%d", store.ArgTail, o.Tail, pageEntries)
	case limit && (o.Limit < 1 || o.Limit > pageEntries):
		return fault.New(store.ErrInvalid, op, path, "%s is %d, allowed are 1-%d", store.ArgLimit, o.Limit, pageEntries)
	}
	return nil
}

// From selects the first page of the entries from a number on.
func From(number int64) *store.EntryQuery {
	return &store.EntryQuery{After: number - 1, Limit: pageEntries, MaxBytes: PageBytes}
}

// Verify finds out whether what was loaded is what was written.
func Verify(l store.Loaded, q store.EntryQuery) error {
	if err := verify.Page(l.Log, l.Entries, q); err != nil {
		return err
	}
	for _, e := range l.Entries {
		if err := verify.Entry(e); err != nil {
			return err
		}
	}
	return nil
}

// A Page is a page of a log, as package workspace describes it.
type Page struct {
	Path    string
	Exists  bool
	IsFile  bool
	Nearest string
	Entries []store.Entry
	Total   int64
	Last    int64
	More    bool
	Removed int64
}

// PageOf returns the page of what was loaded for a query, with what is before and after
// its entries.
func PageOf(path string, l store.Loaded, q store.EntryQuery) Page {
	head := l.Log
	list := fit.Page(l.Entries, PageBytes, q.Tail, func(e store.Entry) int { return fit.EntryJSONSize(e.Content) })
	page := Page{Path: path, Exists: head.Exists(), Entries: list, Last: q.After}
	if !page.Exists {
		return page
	}
	if n := len(list); n > 0 {
		page.Last = list[n-1].ID
	}
	if q.Tail {
		page.Last = head.Last
		page.Total = head.Entries() - int64(len(list))
		page.More = page.Total > 0
		return page
	}
	if q.After > 0 && q.After < head.First-1 {
		page.Removed = head.First - 1
	}
	page.Total = max(0, head.Last-max(q.After, head.First-1))
	page.More = page.Total > int64(len(list))
	return page
}
