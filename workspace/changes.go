package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
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

	Compare func(bytes int64) error // as in ReadOptions
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
	// an OpEdit. What came and went after Since is left out. An OpRedact means that nothing
	// happened to the file but redactions of earlier versions: Before and After are both
	// its version, and Follow has the redacted ones. Entries is 0.
	//
	// With Recent or TooOld, Before is 0. A path that was changed long ago has no
	// Revision and no Author; its Op is OpCreate or OpAppend.
	Paths []Change

	// With ChangesOptions.Diffs, Diffs has what has changed in files and logs, in the order
	// of Paths, as much as costs a model at most 4,000 tokens together, as tokens.Estimate
	// counts. A difference never costs more than to read the file whole. A file whose text
	// is what it was, such as one that was only moved, has none. Omitted counts the paths
	// whose difference is left out: it does not fit, a version is larger than
	// [Limits.FileBytes] is now, or what the reader had is not kept any more. With Recent
	// or TooOld, all are left out.
	Diffs   []PathDiff
	Omitted int
}

// A PathDiff is what has changed at a path.
type PathDiff struct {
	Kind PathKind
	Path string

	// Text is the difference of a file's versions as diff -u writes it, without context,
	// or the new entries of a log: a line with its path and the time of the first of them,
	// and the lines of [LogPage.AppendLines]. It has no line feed at its end.
	Text []byte
}

const (
	opChanges = "changes"

	pageChanges   = 100 // paths, as many as Changes returns
	recentChanges = 20  // paths without a cursor
)

// Changes returns what has changed since a cursor, one row for each path. If the cursor
// is too old, Changes returns the paths that changed last. Changes counts as one operation.
// Errors: [ErrInvalid] for a cursor above the last revision.
func (w *Workspace) Changes(ctx context.Context, o ChangesOptions) (Changes, error) {
	if err := o.complete(w.paths); err != nil {
		return Changes{}, within(opChanges, "", err)
	}
	l, err := view(ctx, w, func(r store.Reader) (changes.List, error) {
		return changes.Read(r, changes.Selection{Since: o.Since, Recent: o.Recent, Prefix: o.Prefix, Limit: o.Limit,
			Except: o.Except, Kept: w.svc.limits.Changes})
	})
	c := Changes{Cursor: l.Cursor, More: l.More, TooOld: l.TooOld, Paths: l.Paths}
	if w.counted(err) == nil && o.Diffs {
		load := func(q store.Query) (store.Loaded, error) { return w.load(ctx, q) }
		var diffs []changes.Diff
		diffs, c.Omitted, err = changes.Diffs(c.Paths, o.Recent || c.TooOld, w.svc.limits.FileBytes, o.Compare, load)
		for _, d := range diffs {
			c.Diffs = append(c.Diffs, PathDiff(d))
		}
	}
	if err != nil {
		return Changes{}, within(opChanges, "", err)
	}
	return c, nil
}

// complete checks the options, and sets the limit.
func (o *ChangesOptions) complete(paths PathRule) (err error) {
	if o.Prefix, err = paths.clean(ArgPrefix, o.Prefix, names.Rule.Prefix); err != nil {
		return err
	}
	if o.Recent && o.Since != 0 {
		return Errorf(ErrInvalid, "%s and Recent exclude each other", ArgSinceChange)
	}
	usual := pageChanges
	if o.Recent {
		usual = recentChanges
	}
	if o.Except != nil {
		o.Except = new(shortened(*o.Except))
	}
	if err := setLimit(&o.Limit, pageChanges, usual); err != nil {
		return err
	}
	return checkNumber(ArgSinceChange, o.Since, 0)
}
