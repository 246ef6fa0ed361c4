package memstore

import (
	"maps"
	"slices"
	"strings"
)

// A table holds rows under keys, and keeps the order of those that are listed. A row in
// the table never changes: a change puts another row in its place, so that it is cheap to
// undo. The zero table is empty.
type table[R kept] struct {
	rows   map[string]R
	listed []string // sorted
}

type kept interface {
	comparable // a pointer; nil is no row
	lists() bool
}

// get returns the row under a key, nil if there is none.
func (t *table[R]) get(key string) R { return t.rows[key] }

// set puts a row under a key, or none if it is nil.
func (t *table[R]) set(key string, r R) {
	var none R
	old := t.rows[key]
	switch {
	case r == none:
		delete(t.rows, key)
	case t.rows == nil:
		t.rows = map[string]R{key: r}
	default:
		t.rows[key] = r
	}
	was, is := old != none && old.lists(), r != none && r.lists()
	if was == is {
		return
	}
	i, _ := slices.BinarySearch(t.listed, key)
	if is {
		t.listed = slices.Insert(t.listed, i, key)
	} else {
		t.listed = slices.Delete(t.listed, i, i+1)
	}
}

// list returns the listed rows whose keys begin with a prefix, from the first one after a
// key, at most limit of them.
func (t *table[R]) list(prefix, after string, limit int) []R {
	i, found := slices.BinarySearch(t.listed, max(prefix, after))
	if found && after >= prefix {
		i++
	}
	var rows []R
	for _, key := range t.listed[i:] {
		if len(rows) >= limit || !strings.HasPrefix(key, prefix) {
			break
		}
		rows = append(rows, t.rows[key])
	}
	return rows
}

// each calls fn with all rows, listed or not, in byte order of key, until it returns false,
// and returns that.
func (t *table[R]) each(fn func(key string, r R) bool) bool {
	for _, key := range slices.Sorted(maps.Keys(t.rows)) {
		if !fn(key, t.rows[key]) {
			return false
		}
	}
	return true
}
