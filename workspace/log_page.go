package workspace

import (
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

// query checks the options and returns what to load. op and path are those of the error.
func (o ReadLogOptions) query(op, path string) (store.EntryQuery, error) {
	q := store.EntryQuery{After: o.Since, Limit: o.Limit, MaxBytes: entryPageBytes}
	if q.Limit == 0 {
		q.Limit = entryPage
	}
	if o.Tail > 0 {
		q.Tail, q.Limit = true, o.Tail
	}
	return q, o.check(op, path)
}

func (o ReadLogOptions) check(op, path string) error {
	if err := checkNumber(op, path, ArgSinceEntry, o.Since, 0); err != nil {
		return err
	}
	tail, limit := o.given(ArgTail, int64(o.Tail)), o.given(ArgLimit, int64(o.Limit))
	switch {
	case tail && o.given(ArgSinceEntry, o.Since):
		return fail(ErrInvalid, op, path, "%s and %s exclude each other", ArgTail, ArgSinceEntry)
	case tail && limit:
		return fail(ErrInvalid, op, path, "%s and %s exclude each other", ArgTail, ArgLimit)
	case tail && (o.Tail < 1 || o.Tail > entryPage):
		return fail(ErrInvalid, op, path, "%s is %d, allowed are 1-%d", ArgTail, o.Tail, entryPage)
	case limit && (o.Limit < 1 || o.Limit > entryPage):
		return fail(ErrInvalid, op, path, "%s is %d, allowed are 1-%d", ArgLimit, o.Limit, entryPage)
	}
	return nil
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
