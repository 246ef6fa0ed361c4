package workspace

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/verify"
)

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
	diffTokens  = 4000     // of all that Changes.Diffs has
	diffBytes   = 16 << 20 // of all that is read for it
	diffEntries = 1000     // of one log
)

// addDiffs adds the differences that fit. Each version and each entry is what it was in
// the snapshot of the paths, because their numbers are never given twice.
func (w *Workspace) addDiffs(ctx context.Context, c *Changes, o ChangesOptions) error {
	tokens, bytes := diffTokens, int64(diffBytes)
	for _, p := range c.Paths {
		var text []byte
		var err error
		switch {
		case p.After == 0 || p.Kind == KindLog && p.After == p.Before:
			continue // there is nothing to show
		case o.Recent || c.TooOld || bytes < 0:
		case p.Kind == KindLog:
			text, err = w.newEntries(ctx, p, tokens, &bytes)
		default:
			text, err = w.fileDiff(ctx, p, tokens, &bytes)
		}
		switch {
		case err != nil && Kind(err) != ErrCorrupt: // whoever reads the path gets ErrCorrupt
			return err
		case text == nil:
			c.Omitted++
		default:
			tokens -= fit.Tokens(text)
			c.Diffs = append(c.Diffs, PathDiff{Kind: p.Kind, Path: p.Path, Text: text})
		}
	}
	return nil
}

// fileDiff returns nil if a version is gone, or if the difference does not fit.
func (w *Workspace) fileDiff(ctx context.Context, p Change, tokens int, bytes *int64) ([]byte, error) {
	l, err := w.load(ctx, Query{File: p.Path, Version: p.After, Since: p.Before})
	if err != nil {
		return nil, err
	}
	*bytes -= l.Old.Size + l.Version.Size
	if l.Version.Number != p.After || l.Old.Number != p.Before {
		return nil, nil
	}
	for _, v := range []Version{l.Old, l.Version} {
		if err := verify.Version(v); err != nil {
			return nil, err
		}
	}
	from := p.Path
	if p.From != "" {
		from = p.From
	}
	name := func(path string, n int64) string { return fmt.Sprintf("%s %d", path, n) }
	return fit.Unified(l.Old.Content, l.Version.Content, name(from, p.Before), name(p.Path, p.After), tokens), nil
}

// newEntries returns nil if an entry is gone, or if they do not fit.
func (w *Workspace) newEntries(ctx context.Context, p Change, tokens int, bytes *int64) ([]byte, error) {
	const most = 16 * diffTokens // more hardly fits
	l, err := w.load(ctx, Query{Log: p.Path, Entries: &EntryQuery{After: p.Before, Limit: diffEntries, MaxBytes: most}})
	if err != nil {
		return nil, err
	}
	entries := l.Entries
	for i, e := range entries {
		*bytes -= int64(len(e.Content))
		if err := verify.Entry(e); err != nil {
			return nil, err
		}
		if e.ID == p.After {
			entries = entries[:i+1] // later ones are later changes
			break
		}
	}
	if n := len(entries); n == 0 || entries[n-1].ID != p.After || p.Before > 0 && entries[0].ID != p.Before+1 {
		return nil, nil
	}
	page := LogPage{Entries: entries}
	text := page.AppendLines(fmt.Appendf(nil, "%s %s\n", p.Path, entries[0].Time.UTC().Format(time.RFC3339)))
	if !fit.Within(text, tokens) {
		return nil, nil
	}
	return text, nil
}

// AppendLines appends a line of JSON for each entry, with line feeds between them: its
// number, the whole seconds after the first entry of the page, and its text. As JSON, an
// entry cannot look like two.
func (p LogPage) AppendLines(body []byte) []byte {
	for i, e := range p.Entries {
		if i > 0 {
			body = append(body, '\n')
		}
		body = append(body, '[')
		body = strconv.AppendInt(body, e.ID, 10)
		body = append(body, ',')
		body = strconv.AppendInt(body, max(0, e.Time.Unix()-p.Entries[0].Time.Unix()), 10) // 0 if a clock was set back
		body = append(body, ',')
		body = linediff.AppendString(body, string(e.Content))
		body = append(body, ']')
	}
	return body
}
