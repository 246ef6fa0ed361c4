package verify

import "github.com/agent-scratchpad/scratchpad/workspace/store"

// Page finds out whether the entry with which the page begins is missing. The store
// finds an entry that is missing between two, and the next page one that is missing
// behind them.
func Page(h store.LogHead, entries []store.Entry, q store.EntryQuery) error {
	missing := max(q.After+1, h.First)
	there := !h.Exists() || missing > h.Last || len(entries) > 0 && entries[0].ID == missing
	if q.Tail {
		missing = h.Last
		there = !h.Exists() || missing < h.First || len(entries) > 0 && entries[len(entries)-1].ID == missing
	}
	if !there {
		return store.Errorf(store.ErrCorrupt, "entry %d is missing", missing)
	}
	return nil
}
