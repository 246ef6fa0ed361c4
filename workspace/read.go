package workspace

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// ReadOptions of [Workspace.ReadFile]. The zero value reads the current version
// whole. Since excludes Version, FromLine and ToLine.
type ReadOptions struct {
	Since int64 // the version that the reader knows: returns only what changed after it; 0: off
	// Context is how many equal lines to show around a change, with Since. -1: all of them, even
	// if the diff costs more than the file.
	Context  int
	Version  int64 // a version that is kept; 0: the current one
	FromLine int   // the first line to return, from 1; 0: the first
	ToLine   int   // the last line to return; 0, or a line after the end: the last of the file

	// MaxTokens bounds what Content or Diff costs a model, as tokens.Estimate counts.
	// By the exact count of o200k_base that is up to 5 % more for English, code, JSON
	// and Chinese, and up to a third more for other languages. 0: no bound.
	MaxTokens int

	// Zeros are the arguments that somebody gave as 0. A front end that can tell 0 from
	// nothing sets it. They are checked like other values: Version 0 is refused, and
	// Context 0 needs Since.
	Zeros []Arg

	// Compare is asked before two texts of so many bytes are compared, which may take 24
	// times as much memory. Its error ends the call. nil: nobody is asked.
	Compare func(bytes int64) error
}

// ReadResult is a file, a part of one, or what changed in it.
type ReadResult struct {
	Path    string
	Current int64 // the current version

	// Of the version that was read: ReadOptions.Version, or else the current one.
	Version int64
	Bytes   int64 // of the whole version
	Lines   int   // of the whole version: "a\nb" has 2, "" none
	SHA256  [sha256.Size]byte
	Author  Author
	Time    time.Time
	Project string // see [Workspace.From]

	Content  []byte // the version or its lines; nil if Diff, Changed or Unchanged is set
	FromLine int    // the first line of Content; 0: Content is the whole version
	ToLine   int    // the last line of Content
	Large    bool   // Content costs over 20,000 tokens: better read a part

	// Truncated says that Content or Diff would cost more than ReadOptions.MaxTokens.
	//
	// Content then ends with the line ToLine. If the first line alone is too long,
	// Content ends within it, and CutBytes is how many bytes of the line are left out.
	//
	// In place of a Diff, or of Content that is larger than the diff, Changed and Removed
	// say which lines to read. Each has at most 100 ranges, in ascending order. Together
	// they cost no more than MaxTokens, unless one range each costs more.
	Truncated bool
	CutBytes  int64
	Changed   []LineRange // new lines of the current version; nil if Diff or Content is set
	Removed   []LineRange // lines of the version Since that are gone
	Joined    bool        // some ranges cover unchanged lines too

	CanSummarize bool // Truncated is set, and Summarize makes a summary of this version

	Since int64            // as in ReadOptions
	Diff  []linediff.Chunk // what has changed after Since; nil if Content is set
	// Diff as linediff.AppendJSON writes it, which was built to know its cost; nil if Diff is nil
	DiffJSON      []byte
	Unchanged     bool // Since is the current version, whose content was not read; Lines is 0
	VersionTooOld bool // Since is not retained, or is redacted: Content is the whole file
	// DiffLarger says that the diff would cost more than the file. Content is then the whole file,
	// within MaxTokens.
	DiffLarger bool
}

// LineRange is a range of lines, both ends included, numbered from 1.
type LineRange struct{ From, To int }

// ReadFile returns a file, a retained version, some lines, or what has changed since a
// version that the reader knows. If a diff would cost a model more than the file, it
// returns the file.
// Errors: [ErrNotFound] if the file does not exist, or the version is not retained or is
// redacted;
// [ErrInvalid] for a Since above the current version; [ErrCorrupt] if the stored bytes
// are not those that were written.
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
	l, err := w.load(ctx, store.Query{File: path, Current: true, Version: o.Version, Since: max(0, o.Since)})
	if err == nil {
		err = o.checkLoaded(l)
	}
	if err != nil {
		return ReadResult{}, err
	}
	head, v := l.File, l.Version
	r := ReadResult{
		Path: path, Current: head.Version, Version: v.Number, Bytes: v.Size,
		SHA256: v.SHA256, Author: v.Author, Time: v.Time, Project: v.Project, Since: o.Since,
	}
	if r.Unchanged = o.Since == head.Version; r.Unchanged {
		return r, nil
	}
	err = r.setText(l, o)
	r.CanSummarize = r.Truncated && r.Version == r.Current && w.svc.summarizer != nil && summaries.IsLong(v.Content)
	return r, err
}
