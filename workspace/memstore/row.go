package memstore

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/btree"

	"github.com/agent-scratchpad/scratchpad/workspace/dump"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// rows are the rows of one owner in the order of a dump. A copy is cheap, and later changes of
// one do not show in the other. A row in them never changes: another takes its place.
type rows = btree.BTreeG[row]

func newRows() *rows {
	return btree.NewBTreeGOptions(func(a, b row) bool { return a.place.compare(b.place) < 0 },
		btree.Options{NoLocks: true})
}

// A row is a row of an owner, and its place.
type row struct {
	place
	store.Row
}

// A place is the key of a row. Places are in the order of a dump.
type place struct {
	part    int
	path    string // or the key of a request
	table   int    // in parts with paths
	number  int64  // of a version, an entry or a change
	summary store.SummaryKey
}

// The parts of a dump, and the tables of those that have paths.
const (
	states = iota
	changes
	files
	logs
	requests

	heads     = 0
	contents  = 1 // versions or entries
	summaries = 2
)

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.part, q.part), cmp.Compare(p.path, q.path), cmp.Compare(p.table, q.table),
		cmp.Compare(p.number, q.number), dump.CompareKeys(p.summary, q.summary))
}

func placeOf(r store.Row) place {
	switch {
	case r.State != nil:
		return place{part: states}
	case r.Change != nil:
		return place{part: changes, number: r.Change.Revision}
	case r.File != nil:
		return place{part: files, path: r.File.Path}
	case r.Version != nil:
		return place{part: files, path: r.Path, table: contents, number: r.Version.Number}
	case r.Summary != nil:
		return place{part: files, path: r.Path, table: summaries, summary: r.Summary.SummaryKey}
	case r.Log != nil:
		return place{part: logs, path: r.Log.Path}
	case r.Entry != nil:
		return place{part: logs, path: r.Path, table: contents, number: r.Entry.ID}
	}
	return place{part: requests, path: r.Request.Key}
}

// own returns a copy of a row as every store keeps it, which shares nothing with r. It has the
// fields of the row's table alone, and times in UTC, to the microsecond.
func own(r store.Row) store.Row {
	table, fields := r.Table()
	mine := table.New(r.Path)
	_, to := mine.Table()
	for i, field := range fields {
		switch f := field.(type) {
		case *time.Time:
			*to[i].(*time.Time) = stored(*f)
		case *[]int64:
			*to[i].(*[]int64) = slices.Clone(*f)
		case store.Packed:
			to[i].(store.Packed).Unpack(f.Pack())
		default:
			reflect.ValueOf(to[i]).Elem().Set(reflect.ValueOf(f).Elem())
		}
	}
	switch content := slices.Clone(r.Content()); {
	case r.Version != nil && r.Version.Redacted == nil: // also one with a hash of zeros, which is damage
		mine.Version.Content = content
	case r.Entry != nil && r.Entry.Redacted == nil:
		mine.Entry.Content = content
	case table.Content:
		mine.SetContent(content)
	}
	return mine
}

// stored returns a time as every store keeps it.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// along returns the rows of one path and table from a place on, in the order of walk. They are
// not the caller's own.
func along(walk func(row, func(row) bool), from place) iter.Seq[store.Row] {
	return func(yield func(store.Row) bool) {
		walk(row{place: from}, func(x row) bool {
			return x.part == from.part && x.path == from.path && x.table == from.table && yield(x.Row)
		})
	}
}

// list returns the heads of the paths that begin with prefix, from a path on, or the requests
// with such keys. They are not the caller's own.
func list(all *rows, part int, prefix, from string) iter.Seq[store.Row] {
	return func(yield func(store.Row) bool) {
		next := place{part: part, path: max(prefix, from)}
		for more := true; more; {
			more = false
			all.Ascend(row{place: next}, func(x row) bool {
				more = x.part == part && strings.HasPrefix(x.path, prefix) && (x.table != heads || yield(x.Row))
				next.path = x.path + "\x00" // passes over what else the path has
				return false
			})
		}
	}
}
