package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
)

// ChangesOptions of [Workspace.Changes]. The zero value returns what has changed since
// the agent's first write.
type ChangesOptions struct {
	Since  int64   // the cursor: a revision, whose changes and those before it the reader knows
	Recent bool    // there is no cursor: returns the paths that changed last; excludes Since
	Prefix string  // of the paths, and of those before a move, as in ListOptions
	Limit  int     // paths at most, 1-100; 0: 100, or 20 with Recent
	Except *Author // leaves out a path if nobody else has changed it; all fields must be equal; nil: nobody
	Diffs  bool    // returns the differences too
}

// Changes is what has changed in the files and logs of an agent. All of it comes from one
// snapshot.
type Changes struct {
	Cursor int64 // the revision for the next call: what is committed later has a higher one
	More   bool  // there are more changes after Cursor; with Recent or TooOld: more paths

	// TooOld says that the journal does not reach back to Since. Then Paths are those
	// that changed last, as with Recent. [Workspace.ListFiles] and [Workspace.ListLogs]
	// have all of them.
	TooOld bool

	// Paths has one row for each path, in the order of the newest changes; with Recent or
	// TooOld, the newest first.
	//
	// Revision, Op, Author and Time are those of the newest change. Before is what a
	// reader had at Since, and After what there is now. A file that is new to the reader
	// is an OpCreate, and a log an OpAppend. One that was moved is an OpMove from the
	// path where the reader had it, whatever happened after; one that was moved back is
	// an OpEdit. What came and went after Since is left out. Entries is 0.
	//
	// With Recent or TooOld, Before is 0. A path that was changed long ago has no
	// Revision and no Author; its Op is OpCreate or OpAppend.
	Paths []Change

	// With ChangesOptions.Diffs, Diffs has what has changed in files and logs, in the order
	// of Paths, as much as costs a model at most 4,000 tokens together, as tokens.Estimate
	// counts. A difference never costs more than to read the file whole. Omitted counts the
	// paths whose difference is left out: it does not fit, or what the reader had is not
	// kept any more. With Recent or TooOld, all are left out.
	Diffs   []PathDiff
	Omitted int
}

const (
	opChanges = "changes"

	pageChanges   = 100  // paths, as many as Changes returns
	recentChanges = 20   // paths without a cursor
	changeRows    = 500  // rows of the journal that are read at once
	recentRows    = 1000 // of the end of the journal, for Recent; fewRows if they name enough paths
	fewRows       = 100
)

// Changes returns what has changed since a cursor, one row for each path. If the cursor
// is too old, it returns the paths that changed last. It counts as one read. If nothing
// is new, it reads the owner's state alone.
// Errors: [ErrInvalid] for a cursor above the last revision.
func (w *Workspace) Changes(ctx context.Context, o ChangesOptions) (Changes, error) {
	if err := checkContext(ctx, opChanges, ""); err != nil {
		return Changes{}, err
	}
	if err := o.complete(w.paths); err != nil {
		return Changes{}, err
	}
	var c Changes
	err := w.viewCounted(ctx, func(r Reader) (err error) {
		c, err = w.readChanges(r, o)
		return err
	})
	if err != nil {
		return Changes{}, within(opChanges, "", err)
	}
	if o.Diffs {
		if err := w.addDiffs(ctx, &c, o); err != nil {
			return Changes{}, within(opChanges, "", err)
		}
	}
	return c, nil
}

// complete checks the options, and sets the limit.
func (o *ChangesOptions) complete(paths PathRule) (err error) {
	if o.Prefix, err = paths.clean(ArgPrefix, o.Prefix, names.Rule.Prefix); err != nil {
		return within(opChanges, "", err)
	}
	if err := checkNumber(opChanges, "", ArgSinceChange, o.Since, 0); err != nil {
		return err
	}
	if o.Recent && o.Since != 0 {
		return fail(ErrInvalid, opChanges, "", "%s and Recent exclude each other", ArgSinceChange)
	}
	if o.Limit < 0 || o.Limit > pageChanges {
		return fail(ErrInvalid, opChanges, "", "%s is %d, allowed are 1-%d", ArgLimit, o.Limit, pageChanges)
	}
	if o.Limit == 0 {
		o.Limit = pageChanges
		if o.Recent {
			o.Limit = recentChanges
		}
	}
	if o.Except != nil {
		except := shortened(*o.Except)
		o.Except = &except
	}
	return nil
}

func (w *Workspace) readChanges(r Reader, o ChangesOptions) (Changes, error) {
	state, err := r.Owner()
	if err != nil {
		return Changes{}, err
	}
	if o.Recent {
		return recent(r, state, o)
	}
	switch kept, err := w.keeps(state, o.Since); {
	case err != nil:
		return Changes{}, err
	case !kept:
		c, err := recent(r, state, o)
		c.TooOld = true
		return c, err
	}
	return coalesced(r, state, o)
}

// keeps reports whether the journal has all rows after a revision. Those that a later
// write will remove do not count, so that the answer does not depend on when that is.
func (w *Workspace) keeps(state OwnerState, since int64) (bool, error) {
	if since > state.Revision {
		return false, or(Errorf(ErrInvalid, "%s is %d, the last revision is %d", ArgSinceChange, since, state.Revision), DoGiveAtMost, state.Revision)
	}
	return since >= state.Revision-min(state.Changes, w.svc.limits.Changes), nil
}

// coalesced makes one row of all those of a path.
func coalesced(r Reader, state OwnerState, o ChangesOptions) (Changes, error) {
	c := Changes{Cursor: o.Since}
	fold := changes.New[Change](o.Prefix, o.Limit)
	for c.Cursor < state.Revision && !c.More {
		rows, err := nextRows(r, c.Cursor, state.Revision, changeRows)
		if err != nil {
			return Changes{}, err
		}
		for _, row := range rows {
			if c.More = !fold.Add(o.row(row)); c.More {
				break
			}
			c.Cursor = row.Revision
		}
	}
	for _, p := range fold.Paths() {
		row := p.Mark
		row.Path, row.From, row.Before, row.After, row.Entries = p.Path, p.From, p.Before, p.After, 0
		switch p.Fate {
		case changes.Created:
			row.Op = firstOp(row.Kind)
		case changes.Moved:
			row.Op = OpMove
		case changes.Deleted:
			row.Op = OpDelete
		case changes.Changed:
			if row.Op == OpMove {
				row.Op = OpEdit
			}
		}
		c.Paths = append(c.Paths, row)
	}
	return c, nil
}

// firstOp returns the operation that makes a file or a log.
func firstOp(k PathKind) ChangeOp {
	if k == KindLog {
		return OpAppend
	}
	return OpCreate
}

// nextRows returns the rows after a revision, of a journal that has some. limit is a
// number of rows.
func nextRows(r Reader, after, last int64, limit int) ([]Change, error) {
	rows, err := r.Changes(after, limit)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if row.Revision != after+int64(i)+1 || row.Revision > last {
			return nil, Errorf(ErrCorrupt, "change %d is where change %d belongs, the last is %d", row.Revision, after+int64(i)+1, last)
		}
	}
	if len(rows) == 0 {
		return nil, Errorf(ErrCorrupt, "change %d is missing", after+1)
	}
	return rows, nil
}

// row returns a row of the journal as package changes wants it.
func (o ChangesOptions) row(c Change) changes.Row[Change] {
	own := o.Except != nil && c.Author == *o.Except
	return changes.Row[Change]{Kind: string(c.Kind), Path: c.Path, From: c.From, Before: c.Before, After: c.After, Own: own, Mark: c}
}

// recent returns the paths that changed last, with what the newest rows of the journal
// say of them.
func recent(r Reader, state OwnerState, o ChangesOptions) (Changes, error) {
	c := Changes{Cursor: state.Revision}
	newest, err := newestRows(r, state, o)
	if err != nil {
		return Changes{}, err
	}
	err = eachHead(r.Files, o.Prefix, func(h FileHead) string {
		newest.Head(changes.Head{Kind: string(KindFile), Path: h.Path, Number: h.Version, Updated: h.Updated})
		return h.Path
	})
	if err == nil {
		err = eachHead(r.Logs, o.Prefix, func(h LogHead) string {
			newest.Head(changes.Head{Kind: string(KindLog), Path: h.Path, Number: h.Last, Updated: h.Updated})
			return h.Path
		})
	}
	c.More = newest.Each(func(h changes.Head, row Change, known bool) {
		kind := PathKind(h.Kind)
		if !known || row.Op == OpMove {
			row.Op = firstOp(kind)
		}
		row.Kind, row.Path, row.From, row.Before, row.After, row.Entries, row.Time = kind, h.Path, "", 0, h.Number, 0, h.Updated
		c.Paths = append(c.Paths, row)
	})
	return c, err
}

// newestRows returns a Newest with the last rows of the journal: few, or more if the few
// name too few paths.
func newestRows(r Reader, state OwnerState, o ChangesOptions) (*changes.Newest[Change], error) {
	newest, err := lastRows(r, state, o, fewRows)
	if err != nil || newest.Named(o.Prefix) >= o.Limit || state.Changes <= fewRows {
		return newest, err
	}
	return lastRows(r, state, o, recentRows)
}

func lastRows(r Reader, state OwnerState, o ChangesOptions, most int64) (*changes.Newest[Change], error) {
	newest := changes.NewNewest[Change](o.Limit)
	for at := state.Revision - min(state.Changes, most); at < state.Revision; {
		rows, err := nextRows(r, at, state.Revision, changeRows)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			newest.Row(o.row(row))
		}
		at = rows[len(rows)-1].Revision
	}
	return newest, nil
}

// eachHead calls fn for the heads of all files, or of all logs, whose path begins with a
// prefix. fn returns the path.
func eachHead[H any](read func(prefix, after string, limit int) ([]H, error), prefix string, fn func(H) string) error {
	for after := ""; ; {
		heads, err := read(prefix, after, pagePaths)
		if err != nil {
			return err
		}
		for _, h := range heads {
			after = fn(h)
		}
		if len(heads) < pagePaths {
			return nil
		}
	}
}
