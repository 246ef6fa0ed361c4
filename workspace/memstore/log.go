package memstore

import (
	"cmp"
	"slices"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A logRow is the head of a log and its entries in ascending order. The rows of one path
// share the array of their entries. Each uses it up to its own length.
type logRow struct {
	head    store.LogHead
	entries []store.Entry
}

func (l *logRow) lists() bool { return l.head.Exists() }

func (r *reader) loadLog(q store.Query, l *store.Loaded) {
	l.Log.Path = q.Log
	kept := r.logs.get(q.Log)
	if kept == nil {
		return
	}
	l.Log = kept.head
	if q.Entries != nil {
		l.Entries, _ = r.Entries(q.Log, *q.Entries)
	}
	for _, e := range kept.entries[:through(kept.entries, q.Through)] {
		l.Bytes += int64(len(e.Content))
	}
}

func (r *reader) Entries(path string, q store.EntryQuery) ([]store.Entry, error) {
	l := r.logs.get(path)
	if l == nil {
		return nil, nil
	}
	list := slices.Clone(choose(l.entries, q))
	for i := range list {
		list[i] = ownEntry(list[i])
	}
	return list, nil
}

// choose returns the entries that a query asks for.
func choose(entries []store.Entry, q store.EntryQuery) []store.Entry {
	if !q.Tail {
		entries = entries[through(entries, q.After):]
	}
	var bytes int64
	for n := range entries {
		i := n
		if q.Tail {
			i = len(entries) - 1 - n
		}
		bytes += int64(len(entries[i].Content))
		if q.Limit > 0 && n == q.Limit || q.MaxBytes > 0 && n > 0 && bytes > q.MaxBytes {
			if q.Tail {
				return entries[i+1:]
			}
			return entries[:i]
		}
	}
	return entries
}

// through returns how many of the entries have a number up to n.
func through(entries []store.Entry, n int64) int {
	first, _ := slices.BinarySearchFunc(entries, n, func(e store.Entry, n int64) int {
		return cmp.Or(cmp.Compare(e.ID, n), -1) // n itself is among them
	})
	return first
}

// redactEntry returns ErrCorrupt if there is no such entry.
func (t *tx) redactEntry(c store.EntryRedaction) error {
	l := &logRow{head: ownLog(c.Head)}
	if old := t.logs.get(c.Head.Path); old != nil {
		l.entries = slices.Clone(old.entries)
	}
	i := through(l.entries, c.ID) - 1
	if i < 0 || l.entries[i].ID != c.ID {
		return store.Errorf(store.ErrCorrupt, "redact %s: entry %d is not there", c.Head.Path, c.ID)
	}
	e := l.entries[i]
	l.entries[i] = ownEntry(store.Entry{ID: e.ID, Author: e.Author, Time: e.Time, Redacted: &c.Redaction})
	t.setLog(c.Head.Path, l)
	return nil
}

// saveLog returns ErrCorrupt for an entry that is not above the last one.
func (t *tx) saveLog(c store.LogChange) error {
	l := &logRow{head: ownLog(c.Head)}
	if old := t.logs.get(c.Head.Path); old != nil {
		l.entries = old.entries
	}
	if n := through(l.entries, c.Prune); n > 0 {
		l.entries = slices.Clone(l.entries[n:]) // so that the array does not keep what is removed
	}
	for _, e := range c.New {
		if n := len(l.entries); n > 0 && l.entries[n-1].ID >= e.ID {
			return store.Errorf(store.ErrCorrupt, "save %s: entry %d after entry %d", c.Head.Path, e.ID,
				l.entries[n-1].ID)
		}
		l.entries = append(l.entries, ownEntry(e))
	}
	t.setLog(c.Head.Path, l)
	return nil
}
