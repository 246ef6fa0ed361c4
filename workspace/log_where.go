package workspace

import (
	"cmp"
	"context"

	"github.com/agent-scratchpad/scratchpad/internal/condition"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	whereEntries = 2048      // that are read at once, at most
	whereBytes   = 256 << 10 // of them
)

// readWhere reads a page of the entries of a log that match conditions, from one snapshot.
func (w *Workspace) readWhere(ctx context.Context, path string, q store.EntryQuery, where string) (LogPage, error) {
	conditions, err := condition.Parse(where)
	if err != nil {
		return LogPage{}, Errorf(ErrInvalid, "%s: %v", store.ArgWhere, err)
	}
	return view(ctx, w, func(r store.Reader) (LogPage, error) {
		l, err := r.Load(store.Query{Log: path})
		if err != nil || !l.Log.Exists() {
			return LogPage{Path: path, Last: q.After}, err
		}
		var found []Entry
		var matched int64
		more := false
		for at := l.Log.First - 1; at < l.Log.Last; {
			next := store.EntryQuery{After: at, Limit: whereEntries, MaxBytes: whereBytes}
			entries, err := r.Entries(path, next)
			if err = cmp.Or(err, checkPage(l.Log, entries, next), checkContext(ctx)); err != nil {
				return LogPage{}, err
			}
			for _, e := range entries {
				at = e.ID
				if !conditions.Match(e.Content) {
					continue
				}
				if matched++; at > q.After && (q.Tail || !more) {
					found = append(found, e)
				}
			}
			n := len(found)
			found = pageOf(found, q)
			more = more || len(found) < n
		}
		for _, e := range found {
			if err := e.Verify(); err != nil {
				return LogPage{}, err
			}
		}
		page := logPageOf(l.Log, found, q, more)
		if page.Matched = matched; !more {
			page.Last = max(q.After, l.Log.Last) // all were looked at
		}
		return page, nil
	})
}
