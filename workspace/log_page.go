package workspace

import (
	"cmp"
	"context"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	entryPage = 100

	// entryPageBytes is the most bytes of a page as JSON, unless one entry has more.
	entryPageBytes = 256 << 10
)

// given reports whether an argument was given.
func (o ReadLogOptions) given(arg Arg, n int64) bool { return n != 0 || slices.Contains(o.Zeros, arg) }

// logQuery checks the arguments of ReadLog, and returns what to load.
func (w *Workspace) logQuery(ctx context.Context, path string, o ReadLogOptions) (p Path, q store.EntryQuery,
	err error) {
	if p, err = w.start(ctx, path); err != nil {
		return p, q, err
	}
	tail, limit := o.given(ArgTail, int64(o.Tail)), o.given(ArgLimit, int64(o.Limit))
	switch {
	case tail && o.given(ArgSinceEntry, o.Since):
		err = Errorf(ErrInvalid, "%s and %s exclude each other", ArgTail, ArgSinceEntry)
	case tail && limit:
		err = Errorf(ErrInvalid, "%s and %s exclude each other", ArgTail, ArgLimit)
	case tail:
		err = checkRange(ArgTail, o.Tail, entryPage)
	case limit:
		err = checkRange(ArgLimit, o.Limit, entryPage)
	default:
		err = checkNumber(ArgSinceEntry, o.Since, 0)
	}
	limits := cmp.Or(o.Tail, o.Limit, entryPage)
	return p, store.EntryQuery{After: o.Since, Tail: tail, Limit: limits, MaxBytes: entryPageBytes}, err
}

// entriesFrom selects the first page of the entries from a number on.
func entriesFrom(number int64) *store.EntryQuery {
	return &store.EntryQuery{After: number - 1, Limit: entryPage, MaxBytes: entryPageBytes}
}

// verifyEntries finds out whether what was loaded is what was written.
func verifyEntries(l store.Loaded, q store.EntryQuery) error {
	if err := checkPage(l.Log, l.Entries, q); err != nil {
		return err
	}
	for _, e := range l.Entries {
		if err := e.Verify(); err != nil {
			return err
		}
	}
	return nil
}

// logPageOf returns the page of what was loaded for a query, with what is before and after
// its entries.
func logPageOf(path string, l store.Loaded, q store.EntryQuery) LogPage {
	head := l.Log
	list := fit.Page(l.Entries, entryPageBytes, q.Tail, func(e Entry) int { return fit.EntryJSONSize(e.Content) })
	page := LogPage{Path: path, Exists: head.Exists(), Entries: list, Last: q.After}
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

// checkPage finds out whether the entry with which the page begins is missing. The store
// finds an entry that is missing between two, and the next page one that is missing
// behind them.
func checkPage(h store.LogHead, entries []Entry, q store.EntryQuery) error {
	missing := max(q.After+1, h.First)
	there := !h.Exists() || missing > h.Last || len(entries) > 0 && entries[0].ID == missing
	if q.Tail {
		missing = h.Last
		there = !h.Exists() || missing < h.First || len(entries) > 0 && entries[len(entries)-1].ID == missing
	}
	if !there {
		return Errorf(ErrCorrupt, "entry %d is missing", missing)
	}
	return nil
}
