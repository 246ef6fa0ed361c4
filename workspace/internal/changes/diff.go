package changes

import (
	"fmt"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	diffTokens  = 4000     // of all that Changes.Diffs has
	diffBytes   = 16 << 20 // of all that is read for it
	diffEntries = 1000     // of one log
)

// A Diff is what has changed at a path.
type Diff struct {
	Kind store.PathKind
	Path string
	Text []byte
}

// A Load reads what a query asks for, in a transaction of its own.
type Load func(store.Query) (store.Loaded, error)

// Diffs returns the differences that fit, and how many are left out. Each version and each
// entry is what it was in the snapshot of the paths, because their numbers are never given
// twice. none leaves out all. A version of more than most bytes is left out. compare, if it is
// not nil, is asked before two versions of so many bytes are compared, and its error ends Diffs.
func Diffs(
	paths []store.Change, none bool, most int64, compare func(bytes int64) error, load Load,
	count fit.Counter,
) (diffs []Diff, omitted int, err error) {
	tokens, bytes := diffTokens, int64(diffBytes)
	for _, p := range paths {
		var text []byte
		var err error
		switch {
		case p.After == 0 || p.After == p.Before:
			continue // there is nothing to show
		case none || bytes < 0:
		case p.Kind == store.KindLog:
			text, err = newEntries(load, p, tokens, &bytes, count)
		default:
			text, err = fileDiff(load, p, most, compare, tokens, &bytes, count)
		}
		switch {
		case err != nil && store.Kind(err) != store.ErrCorrupt: // whoever reads the path gets ErrCorrupt
			return nil, 0, err
		case text == nil:
			omitted++
		case len(text) == 0: // there is nothing to show
		default:
			tokens -= count.Tokens(text)
			diffs = append(diffs, Diff{Kind: p.Kind, Path: p.Path, Text: text})
		}
	}
	return diffs, omitted, nil
}

// fileDiff returns nil if a version is gone or redacted, or has more than most bytes, or if
// the difference does not fit. It returns an empty text if the versions are equal.
func fileDiff(
	load Load, p store.Change, most int64, compare func(int64) error, tokens int, bytes *int64,
	count fit.Counter,
) ([]byte, error) {
	l, err := load(store.Query{File: p.Path, Version: p.After, Since: p.Before})
	if err != nil {
		return nil, err
	}
	*bytes -= l.Old.Size + l.Version.Size
	if l.Version.Number != p.After || l.Old.Number != p.Before || l.Version.Redacted != nil || l.Old.Redacted != nil {
		return nil, nil
	}
	for _, v := range []store.Version{l.Old, l.Version} {
		if err := v.Verify(); err != nil {
			return nil, err
		}
	}
	switch {
	case p.Before > 0 && l.Old.SHA256 == l.Version.SHA256:
		return []byte{}, nil
	case max(l.Old.Size, l.Version.Size) > most:
		return nil, nil
	}
	if compare != nil {
		if err := compare(l.Old.Size + l.Version.Size); err != nil {
			return nil, err
		}
	}
	from := p.Path
	if p.From != "" {
		from = p.From
	}
	name := func(path string, n int64) string { return fmt.Sprintf("%s %d", path, n) }
	return count.Unified(l.Old.Content, l.Version.Content, name(from, p.Before), name(p.Path, p.After), tokens), nil
}

// newEntries returns nil if an entry is gone, or if they do not fit.
func newEntries(load Load, p store.Change, tokens int, bytes *int64, count fit.Counter) ([]byte, error) {
	const most = 1 << 20 // bytes; they may cost few tokens
	l, err := load(store.Query{Log: p.Path, Entries: &store.EntryQuery{After: p.Before, Limit: diffEntries,
		MaxBytes: most}})
	if err != nil {
		return nil, err
	}
	entries := l.Entries
	for i, e := range entries {
		*bytes -= int64(len(e.Content))
		if err := e.Verify(); err != nil {
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
	text := AppendLines(fmt.Appendf(nil, "%s %s\n", p.Path, entries[0].Time.UTC().Format(time.RFC3339)), entries)
	if !count.Within(text, tokens) {
		return nil, nil
	}
	return text, nil
}

// AppendLines appends a line of JSON for each entry, with line feeds between them: its
// number, the whole seconds after the first entry, and its text. As JSON, an
// entry cannot look like two.
func AppendLines(body []byte, entries []store.Entry) []byte {
	for i, e := range entries {
		if i > 0 {
			body = append(body, '\n')
		}
		body = append(body, '[')
		body = strconv.AppendInt(body, e.ID, 10)
		body = append(body, ',')
		body = strconv.AppendInt(body, max(0, e.Time.Unix()-entries[0].Time.Unix()), 10) // 0 if a clock was set back
		body = append(body, ',')
		body = linediff.AppendString(body, string(e.Content))
		body = append(body, ']')
	}
	return body
}
