package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ChangesOptions of [Workspace.Changes]. The zero value returns all changes since the agent's
// first write, with one row for each path.
type ChangesOptions struct {
	Since  int64   // the cursor: the last revision that the reader knows; 0: none
	Recent bool    // ignores the cursor and returns the paths that changed last; excludes Since
	Each   bool    // returns each change by itself
	Prefix string  // as in ListOptions, of the present path or the path before a move; may be a whole path
	Limit  int     // rows at most, 1-100; 0: 100, or 20 with Recent
	Except *Author // the reader, who knows its own changes; compares all fields; nil: no change is its own
	Diffs  bool    // returns the differences too

	Compare func(bytes int64) error // as in ReadOptions
}

// Changes is what has changed in the files and logs of an agent. All fields but Diffs and
// Omitted come from one snapshot.
type Changes struct {
	Cursor int64 // Since for the next call; all later changes have higher revisions
	Last   int64 // the agent's last revision
	Oldest int64 // the lowest Since that is not too old
	More   bool  // there are more changes after Cursor; with Recent or TooOld: older ones

	// TooOld says that the journal does not reach back to Since. Then Paths are those
	// that changed last, as with Recent. [Workspace.ListFiles] and [Workspace.ListLogs]
	// return all paths.
	TooOld bool

	// Paths has one row for each path, in the order of the newest changes; with Recent or
	// TooOld, the newest first.
	//
	// Revision, Op, Author and Time are those of the newest change. Before is the version
	// or entry number that the reader knows, and After the present one. The reader knows what
	// was there at Since, and what ChangesOptions.Except has written itself before the first
	// change of somebody else. If a file is new since then, Op is OpCreate, and for a new log
	// OpAppend. If a file was moved, Op is OpMove and From is the path that the reader knows,
	// whatever happened after the move. If a file was moved back, or deleted and written again,
	// Op is OpEdit. A file or log that was both created and deleted is left out, and so is one
	// with no changes but the reader's own.
	// OpRedact means that only earlier versions of the file were redacted. Before and After
	// are then both the current version; [Workspace.ChangeLog] has the redacted versions.
	// Entries is always 0.
	//
	// With Recent or TooOld, Before is 0. If a path was changed long ago, its Revision is 0,
	// its Author is empty, and its Op is OpCreate or OpAppend.
	//
	// With ChangesOptions.Each, Paths has the rows of the journal as they are, without those of
	// Except: in their order, or with Recent or TooOld, the newest first.
	Paths []Change

	// Authors has for each of Paths who has changed it since the version Before: the last three,
	// the newest first. Authors with the same Client, or without one the same Key, count as one.
	// With Recent, TooOld or ChangesOptions.Each it is the author of the newest change alone.
	Authors [][]Author

	// Own is how many of the changes up to Cursor are those of ChangesOptions.Except. 0 with
	// Recent, TooOld or ChangesOptions.Each.
	Own int64

	// Diffs has the differences in files and logs, in the order of Paths, if
	// ChangesOptions.Diffs is set. Together they cost a model at most 4,000 tokens, as
	// [Options].CountTokens counts. If not all fit, those of the oldest changes are left out. A
	// difference never costs more than reading the whole file. A deleted file has no difference.
	// Diffs are read after the snapshot of Paths, but never show later changes.
	Diffs   []PathDiff
	Omitted int // paths of which something is left out; see PathDiff.LeftOut; some may have no PathDiff
}

// A PathDiff is the difference at one path, or says why there is none.
type PathDiff struct {
	Row int // the index of the path in Changes.Paths

	// Text of a file is the difference of two versions as diff -u writes it, without context. If
	// that would cost a model more than the file, or if a new file costs less than 60 tokens, Text
	// is the whole new text instead: a line that begins with +++, and then the lines of the text.
	// Each line that is not empty has a space before it. Text of a log is a line with the path and
	// the time of the first entry, and the lines of [LogPage.AppendLines] for the new entries.
	// Text has no line feed at its end.
	Text []byte

	// LeftOut says in a few words why there is no Text, or what of the new entries Text does not
	// have: it does not fit, a version is larger than [Limits].FileBytes is now, or something is
	// redacted, damaged or not retained any more. "": nothing is left out.
	LeftOut string
	Since   int64 // with LeftOut, the version or entry from which to read on; 0: read it whole
	Version int64 // with LeftOut, the version of a file to read; 0: the current one
	Gone    bool  // with LeftOut: it is redacted or not kept, and no call shows it
	Same    bool  // the text of the file is the same
}

// Unlisted returns how many of the Omitted paths have no PathDiff.
func (c Changes) Unlisted() int {
	n := c.Omitted
	for _, d := range c.Diffs {
		if d.LeftOut != "" {
			n--
		}
	}
	return n
}

const (
	opChanges = "changes"

	pageChanges   = 100 // paths, as many as Changes returns
	recentChanges = 20  // paths without a cursor
)

// Changes returns what has changed since the cursor o.Since, with one row for each path or for
// each change. If the cursor is too old, Changes returns the paths that changed last. Changes counts as one
// operation. Errors: [ErrInvalid] for a cursor above the last revision.
func (w *Workspace) Changes(ctx context.Context, o ChangesOptions) (Changes, error) {
	if err := o.complete(w.svc.o.Paths); err != nil {
		return Changes{}, within(opChanges, "", err)
	}
	l, err := view(ctx, w, func(r store.Reader) (changes.List, error) {
		return changes.Read(r, changes.Selection{Since: o.Since, Recent: o.Recent, Each: o.Each, Prefix: o.Prefix,
			Limit: o.Limit, Except: o.Except, Kept: w.svc.o.Limits.Changes})
	})
	c := Changes{Cursor: l.Cursor, Last: l.Last, Oldest: l.Oldest, More: l.More, TooOld: l.TooOld, Paths: l.Paths,
		Authors: l.Authors, Own: l.Own}
	for _, p := range c.Paths[len(c.Authors):] {
		c.Authors = append(c.Authors, []Author{p.Author})
	}
	if w.counted(err) == nil && o.Diffs {
		d := changes.Differ{Most: w.svc.o.Limits.FileBytes, Count: w.svc.o.CountTokens, Compare: o.Compare,
			Load: func(q store.Query) (store.Loaded, error) { return w.loadReadable(ctx, q) }}
		var diffs []changes.Diff
		diffs, c.Omitted, err = d.Diffs(c.Paths, o.Recent || c.TooOld)
		for _, d := range diffs {
			c.Diffs = append(c.Diffs, PathDiff(d))
		}
	}
	if err != nil {
		return Changes{}, within(opChanges, "", err)
	}
	return c, nil
}

// loadReadable loads versions of a file that somebody may see: none of a deleted file whose time
// is over.
func (w *Workspace) loadReadable(ctx context.Context, q store.Query) (store.Loaded, error) {
	l, err := w.load(ctx, q)
	if l.File = unexpired(l.File, w.svc.o.Now()); q.File != "" && !readable(l.File, w.svc.o.Now()) {
		l.Version, l.Old, l.Versions = Version{}, Version{}, nil
	}
	return l, err
}

// complete checks the options, and sets the limit.
func (o *ChangesOptions) complete(paths PathRule) (err error) {
	if o.Prefix, err = paths.stored(store.ArgPrefix, o.Prefix, names.Rule.Prefix); err != nil {
		return err
	}
	if o.Recent && o.Since != 0 {
		return Errorf(ErrInvalid, "%s and Recent exclude each other", store.ArgSinceChange)
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
	return checkNumber(store.ArgSinceChange, o.Since, 0)
}
