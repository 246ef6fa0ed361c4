package changes

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	diffTokens  = 4000     // of all that Changes.Diffs has
	lastTokens  = 10       // of these, for a line that says how many paths have none
	lineTokens  = 2000     // of these, what is kept for the lines of what is left out
	logTokens   = 1000     // of a log that does not fit
	shortTokens = 60       // a new file with fewer is shown
	diffBytes   = 16 << 20 // of all that is read for it
	diffEntries = 1000     // of one log
)

// A Diff is what has changed at a path, and why it is not shown, or not all of it.
type Diff struct {
	Row     int // of the paths
	Text    []byte
	LeftOut string // "": nothing is left out
	Since   int64  // with LeftOut: the version or entry from which a reader can read on; 0: none
	Version int64  // with LeftOut: the version of a file to read, where it is not the current one
	Gone    bool   // with LeftOut: nothing shows what is left out
	Same    bool   // the text of a file is the same
}

// A Load reads what a query asks for, in a transaction of its own.
type Load func(store.Query) (store.Loaded, error)

// Differ makes differences. Its fields are those of a call.
type Differ struct {
	Most    int64 // a version of more bytes is left out
	Count   fit.Counter
	Compare func(bytes int64) error // if not nil, is asked before two versions are compared
	Load    Load

	tokens, bytes int64
}

// Diffs returns the differences, in the order of the paths. Where not all fit, the oldest are left
// out; newestFirst is the order of the paths. Each version and each entry is what it was in the
// snapshot of the paths, because their numbers are never given twice.
func (d *Differ) Diffs(paths []store.Change, newestFirst bool) (diffs []Diff, omitted int, err error) {
	order := make([]int, 0, len(paths))
	later := 0 // tokens of the lines of what is not looked at yet
	for i, p := range paths {
		if p.After != 0 && p.After != p.Before && p.Op != store.OpRedact {
			order = append(order, i)
			later += d.leftOutTokens(p)
		}
	}
	if !newestFirst {
		slices.Reverse(order)
	}
	d.tokens, d.bytes = diffTokens-lastTokens, diffBytes
	for _, i := range order {
		one, err := d.one(paths[i], int(d.tokens)-min(later, lineTokens))
		if err != nil {
			return nil, 0, err
		}
		later -= d.leftOutTokens(paths[i])
		one.Row = i
		cost := d.Count.Tokens(one.Text)
		if one.LeftOut != "" || one.Same {
			cost += d.leftOutTokens(paths[i])
		}
		fits := int64(cost) <= d.tokens
		if one.LeftOut != "" || !fits {
			omitted++
		}
		if cost > 0 && fits {
			d.tokens -= int64(cost)
			diffs = append(diffs, one)
		}
	}
	slices.SortFunc(diffs, func(a, b Diff) int { return a.Row - b.Row })
	return diffs, omitted, nil
}

// leftOutTokens is what a line costs that says what is left out, or a little more.
func (d *Differ) leftOutTokens(p store.Change) int { return d.Count.Tokens([]byte(p.Path)) + 24 }

func (d *Differ) one(p store.Change, room int) (one Diff, err error) {
	switch {
	case d.bytes < 0:
		return Diff{LeftOut: "not compared", Since: p.Before}, nil
	case p.Kind == store.KindLog:
		one, err = d.entries(p, room)
	default:
		one, err = d.file(p, room)
	}
	if err != nil && store.Kind(err) == store.ErrCorrupt { // whoever reads the path gets ErrCorrupt
		return Diff{LeftOut: "damaged", Since: p.Before}, nil
	}
	return one, err
}

// file returns the difference of two versions, or the new text if it costs less, or is short and
// the old version is not there.
func (d *Differ) file(p store.Change, room int) (Diff, error) {
	l, err := d.Load(store.Query{File: p.Path, Version: p.After, Since: p.Before})
	if err != nil {
		return Diff{}, err
	}
	old, is := l.Old, l.Version
	d.bytes -= old.Size + is.Size
	for _, v := range []store.Version{old, is} {
		if err := v.Verify(); err != nil {
			return Diff{}, err
		}
	}
	known := p.Before > 0 && old.Number == p.Before && old.Redacted == nil
	count := d.Count
	if len(is.Content) > 8*diffTokens {
		count = nil // an estimate will do
	}
	size := count.Tokens(is.Content)
	var version int64
	if !l.File.Exists() || l.File.Version != p.After {
		version = p.After
	}
	name := fmt.Sprintf("%s %d", p.Path, p.After)
	most := min(room, size+fit.ReadOverhead+d.Count.Tokens([]byte(p.Path)))
	var text []byte
	switch {
	case is.Number != p.After:
		return Diff{LeftOut: fmt.Sprintf("version %d is not kept", p.After), Gone: true}, nil
	case is.Redacted != nil:
		return Diff{LeftOut: fmt.Sprintf("version %d is redacted", p.After), Gone: true}, nil
	case known && old.SHA256 == is.SHA256:
		return Diff{Same: true}, nil
	case max(old.Size, is.Size) > d.Most:
		return Diff{LeftOut: fmt.Sprintf("%d bytes", is.Size), Version: version}, nil
	case known:
		if d.Compare != nil {
			if err := d.Compare(old.Size + is.Size); err != nil {
				return Diff{}, err
			}
		}
		oldName := fmt.Sprintf("%s %d", cmp.Or(p.From, p.Path), p.Before)
		if text = d.Count.Unified(old.Content, is.Content, oldName, name, room); text == nil {
			text = d.Count.Whole(is.Content, name, most)
		}
	case size < shortTokens:
		text = d.Count.Whole(is.Content, name, most)
	}
	switch left := thousands(size) + " tokens"; {
	case text != nil:
		return Diff{Text: text}, nil
	case known:
		return Diff{LeftOut: left, Since: p.Before, Version: version}, nil
	case p.Before > 0:
		return Diff{LeftOut: fmt.Sprintf("%s, version %d is not kept", left, p.Before), Version: version}, nil
	default:
		return Diff{LeftOut: left, Version: version}, nil
	}
}

// thousands returns a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// entries returns the new entries, or the newest of them.
func (d *Differ) entries(p store.Change, room int) (Diff, error) {
	const most = 1 << 20 // bytes; they may cost few tokens
	l, err := d.Load(store.Query{Log: p.Path, Entries: &store.EntryQuery{After: p.Before, Limit: diffEntries,
		MaxBytes: most, Tail: p.After-p.Before > diffEntries}})
	if err != nil {
		return Diff{}, err
	}
	var entries []store.Entry
	for _, e := range l.Entries {
		d.bytes -= int64(len(e.Content))
		if err := e.Verify(); err != nil {
			return Diff{}, err
		}
		if e.ID > p.Before && e.ID <= p.After { // later ones are later changes
			entries = append(entries, e)
		}
	}
	total := p.After - p.Before
	if p.Before == 0 && len(entries) > 0 && len(entries) < diffEntries {
		total = p.After - entries[0].ID + 1 // those before it are gone
	}
	text := d.fitting(p.Path, entries, room)
	if text == nil {
		return Diff{LeftOut: fmt.Sprintf("%d entries", total), Since: p.Before}, nil
	}
	if shown := int64(bytes.Count(text, []byte("\n"))); shown < total {
		left := fmt.Sprintf("%d of %d entries left out", total-shown, total)
		return Diff{Text: text, LeftOut: left, Since: p.Before}, nil
	}
	return Diff{Text: text}, nil
}

// fitting returns the entries as they are shown, the newest that fit, or nil if none does.
func (d *Differ) fitting(path string, entries []store.Entry, room int) []byte {
	text := func(entries []store.Entry) []byte {
		return AppendLines(fmt.Appendf(nil, "%s %s\n", path, entries[0].Time.UTC().Format(time.RFC3339)), entries)
	}
	if len(entries) == 0 {
		return nil
	}
	all := text(entries)
	if d.Count.Within(all, room) {
		return all
	}
	var fit []store.Entry
	room = min(room, logTokens)
	for _, e := range slices.Backward(entries) {
		if line := text([]store.Entry{e}); d.Count.Within(line, room) {
			fit, room = append(fit, e), room-d.Count.Tokens(line)
		}
	}
	if fit == nil {
		return nil
	}
	slices.Reverse(fit)
	return text(fit)
}

// AppendLines appends a line of JSON for each entry, with line feeds between them: its
// number, the whole seconds after the first entry, and its text, or null if it is redacted. As JSON,
// an entry cannot look like two.
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
		if e.Redacted != nil {
			body = append(body, "null"...)
		} else {
			body = linediff.AppendString(body, string(e.Content))
		}
		body = append(body, ']')
	}
	return body
}
