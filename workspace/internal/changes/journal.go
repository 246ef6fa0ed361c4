package changes

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Selection says which changes of an agent a reader wants.
type Selection struct {
	Since  int64 // the reader knows the changes up to this revision
	Recent bool  // the paths that changed last; without Since
	Each   bool  // each change by itself
	Prefix string
	Limit  int           // paths at most
	Except *store.Author // leaves out what nobody else has changed; nil: nobody
	Kept   int64         // rows that the journal keeps
}

// A List has one row for each path that has changed, or with Each for each change.
type List struct {
	Cursor int64 // the last revision that the rows cover
	Last   int64 // the agent's last revision
	Oldest int64 // the lowest revision after which the journal has all rows
	More   bool
	TooOld bool // the journal does not reach back to Since: Paths are those that changed last
	Own    int64
	Paths  []store.Change
	// Authors has the last three authors of each of Paths, the newest first. Authors with one name
	// count as one. nil: the author of each path alone.
	Authors [][]store.Author
}

// RowsAtOnce is how many rows are read in one go.
const RowsAtOnce = 500

const (
	recentRows  = 1000 // of the end of the journal that are read for Recent, at most
	headsAtOnce = 200
)

// Read returns what has changed. If nothing is new, it reads the owner's state alone.
func Read(r store.Reader, o Selection) (List, error) {
	state, err := r.Owner()
	if err != nil {
		return List{}, err
	}
	l, err := read(r, state, o)
	l.Oldest = oldest(state, o.Kept)
	return l, err
}

func read(r store.Reader, state store.OwnerState, o Selection) (List, error) {
	last, since := recent, coalesced
	if o.Each {
		last, since = lastRows, eachRow
	}
	if o.Recent {
		return last(r, state, o)
	}
	switch kept, err := Keeps(state, o.Since, o.Kept); {
	case err != nil:
		return List{}, err
	case !kept:
		c, err := last(r, state, o)
		c.TooOld = true
		return c, err
	}
	return since(r, state, o)
}

// eachRow returns the rows after Since as they are.
func eachRow(r store.Reader, state store.OwnerState, o Selection) (List, error) {
	c := List{Cursor: o.Since, Last: state.Revision}
	for c.Cursor < state.Revision {
		rows, err := Rows(r, c.Cursor, state.Revision, RowsAtOnce)
		if err != nil {
			return List{}, err
		}
		for _, row := range rows {
			if o.selects(row) {
				if c.More = len(c.Paths) == o.Limit; c.More {
					return c, nil
				}
				c.Paths = append(c.Paths, row)
			}
			c.Cursor = row.Revision
		}
	}
	return c, nil
}

// lastRows returns the newest rows as they are, the newest first.
func lastRows(r store.Reader, state store.OwnerState, o Selection) (List, error) {
	c := List{Cursor: state.Revision, Last: state.Revision}
	for row, err := range Backward(r, state.Revision, oldest(state, o.Kept), RowsAtOnce) {
		switch {
		case err != nil:
			return List{}, err
		case !o.selects(row):
		case len(c.Paths) == o.Limit:
			c.More = true
			return c, nil
		default:
			c.Paths = append(c.Paths, row)
		}
	}
	return c, nil
}

func (o Selection) selects(row store.Change) bool {
	return matches(row, o.Prefix) && !o.row(row).Own
}

// Keeps reports whether the journal, which keeps a number of rows, has all rows after a
// revision. Those that a later write will remove do not count, so that the answer does not
// depend on when that is. Of an agent that was deleted, or never wrote, it has no rows after any.
// Errors: [store.ErrInvalid] for a revision above the last one.
func Keeps(state store.OwnerState, since, rows int64) (bool, error) {
	if since > state.Revision && state != (store.OwnerState{}) {
		return false, fault.Or(store.Errorf(store.ErrInvalid, "%s is %d, the last revision is %d", store.ArgSinceChange,
			since, state.Revision), store.DoGiveAtMost, state.Revision)
	}
	return since >= oldest(state, rows) && since <= state.Revision, nil
}

// oldest returns the lowest revision after which a journal that keeps a number of rows has all.
func oldest(state store.OwnerState, rows int64) int64 {
	return state.Revision - min(state.Changes, rows)
}

// After returns the next rows after a revision, and the last revision. kept is how many
// rows the journal keeps. Errors: [store.ErrNotFound] if they are not kept any more.
func After(r store.Reader, since, kept int64) (rows []store.Change, last int64, err error) {
	state, err := r.Owner()
	if err != nil {
		return nil, 0, err
	}
	last = state.Revision
	switch kept, err := Keeps(state, since, kept); {
	case err != nil:
		return nil, last, err
	case !kept:
		return nil, last, fault.Or(store.Errorf(store.ErrNotFound, "the changes after %d are not kept any more", since),
			store.DoCallChanges, since)
	case since == last:
		return nil, last, nil
	}
	rows, err = Rows(r, since, last, RowsAtOnce)
	return rows, last, err
}

// coalesced makes one row of all those of a path.
func coalesced(r store.Reader, state store.OwnerState, o Selection) (List, error) {
	c := List{Cursor: o.Since, Last: state.Revision}
	paths := New(o.Prefix, o.Limit)
	for c.Cursor < state.Revision && !c.More {
		rows, err := Rows(r, c.Cursor, state.Revision, RowsAtOnce)
		if err != nil {
			return List{}, err
		}
		for _, row := range rows {
			if c.More = !paths.Add(o.row(row)); c.More {
				break
			}
			c.Cursor = row.Revision
		}
	}
	c.Own = paths.own
	c.Paths, c.Authors = paths.Paths()
	return c, nil
}

// firstOp returns the operation that makes a file or a log.
func firstOp(k store.PathKind) store.ChangeOp {
	if k == store.KindLog {
		return store.OpAppend
	}
	return store.OpCreate
}

// Rows returns the rows after a revision, of a journal that has some, up to the revision
// last. limit is a number of rows.
func Rows(r store.Reader, after, last int64, limit int) ([]store.Change, error) {
	rows, err := r.Changes(after, limit)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if row.Revision != after+int64(i)+1 || row.Revision > last {
			return nil, store.Errorf(store.ErrCorrupt, "change %d is where change %d belongs, the last is %d",
				row.Revision, after+int64(i)+1, last)
		}
	}
	if len(rows) == 0 {
		return nil, store.Errorf(store.ErrCorrupt, "change %d is missing", after+1)
	}
	return rows, nil
}

// Backward yields the rows from the revision last down to the one after oldest. It reads atOnce rows
// in one go.
func Backward(r store.Reader, last, oldest int64, atOnce int) iter.Seq2[store.Change, error] {
	return func(yield func(store.Change, error) bool) {
		for last > oldest {
			after := max(oldest, last-int64(atOnce))
			rows, err := Rows(r, after, last, int(last-after))
			if end := after + int64(len(rows)); err == nil && end < last {
				err = store.Errorf(store.ErrCorrupt, "change %d is missing", end+1)
			}
			if err != nil {
				yield(store.Change{}, err)
				return
			}
			for _, row := range slices.Backward(rows) {
				if !yield(row, nil) {
					return
				}
			}
			last = after
		}
	}
}

// row returns a row of the journal as a Coalescer takes it.
func (o Selection) row(c store.Change) Row {
	own := o.Except != nil && c.Author == *o.Except
	r := Row{Change: c, Own: own}
	if c.Op == store.OpRedact {
		r.Aside, r.Before = true, c.After // the current version stays
	}
	return r
}

// recent returns the paths that changed last, with what the newest rows of the journal say of
// them. Paths that these rows name changed after all others.
func recent(r store.Reader, state store.OwnerState, o Selection) (List, error) {
	c := List{Cursor: state.Revision, Last: state.Revision}
	newest, err := newestRows(r, state)
	if err != nil {
		return List{}, err
	}
	for _, kind := range []store.PathKind{store.KindFile, store.KindLog} {
		for page, err := range store.Pages(r, store.ScanQuery{Kind: kind, Prefix: o.Prefix, Limit: headsAtOnce}) {
			if err != nil {
				return c, err
			}
			for _, h := range page.Files {
				c.Paths = append(c.Paths, asNew(newest[key{kind, h.Path}], kind, h.Path, h.Version, h.Updated))
			}
			for _, h := range page.Logs {
				c.Paths = append(c.Paths, asNew(newest[key{kind, h.Path}], kind, h.Path, h.Last, h.Updated))
			}
			slices.SortFunc(c.Paths, func(a, b store.Change) int {
				return cmp.Or(cmp.Compare(b.Revision, a.Revision), b.Time.Compare(a.Time), cmp.Compare(a.Path, b.Path),
					cmp.Compare(a.Kind, b.Kind))
			})
			if len(c.Paths) > o.Limit {
				c.Paths, c.More = c.Paths[:o.Limit], true
			}
		}
	}
	return c, nil
}

// asNew returns the row of a path at which there is something, for a reader who knows nothing there.
// row is the newest one of the path, or zero.
func asNew(row store.Change, kind store.PathKind, path string, number int64, updated time.Time) store.Change {
	if row.Op == "" || row.Op == store.OpMove {
		row.Op = firstOp(kind)
	}
	row.Kind, row.Path, row.From, row.Before, row.After, row.Entries, row.Time = kind, path, "", 0, number, 0, updated
	return row
}

// newestRows returns the newest rows of paths, of those at the end of the journal.
func newestRows(r store.Reader, state store.OwnerState) (map[key]store.Change, error) {
	newest := map[key]store.Change{}
	for at := state.Revision - min(state.Changes, recentRows); at < state.Revision; {
		rows, err := Rows(r, at, state.Revision, RowsAtOnce)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.Op != store.OpRedact { // the path changed last when it was written
				newest[key{row.Kind, row.Path}] = row
			}
		}
		at = rows[len(rows)-1].Revision
	}
	return newest, nil
}
