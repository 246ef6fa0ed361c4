// Package changes answers from the rows of a journal of changes. Read returns what has
// changed, Diffs the differences, and After the next rows. Coalescer makes one row of
// all those of a path.
//
// A Coalescer follows each file and log through its moves. For a reader who knows what was
// there at a revision, it says what has become of each path. The reader also knows what it wrote
// itself, up to the first change of somebody else.
package changes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Row is one row of the journal. Paths of different kinds have nothing to do with each
// other. A Before of 0 says that there was nothing at the path, and an After of 0 that it was
// deleted.
type Row struct {
	store.Change
	Own bool // the reader made this change
	// Aside says that what is at the path stayed as it was. The row counts only if no other one is
	// newer than the reader's revision.
	Aside bool
}

// A Coalescer takes rows in order. Its memory grows with the number of paths that the rows name.
type Coalescer struct {
	prefix string
	limit  int
	live   map[key]track // by the present path; also where something was deleted, see track.gone
	graves map[key]track // deleted, and known to the reader: by the known path
	wrote  map[key]int64 // the last number that the reader wrote itself before others came
	passed map[key]bool  // somebody else made something at the path that was deleted there
	own    int64         // how many rows are the reader's own
	named  map[key]bool  // by the rows that count against the limit
	rows   int
}

type key struct {
	kind store.PathKind
	path string
}

// A track is a file or a log through all of its moves.
type track struct {
	known         string // its path at the reader's revision; "": it was not there
	before, after int64
	others        bool // somebody else than the reader changed it, or what was there before it
	authors       []store.Author
	gone          bool         // nothing is here: only others counts
	aside         bool         // all of its rows are Aside
	row           int          // the number of its newest row, of one that is not Aside if there is one
	mark          store.Change // of that row
}

// New returns a Coalescer that takes rows as long as they name at most limit paths. So it shows no
// more. A path is shown if it, or the path where it was before a move, begins with the prefix, and if
// not all of its rows are the reader's own.
func New(prefix string, limit int) *Coalescer {
	return &Coalescer{prefix: prefix, limit: limit, live: map[key]track{}, graves: map[key]track{},
		wrote: map[key]int64{}, passed: map[key]bool{}, named: map[key]bool{}}
}

// Add takes the next row, or reports false and does not if the rows would name more paths than the
// limit, which is above 0. The first row always fits. Moves count, and rows of others with the prefix.
func (f *Coalescer) Add(r Row) bool {
	at := key{r.Kind, r.Path}
	from := key{r.Kind, cmp.Or(r.From, r.Path)}
	if r.From != "" || !r.Own && matches(r.Change, f.prefix) {
		if f.named[at], f.named[from] = true, true; len(f.named) > f.limit && f.rows > 0 {
			return false
		}
	}
	f.rows++
	if r.Own && matches(r.Change, f.prefix) {
		f.own++
	}
	t, there := f.live[from]
	if !there || t.gone {
		fresh := track{before: r.Before, others: t.others, authors: t.authors}
		if r.Before > 0 && !there {
			fresh.known = from.path
		}
		t = fresh
	}
	if !r.Aside || t.aside || t.row == 0 {
		t.row, t.mark, t.aside = f.rows, r.Change, r.Aside
	}
	t.after, t.others = r.After, t.others || !r.Own
	if from != at {
		dead := f.live[at] // what was deleted there
		t.others, t.authors = t.others || dead.others, join(dead.authors, t.authors)
		delete(f.live, from)
	}
	t.authors = join(t.authors, []store.Author{r.Author})
	switch {
	case r.After == 0:
		f.bury(at, t)
	case !t.others && !f.buried(at):
		f.live[at] = track{known: r.Path, before: r.After, after: r.After}
		f.wrote[at] = r.After
		delete(f.graves, at)
		delete(f.passed, at)
	default:
		f.live[at] = t
	}
	return true
}

// buried reports whether somebody else had a part in a deletion that is shown at a path.
func (f *Coalescer) buried(at key) bool {
	g, dug := f.graves[at]
	return dug && (g.others || f.passed[at])
}

// bury takes the deletion of what is at a path.
func (f *Coalescer) bury(at key, t track) {
	if t.known == "" && t.others {
		f.passed[at] = true
	}
	grave := key{at.kind, t.known}
	if old, there := f.graves[at]; t.known == "" && there { // deleted, made again, and deleted again
		grave, t.known, t.before, t.others = at, at.path, old.before, t.others || old.others
		t.authors = join(old.authors, t.authors)
	}
	if t.known != "" && t.before >= f.wrote[grave] { // else the reader has put another one there
		f.graves[grave] = t
	}
	f.live[at] = track{gone: true, others: t.others, authors: t.authors}
}

// join returns the last three authors of two lists. Those with one name count as one.
func join(all, more []store.Author) []store.Author {
	if len(all) == 0 {
		return more
	}
	name := func(a store.Author) string { return cmp.Or(a.Client, a.Key) }
	for _, a := range more {
		if n := len(all); n > 0 && name(all[n-1]) == name(a) {
			continue
		}
		all = slices.DeleteFunc(slices.Clone(all), func(b store.Author) bool { return name(a) == name(b) })
		all = append(all, a)
		all = all[max(0, len(all)-3):]
	}
	return all
}

// at returns the track of a path, and whether the path is shown. The mark says what has become of
// it: the newest row, with the path From which it was moved, Before as what the reader had, and After
// as what is there now.
func (f *Coalescer) at(k key) (t track, shown bool) {
	t, here := f.live[k]
	g, dug := f.graves[k]
	var op store.ChangeOp
	from := ""
	switch {
	case (!here || t.gone) && !dug:
		return t, false
	case !here || t.gone:
		t = track{before: g.before, others: g.others || t.others, row: g.row, mark: g.mark, authors: t.authors}
		op = store.OpDelete
	case t.known == "" && !dug:
		op, t.before = firstOp(k.kind), 0
	case t.known == "": // the reader knew another one here
		t.before = g.before
	case t.known != k.path:
		op, from = store.OpMove, t.known
	}
	m := &t.mark
	if op == "" && (m.Op == store.OpMove || m.Op == store.OpCreate) {
		op = store.OpEdit
	}
	m.Op = cmp.Or(op, m.Op)
	m.Kind, m.Path, m.From, m.Before, m.After, m.Entries = k.kind, k.path, from, t.before, t.after, 0
	t.authors = join(g.authors, t.authors)
	return t, (t.others || f.buried(k)) && matches(*m, f.prefix)
}

// matches reports whether a path, or the one before a move, begins with a prefix.
func matches(c store.Change, prefix string) bool {
	return strings.HasPrefix(c.Path, prefix) || c.From != "" && strings.HasPrefix(c.From, prefix)
}

// Paths returns the paths that are shown, in the order of their newest rows, and the last three
// authors of each, the newest first.
func (f *Coalescer) Paths() (paths []store.Change, authors [][]store.Author) {
	var all []track
	add := func(k key) {
		if t, shown := f.at(k); shown {
			all = append(all, t)
		}
	}
	for k := range f.live {
		add(k)
	}
	for k := range f.graves {
		if _, there := f.live[k]; !there {
			add(k)
		}
	}
	slices.SortFunc(all, func(a, b track) int { return a.row - b.row })
	for _, t := range all {
		paths = append(paths, t.mark)
		by := slices.Clone(t.authors)
		slices.Reverse(by)
		authors = append(authors, by)
	}
	return paths, authors
}
