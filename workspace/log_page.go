package workspace

import (
	"cmp"
	"context"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	entryPage = 100

	// entryPageBytes is the most bytes of a page as JSON, unless one entry has more.
	entryPageBytes = 256 << 10
)

// given reports whether an argument was given.
func (o ReadLogOptions) given(arg store.Arg, n int64) bool {
	return n != 0 || slices.Contains(o.Zeros, arg)
}

// logQuery checks the arguments of ReadLog, and returns what to load.
func (w *Workspace) logQuery(ctx context.Context, path string, o ReadLogOptions) (p Path, q store.EntryQuery,
	err error) {
	if p, err = w.start(ctx, path); err != nil {
		return p, q, err
	}
	tail, limit := o.given(store.ArgTail, int64(o.Tail)), o.given(store.ArgLimit, int64(o.Limit))
	switch {
	case tail && o.given(store.ArgSinceEntry, o.Since):
		err = Errorf(ErrInvalid, "%s and %s exclude each other", store.ArgTail, store.ArgSinceEntry)
	case tail && limit:
		err = Errorf(ErrInvalid, "%s and %s exclude each other", store.ArgTail, store.ArgLimit)
	case tail:
		err = checkRange(store.ArgTail, o.Tail, entryPage)
	case limit && o.Limit != 0:
		err = checkRange(store.ArgLimit, o.Limit, entryPage)
	}
	err = cmp.Or(err, checkNumber(store.ArgSinceEntry, o.Since, 0))
	q = store.EntryQuery{After: o.Since, Tail: tail, Limit: cmp.Or(o.Tail, o.Limit), MaxBytes: entryPageBytes}
	if !tail && !limit {
		q.Limit = entryPage
	}
	return p, q, err
}

// entriesFrom selects the first page of the entries from a number on.
func entriesFrom(number int64) *store.EntryQuery {
	return &store.EntryQuery{After: number - 1, Limit: entryPage, MaxBytes: entryPageBytes}
}

// readPage reads a page of a log, none of its entries if q.Limit is 0. It also returns the number
// of the last entry, 0 if the log does not exist.
func (w *Workspace) readPage(ctx context.Context, path string, q store.EntryQuery) (LogPage, int64, error) {
	all := store.Query{Log: path}
	if q.Limit > 0 {
		all.Entries = &q
	}
	l, err := w.load(ctx, all)
	if err == nil && q.Limit > 0 {
		err = checkPage(l.Log, l.Entries, q)
	}
	for _, e := range l.Entries {
		err = cmp.Or(err, e.Verify())
	}
	if err != nil || !l.Log.Exists() {
		return LogPage{Path: path, Last: q.After}, 0, err
	}
	list := pageOf(l.Entries, q)
	left := l.Log.Entries()
	if !q.Tail {
		left = l.Log.Last - max(q.After, l.Log.First-1)
	}
	return logPageOf(l.Log, list, q, left > int64(len(list))), l.Log.Last, nil
}

// pageOf returns the entries that fit a page: the first ones, or the last ones of a tail, and one at
// least.
func pageOf(entries []Entry, q store.EntryQuery) []Entry {
	left := entryPageBytes
	for n := range entries {
		i := n
		if q.Tail {
			i = len(entries) - 1 - n
		}
		if left -= entryJSONSize(entries[i].Content); n < q.Limit && (left >= 0 || n == 0) {
			continue
		}
		if q.Tail {
			return entries[i+1:]
		}
		return entries[:i]
	}
	return entries
}

// entryJSONSize returns about how many bytes an entry has as JSON that escapes no more than it must.
func entryJSONSize(content []byte) int {
	const around = 26 // its number, time, brackets and quotes
	n := around + len(content)
	for _, c := range content {
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			n++ // a backslash before it
		case c < 0x20:
			n += 5 // \u0000
		}
	}
	return n
}

// logPageOf returns the page of a log that exists.
func logPageOf(head store.LogHead, list []Entry, q store.EntryQuery, more bool) LogPage {
	page := LogPage{Path: head.Path, Exists: true, Entries: list, Total: head.Entries(), More: more, Last: q.After}
	if n := len(list); q.Tail {
		page.Last = head.Last
	} else if n > 0 {
		page.Last = list[n-1].ID
	}
	if q.After > 0 && q.After < head.First-1 {
		page.Removed = head.First - 1
	}
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
