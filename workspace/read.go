package workspace

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/condition"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/summaries"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
)

// ReadOptions of [Workspace.ReadFile]. The zero value reads the current version
// whole. Since excludes Version, FromLine and ToLine.
type ReadOptions struct {
	Since    int64 // the version that the reader knows: returns only what changed after it; 0: off
	Context  int   // with Since: equal lines to show around a change; -1: all of them, even if the diff costs more than the file
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
}

// given reports whether an argument was given.
func (o ReadOptions) given(arg Arg, n int64) bool { return n != 0 || slices.Contains(o.Zeros, arg) }

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

	Since         int64            // as in ReadOptions
	Diff          []linediff.Chunk // what has changed after Since; nil if Content is set
	DiffJSON      []byte           // Diff as linediff.AppendJSON writes it, which was built to know its cost; nil if Diff is nil
	Unchanged     bool             // Since is the current version, whose content was not read; Lines is 0
	VersionTooOld bool             // Since is not retained: Content is the whole file
	DiffLarger    bool             // the diff would cost more than the file: Content is the whole file, within MaxTokens
}

// largeTokens is the number of tokens above which a text is marked as large.
const largeTokens = 20_000

// ReadFile returns a file, a retained version, some lines, or what has changed since a
// version that the reader knows. If a diff would cost a model more than the file, it
// returns the file.
// Errors: [ErrNotFound] if the file does not exist or the version is not retained;
// [ErrInvalid] for a Since above the current version; [ErrCorrupt] if the stored bytes
// are not those that were written.
func (w *Workspace) ReadFile(ctx context.Context, path string, o ReadOptions) (ReadResult, error) {
	const op = "read"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return ReadResult{}, err
	}
	if err := o.check(path); err != nil {
		return ReadResult{}, err
	}
	r, err := w.read(ctx, p, o)
	if w.counted(err) != nil {
		return ReadResult{}, within(op, path, w.withNearest(ctx, p, err))
	}
	return r, nil
}

func (w *Workspace) read(ctx context.Context, p Path, o ReadOptions) (ReadResult, error) {
	q := Query{File: p.name, Current: true, Version: o.Version}
	if o.Since > 0 {
		q.Since = o.Since
	}
	l, err := w.load(ctx, q)
	if err == nil {
		err = o.checkLoaded(l)
	}
	if err != nil {
		return ReadResult{}, err
	}
	head, v, old := l.File, l.Version, l.Old
	r := ReadResult{
		Path: p.name, Current: head.Version, Version: v.Number, Bytes: v.Size,
		SHA256: v.SHA256, Author: v.Author, Time: v.Time, Since: o.Since,
	}
	if r.Unchanged = o.Since == head.Version; r.Unchanged {
		return r, nil
	}
	for _, each := range []Version{v, old} {
		if err := verify.Version(each); err != nil {
			return ReadResult{}, err
		}
	}
	r.Lines = linediff.Lines(v.Content)
	switch {
	case o.Since != 0:
		r.since(head, old, v, o)
	case o.FromLine != 0 || o.ToLine != 0 && r.Lines > 0:
		err = r.lines(v.Content, o)
		r.limit(o)
	default:
		r.Content = v.Content
		r.limit(o)
	}
	r.CanSummarize = r.Truncated && r.Version == r.Current && w.svc.summarizer != nil && summaries.IsLong(v.Content)
	return r, err
}

// limit cuts Content to o.MaxTokens, or marks it as large.
func (r *ReadResult) limit(o ReadOptions) {
	r.truncate(max(r.FromLine, 1), o)
	r.Large = !r.Truncated && !fit.Within(r.Content, largeTokens)
}

// check refuses options that are wrong for every file.
func (o ReadOptions) check(path string) error {
	const op = "read"
	since, version := o.given(ArgSince, o.Since), o.given(ArgVersion, o.Version)
	from, to := o.given(ArgFromLine, int64(o.FromLine)), o.given(ArgToLine, int64(o.ToLine))
	switch {
	case since && version:
		return fail(ErrInvalid, op, path, "%s and %s exclude each other", ArgSince, ArgVersion)
	case since && (from || to):
		return fail(ErrInvalid, op, path, "%s and %s/%s exclude each other", ArgSince, ArgFromLine, ArgToLine)
	case o.given(ArgContext, int64(o.Context)) && !since:
		return fail(ErrInvalid, op, path, "%s needs %s; leave it out, or say which version you have", ArgContext, ArgSince)
	case o.Context < -1:
		return fail(ErrInvalid, op, path, "%s is %d, the least is -1 (every line)", ArgContext, o.Context)
	case o.MaxTokens < 0:
		return fail(ErrInvalid, op, path, "%s is %d, the least is 0 (no bound)", ArgMaxTokens, o.MaxTokens)
	case from && o.FromLine < 1:
		return tooSmall(op, path, ArgFromLine, int64(o.FromLine), 1)
	case to && o.ToLine < 1:
		return tooSmall(op, path, ArgToLine, int64(o.ToLine), 1)
	case to && o.FromLine > o.ToLine:
		return fail(ErrInvalid, op, path, "%s %d is after %s %d", ArgFromLine, o.FromLine, ArgToLine, o.ToLine)
	case version:
		return checkNumber(op, path, ArgVersion, o.Version, 1)
	}
	return nil
}

// checkLoaded refuses options that are wrong for this file, as it was loaded.
func (o ReadOptions) checkLoaded(l Loaded) error {
	head := l.File
	switch {
	case !head.Exists():
		return errNoFile
	case o.Version != 0:
		return condition.Kept(head, l.Version, o.Version)
	case o.given(ArgSince, o.Since) && o.Since < 1:
		return or(Errorf(ErrInvalid, "%s must be 1 or more, the current version is %d", ArgSince, head.Version), DoReadWhole, head.Version)
	case o.Since > head.Version:
		return or(Errorf(ErrInvalid, "%s is %d, the current version is %d", ArgSince, o.Since, head.Version), DoReadWhole, head.Version)
	}
	return nil
}

// since sets what has changed since a version: nothing, a diff, or the whole file.
func (r *ReadResult) since(head FileHead, old, current Version, o ReadOptions) {
	r.VersionTooOld = o.Since < head.Oldest()
	if !r.VersionTooOld {
		d := linediff.Compare(old.Content, current.Content)
		if r.Diff, r.DiffJSON = fit.Diff(d, current.Content, o.Context); r.Diff != nil {
			if o.MaxTokens > 0 && !fit.Within(r.DiffJSON, o.MaxTokens) {
				r.giveRanges(d, o.MaxTokens)
			}
			return
		}
		if o.MaxTokens > 0 && !fit.Within(current.Content, o.MaxTokens) {
			r.giveRanges(d, o.MaxTokens)
			return
		}
		r.DiffLarger = true
	}
	r.Content = current.Content
	r.limit(o)
}

// lines cuts the content to the lines that were asked for.
func (r *ReadResult) lines(content []byte, o ReadOptions) error {
	from, to := max(o.FromLine, 1), o.ToLine
	if from > r.Lines {
		return Errorf(ErrInvalid, "%s is %d, the file has %d lines", ArgFromLine, from, r.Lines)
	}
	if to == 0 || to > r.Lines {
		to = r.Lines
	}
	r.FromLine, r.ToLine = from, to
	r.Content = fit.Lines(content, from, to)
	return nil
}

// LineRange is a range of lines, both ends included, numbered from 1.
type LineRange struct{ From, To int }

// truncate cuts Content, which begins at a line, to o.MaxTokens.
func (r *ReadResult) truncate(first int, o ReadOptions) {
	if o.MaxTokens == 0 || fit.Within(r.Content, o.MaxTokens) {
		return
	}
	var lost int
	r.Content, lost = fit.Cut(r.Content, o.MaxTokens)
	r.Truncated, r.FromLine, r.ToLine, r.CutBytes = true, first, first, int64(lost)
	if lost == 0 {
		r.ToLine = first + linediff.Lines(r.Content) - 1
	}
}

// giveRanges gives the ranges of lines that were added and removed in place of a diff.
func (r *ReadResult) giveRanges(d *linediff.Diff, maxTokens int) {
	added, removed, joined := fit.Ranges(d, maxTokens)
	r.Diff, r.DiffJSON, r.Truncated = nil, nil, true
	r.Changed, r.Removed, r.Joined = lineRanges(added), lineRanges(removed), joined
}

func lineRanges(ranges []fit.Range) []LineRange {
	list := make([]LineRange, len(ranges))
	for i, r := range ranges {
		list[i] = LineRange(r)
	}
	return list
}
