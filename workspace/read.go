package workspace

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ReadOptions of [Workspace.ReadFile]. The zero value reads the current version
// whole. Since excludes Version, FromLine and ToLine.
type ReadOptions struct {
	Since int64 // the version that the reader knows: returns only the changes after it; 0: off
	// Context is how many equal lines to show around each change, with Since. -1: all of them,
	// even if the diff costs more than the file.
	Context  int
	Version  int64 // a retained version, also of a deleted file; 0: the current one
	FromLine int   // the first line to return, from 1; 0: the first
	ToLine   int   // the last line to return; 0, or a line after the end: the last line of the file

	// Section is the heading of a section of Markdown: only its lines are returned, up to the
	// next heading of its level or above. Case, accents and marks of Markdown do not matter. If no
	// section or several have the heading, the error names the nearest headings and their lines.
	// Section excludes Since, FromLine and ToLine. "": no section.
	Section string

	// MaxTokens is the most tokens that Content or Diff may cost a model, as
	// [Options].CountTokens counts. 0: no bound.
	MaxTokens int

	// Zeros are the arguments that somebody gave as 0. A front end sets Zeros if it can tell
	// a 0 from a missing argument. ReadFile checks these zeros like other values: it refuses
	// Version 0, and Context 0 needs Since.
	Zeros []store.Arg

	// Compare is called before two texts are compared, with the bytes of both together. A
	// comparison may use 24 times as much memory. If Compare returns an error, the call ends
	// with that error. nil: all comparisons are allowed.
	Compare func(bytes int64) error

	count fit.Counter // of the Service
}

// ReadResult is a file, a part of a file, or the changes in a file.
type ReadResult struct {
	Path    string
	Current int64 // the current version; 0: the file is deleted

	// These fields describe the version that was read: ReadOptions.Version, or the current one.
	Version int64
	Bytes   int64 // of the whole version
	Lines   int   // of the whole version: "a\nb" has 2, "" has 0
	SHA256  [sha256.Size]byte
	Author  Author
	Time    time.Time
	Project string // see [Workspace.From]

	Content  []byte // the version or its lines; nil if Diff, Changed or Unchanged is set
	FromLine int    // the first line of Content; 0: Content is the whole version
	ToLine   int    // the last line of Content

	Section LineRange // the lines of ReadOptions.Section; zero without it

	// Truncated says that Content or Diff would cost more than ReadOptions.MaxTokens.
	//
	// Content then ends with the line ToLine. If the first line alone is too long, Content
	// ends within that line, and CutBytes is how many bytes of the line are left out.
	//
	// With Since, Changed and Removed take the place of Diff and Content, and say which lines
	// to read. Each has at most 100 ranges, in ascending order. Together they cost no more
	// than MaxTokens, unless a single range of each costs more.
	Truncated bool
	CutBytes  int64
	Changed   []LineRange // new lines of the current version; nil if Diff or Content is set
	Removed   []LineRange // lines of the version Since that are gone
	Joined    bool        // some ranges also cover unchanged lines

	CanSummarize bool // Truncated is set, and Summarize can make a summary of this version

	Since int64            // as in ReadOptions
	Diff  []linediff.Chunk // the changes after Since; nil if Content is set
	// DiffJSON is Diff as linediff.AppendJSON writes it; nil if Diff is nil.
	DiffJSON      []byte
	Unchanged     bool // Since has the text of the current version; nothing was compared, and Lines is 0
	VersionTooOld bool // Since is not retained, or is redacted: Content is the whole file
	// DiffLarger says that the diff would cost more than the file. Content is then the whole file,
	// within MaxTokens.
	DiffLarger bool
}

// LineRange is a range of lines, with both ends included. The first line of a file is 1.
type LineRange struct{ From, To int }

// ReadFile returns a file, a retained version, some lines, or the changes since a version
// that the reader knows. If the diff would cost a model more than the file, ReadFile returns
// the file. Errors: [ErrNotFound] if the file does not exist, with a [Deletion] in the chain if
// it was deleted and can be restored, or if the version is not retained or is redacted;
// [ErrInvalid] for a Since above the current version; [ErrCorrupt] if the stored bytes are not
// those that were written.
func (w *Workspace) ReadFile(ctx context.Context, path string, o ReadOptions) (ReadResult, error) {
	p, err := w.start(ctx, path)
	if err == nil {
		err = o.check()
	}
	var r ReadResult
	if err == nil {
		r, err = w.read(ctx, p.name, o)
	}
	if w.counted(err) != nil {
		return ReadResult{}, within("read", path, w.withNearest(ctx, p.name, err))
	}
	return r, nil
}

func (w *Workspace) read(ctx context.Context, path string, o ReadOptions) (ReadResult, error) {
	o.count = w.svc.o.CountTokens
	l, err := w.load(ctx, store.Query{File: path, Current: true, Version: o.Version, Since: max(0, o.Since)})
	if err == nil {
		err = o.checkLoaded(l, w.svc.o.Now())
	}
	if err != nil {
		return ReadResult{}, err
	}
	head, v := l.File, l.Version
	r := ReadResult{
		Path: path, Current: head.Version, Version: v.Number, Bytes: v.Size,
		SHA256: v.SHA256, Author: v.Author, Time: v.Time, Project: v.Project, Since: o.Since,
	}
	if !head.Exists() {
		r.Current = 0
	}
	same := l.Old.Number != 0 && l.Old.SHA256 == v.SHA256 && o.Context >= 0 // as after a move alone
	if r.Unchanged = o.Since == head.Version || same; r.Unchanged {
		return r, nil
	}
	err = r.setText(l, o)
	r.CanSummarize = r.Truncated && r.Version == r.Current && w.svc.o.Summarizer != nil && summaries.IsLong(v.Content)
	return r, err
}
