package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ChangesOptions of [Workspace.Changes]. The zero value returns all changes since the agent's
// first write.
type ChangesOptions struct {
	Since  int64   // the cursor: the last revision that the reader knows; 0: none
	Recent bool    // ignores the cursor and returns the paths that changed last; excludes Since
	Prefix string  // as in ListOptions, of the present path or the path before a move
	Limit  int     // paths at most, 1-100; 0: 100, or 20 with Recent
	Except *Author // leaves out paths that only this author has changed; compares all fields; nil: none are left out
	Diffs  bool    // returns the differences too

	Compare func(bytes int64) error // as in ReadOptions
}

// Changes is what has changed in the files and logs of an agent. All fields but Diffs and
// Omitted come from one snapshot.
type Changes struct {
	Cursor int64 // Since for the next call; all later changes have higher revisions
	More   bool  // there are more changes after Cursor; with Recent or TooOld: more paths

	// TooOld says that the journal does not reach back to Since. Then Paths are those
	// that changed last, as with Recent. [Workspace.ListFiles] and [Workspace.ListLogs]
	// return all paths.
	TooOld bool

	// Paths has one row for each path, in the order of the newest changes; with Recent or
	// TooOld, the newest first.
	//
	// Revision, Op, Author and Time are those of the newest change. Before is the version
	// or entry number at Since, and After the present one. If a file is new since Since, Op is
	// OpCreate, and for a new log OpAppend. If a file was moved, Op is OpMove and From is
	// the path at Since, whatever happened after the move. If a file was moved back, Op is
	// OpEdit. A file or log that was both created and deleted after Since is left out.
	// OpRedact means that only earlier versions of the file were redacted. Before and After
	// are then both the current version; [Workspace.ChangeLog] has the redacted versions.
	// Entries is always 0.
	//
	// With Recent or TooOld, Before is 0. If a path was changed long ago, its Revision is 0,
	// its Author is empty, and its Op is OpCreate or OpAppend.
	Paths []Change

	// Diffs has the differences in files and logs, in the order of Paths, if
	// ChangesOptions.Diffs is set. Together they cost a model at most 4,000 tokens, as
	// [Options].CountTokens counts. A difference never costs more than reading the whole file. A
	// deleted file has no difference, nor has a file with unchanged text, such as one that
	// was only moved. Diffs are read after the snapshot of Paths, but never show later
	// changes.
	//
	// Omitted counts the paths whose difference is left out. A difference is left out if it
	// does not fit, if a version is larger than [Limits].FileBytes is now, or if the version
	// or the entries are not retained any more. With Recent or TooOld, all are left out.
	Diffs   []PathDiff
	Omitted int
}

// A PathDiff is the difference at one path.
type PathDiff struct {
	Kind PathKind
	Path string

	// Text of a file is the difference of two versions as diff -u writes it, without context.
	// Text of a log is a line with the path and the time of the first new entry, and the lines
	// of [LogPage.AppendLines] for the new entries. Text has no line feed at its end.
	Text []byte
}

const (
	opChanges = "changes"

	pageChanges   = 100 // paths, as many as Changes returns
	recentChanges = 20  // paths without a cursor
)

// Changes returns what has changed since the cursor o.Since, with one row for each path. If
// the cursor is too old, Changes returns the paths that changed last. Changes counts as one
// operation. Errors: [ErrInvalid] for a cursor above the last revision.
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
		diffs, c.Omitted, err = changes.Diffs(c.Paths, o.Recent || c.TooOld, w.svc.limits.FileBytes, o.Compare, load,
			w.svc.count)
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
	if o.Prefix, err = paths.stored(ArgPrefix, o.Prefix, names.Rule.Prefix); err != nil {
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
