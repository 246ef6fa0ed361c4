package excerpt

import (
	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// largeTokens is the number of tokens above which a text is marked as large.
const largeTokens = 20_000

// An Excerpt is what a reader gets, as package workspace describes it.
type Excerpt struct {
	Lines int // of the whole version

	Content  []byte
	FromLine int
	ToLine   int
	Large    bool

	Truncated bool
	CutBytes  int64
	Changed   []fit.Range
	Removed   []fit.Range
	Joined    bool

	Diff          []linediff.Chunk
	DiffJSON      []byte
	VersionTooOld bool
	DiffLarger    bool
}

// Of returns the excerpt of what was loaded. Errors: that of o.Compare, [store.ErrCorrupt] if that is not what
// was written, and [store.ErrInvalid] if it has too few lines.
func Of(l store.Loaded, o Options) (r Excerpt, err error) {
	for _, v := range []store.Version{l.Version, l.Old} {
		if err := verify.Version(v); err != nil {
			return Excerpt{}, err
		}
	}
	content := l.Version.Content
	r.Lines = linediff.Lines(content)
	switch {
	case o.Since != 0:
		err = r.since(l, o)
	case o.FromLine != 0 || o.ToLine != 0 && r.Lines > 0:
		err = r.lines(content, o)
		r.limit(o)
	default:
		r.Content = content
		r.limit(o)
	}
	return r, err
}

// since sets what has changed since a version: nothing, a diff, or the whole file.
func (r *Excerpt) since(l store.Loaded, o Options) error {
	content := l.Version.Content
	r.VersionTooOld = o.Since < l.File.Oldest() || l.Old.Redacted != nil
	if !r.VersionTooOld {
		if o.Compare != nil {
			if err := o.Compare(l.Old.Size + l.Version.Size); err != nil {
				return err
			}
		}
		d := linediff.Compare(l.Old.Content, content)
		if r.Diff, r.DiffJSON = fit.Diff(d, content, o.Context); r.Diff != nil {
			if o.MaxTokens > 0 && !fit.Within(r.DiffJSON, o.MaxTokens) {
				r.giveRanges(d, o.MaxTokens)
			}
			return nil
		}
		if o.MaxTokens > 0 && !fit.Within(content, o.MaxTokens) {
			r.giveRanges(d, o.MaxTokens)
			return nil
		}
		r.DiffLarger = true
	}
	r.Content = content
	r.limit(o)
	return nil
}

// giveRanges gives the ranges of lines that were added and removed in place of a diff.
func (r *Excerpt) giveRanges(d *linediff.Diff, maxTokens int) {
	r.Diff, r.DiffJSON, r.Truncated = nil, nil, true
	r.Changed, r.Removed, r.Joined = fit.Ranges(d, maxTokens)
}

// lines cuts the content to the lines that were asked for.
func (r *Excerpt) lines(content []byte, o Options) error {
	from, to := max(o.FromLine, 1), o.ToLine
	if from > r.Lines {
		return store.Errorf(store.ErrInvalid, "%s is %d, the file has %d lines", store.ArgFromLine, from, r.Lines)
	}
	if to == 0 || to > r.Lines {
		to = r.Lines
	}
	r.FromLine, r.ToLine = from, to
	r.Content = fit.Lines(content, from, to)
	return nil
}

// limit cuts Content to o.MaxTokens, or marks it as large.
func (r *Excerpt) limit(o Options) {
	r.truncate(max(r.FromLine, 1), o)
	r.Large = !r.Truncated && !fit.Within(r.Content, largeTokens)
}

// truncate cuts Content, which begins at a line, to o.MaxTokens.
func (r *Excerpt) truncate(first int, o Options) {
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
