package workspace

import (
	"cmp"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// setText sets what the reader gets of the version that was loaded. Errors: that of
// o.Compare, [ErrCorrupt] if the version is not what was written, and [ErrInvalid] if it has
// too few lines.
func (r *ReadResult) setText(l store.Loaded, o ReadOptions) (err error) {
	for _, v := range []Version{l.Version, l.Old} {
		if err := v.Verify(); err != nil {
			return err
		}
	}
	content := l.Version.Content
	r.Lines = linediff.Lines(content)
	switch {
	case o.Since != 0:
		err = r.setSince(l, o)
	case o.Section != "":
		if r.Section, err = sectionOf(content, r.Lines, o.Section); err == nil {
			r.FromLine, r.ToLine = r.Section.From, r.Section.To
			r.Content = fit.Lines(content, r.FromLine, r.ToLine)
			r.limit(o)
		}
	case o.FromLine != 0 || o.ToLine != 0 && r.Lines > 0:
		err = r.setLines(content, o)
		r.limit(o)
	default:
		r.Content = content
		r.limit(o)
	}
	return err
}

// setSince sets what has changed since a version: nothing, a diff, or the whole file.
func (r *ReadResult) setSince(l store.Loaded, o ReadOptions) error {
	content := l.Version.Content
	r.VersionTooOld = !l.File.Has(o.Since) || l.Old.Redacted != nil
	if !r.VersionTooOld {
		if o.Compare != nil {
			if err := o.Compare(l.Old.Size + l.Version.Size); err != nil {
				return err
			}
		}
		d := linediff.Compare(l.Old.Content, content)
		cheapest := content
		if r.Diff, r.DiffJSON = o.count.Diff(d, content, o.Context, o.MaxTokens); r.Diff != nil {
			cheapest = r.DiffJSON
		}
		if o.MaxTokens > 0 && !o.count.Within(cheapest, o.MaxTokens) { // the ranges of lines in place of a diff
			r.Diff, r.DiffJSON, r.Truncated = nil, nil, true
			r.Changed, r.Removed, r.Joined = lineRanges(d, o.MaxTokens)
			return nil
		}
		if r.Diff != nil {
			return nil
		}
		r.DiffLarger = true
	}
	r.Content = content
	r.limit(o)
	return nil
}

// setLines cuts the content to the lines that were asked for.
func (r *ReadResult) setLines(content []byte, o ReadOptions) error {
	from, to := max(o.FromLine, 1), min(cmp.Or(o.ToLine, r.Lines), r.Lines)
	if from > r.Lines {
		return Errorf(ErrInvalid, "%s is %d, the file has %d lines", store.ArgFromLine, from, r.Lines)
	}
	r.FromLine, r.ToLine = from, to
	r.Content = fit.Lines(content, from, to)
	return nil
}

// limit cuts Content to o.MaxTokens.
func (r *ReadResult) limit(o ReadOptions) {
	first := max(r.FromLine, 1)
	if o.MaxTokens == 0 || o.count.Within(r.Content, o.MaxTokens) {
		return
	}
	var lost int
	r.Content, lost = o.count.Cut(r.Content, o.MaxTokens)
	r.Truncated, r.FromLine, r.ToLine, r.CutBytes = true, first, first, int64(lost)
	if lost == 0 {
		r.ToLine = first + linediff.Lines(r.Content) - 1
	}
}
