package changes_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 500, Long: 20_000, Full: 200_000}.Set()
	m.Run()
}

type place struct {
	kind store.PathKind
	path string
}

// A thing is a file or a log that keeps its id through all moves.
type thing struct {
	id     int
	number int64
}

// A history is what happened, told in things and snapshots. Nothing in it follows a path.
type history struct {
	rows      []changes.Row
	ids       []int             // of the thing that a row changed
	snapshots []map[place]thing // before the first row, and after each
	numbers   map[place]int64   // the highest of each place
	nextID    int
}

// step makes a random change, if the one that was drawn is possible.
func (h *history) step(t *rapid.T) {
	now := maps.Clone(h.snapshots[len(h.snapshots)-1])
	at := place{rapid.SampledFrom([]store.PathKind{"file", "file", "log"}).Draw(t, "kind"), drawPath(t)}
	r := changes.Row{Change: store.Change{Kind: at.kind, Path: at.path, Revision: int64(len(h.rows))}, Own: rapid.Bool().Draw(t, "own")}
	what, there := now[at]
	r.Before = what.number
	switch action := rapid.SampledFrom([]string{"write", "write", "delete", "move", "move", "trim", "redact"}).Draw(t, "action"); {
	case action == "write":
		if !there {
			h.nextID++
			what.id = h.nextID
		}
		what.number = h.numbers[at] + 1
		now[at] = what
	case !there:
		return
	case action == "delete":
		delete(now, at)
		what.number = 0
	case action == "trim" && at.kind == "log":
	case action == "redact" && at.kind == "file":
		r.Aside = true
	case action == "move":
		to := place{at.kind, drawPath(t)}
		if _, taken := now[to]; taken {
			return
		}
		r.From, r.Path = at.path, to.path
		what.number = max(h.numbers[at], h.numbers[to]) + 1
		delete(now, at)
		now[to] = what
		at = to
	default:
		return
	}
	r.After = what.number
	h.numbers[at] = max(h.numbers[at], what.number)
	h.rows = append(h.rows, r)
	h.ids = append(h.ids, what.id)
	h.snapshots = append(h.snapshots, now)
}

func drawPath(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "x/a", "x/b"}).Draw(t, "path")
}

func drawHistory(t *rapid.T) *history {
	h := &history{snapshots: []map[place]thing{{}}, numbers: map[place]int64{}}
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		h.step(t)
	}
	return h
}

// between returns what became of the paths after the first from rows until to rows had
// been made, as two snapshots tell it. Each path says who else changed it.
func (h *history) between(from, to int, prefix string) []store.Change {
	k := h.knows(from, to)
	was, wherewas, is := k.at, k.places, h.snapshots[to]
	whereis := byID(is)
	newest := map[int]int{} // the newest row of a thing
	for i := from; i < to; i++ {
		if before, found := newest[h.ids[i]]; !k.written[i] && (!found || h.rows[before].Aside || !h.rows[i].Aside) {
			newest[h.ids[i]] = i
		}
	}
	var all []store.Change
	add := func(p store.Change, row int) {
		p.Revision = int64(row)
		matches := strings.HasPrefix(p.Path, prefix) || p.From != "" && strings.HasPrefix(p.From, prefix)
		if matches && h.foreign(k, from, to, place{p.Kind, p.Path}) {
			all = append(all, p)
		}
	}
	for at, what := range is {
		row, changed := newest[what.id]
		if !changed {
			continue
		}
		p := store.Change{Kind: at.kind, Path: at.path, After: what.number}
		old, known := wherewas[what.id]
		earlier, taken := was[at]
		_, survives := whereis[earlier.id]
		switch {
		case known && old == at:
			p.Before = k.numbers[what.id]
		case known:
			p.Op, p.From, p.Before = store.OpMove, old.path, k.numbers[what.id]
		case taken && !survives:
			p.Before = earlier.number
		case at.kind == store.KindLog:
			p.Op = store.OpAppend
		default:
			p.Op = store.OpCreate
		}
		add(p, row)
	}
	for at, what := range was {
		_, survives := whereis[what.id]
		if _, taken := is[at]; taken || survives {
			continue
		}
		last := newest[what.id]
		for i := last; i < to; i++ { // also what was made there again, and deleted
			_, known := wherewas[h.ids[i]]
			if r := h.rows[i]; (place{r.Kind, r.Path}) == at && r.After == 0 && !known {
				last = i
			}
		}
		add(store.Change{Op: store.OpDelete, Kind: at.kind, Path: at.path, Before: what.number}, last)
	}
	slices.SortFunc(all, func(a, b store.Change) int { return cmp.Compare(a.Revision, b.Revision) })
	return all
}

func byID(snapshot map[place]thing) map[int]place {
	m := map[int]place{}
	for at, what := range snapshot {
		m[what.id] = at
	}
	return m
}

// knowledge is what the reader knows of places and of things.
type knowledge struct {
	at      map[place]thing // the last thing that it knows there
	places  map[int]place   // where it knows a thing
	numbers map[int]int64
	written map[int]bool // the rows that it knows
	since   map[int]int  // the row with which it knows a thing last
}

// knows returns what was there, and what the reader wrote where nobody else had changed anything.
func (h *history) knows(from, to int) knowledge {
	k := knowledge{maps.Clone(h.snapshots[from]), byID(h.snapshots[from]), map[int]int64{}, map[int]bool{}, map[int]int{}}
	for _, what := range k.at {
		k.numbers[what.id] = what.number
	}
	for i := from; i < to; i++ {
		at, id := place{h.rows[i].Kind, h.rows[i].Path}, h.ids[i]
		if h.rows[i].After == 0 || h.foreign(k, from, i+1, at) {
			continue
		}
		maps.DeleteFunc(k.at, func(_ place, what thing) bool { return what.id == id })
		k.at[at] = thing{id, h.rows[i].After}
		k.places[id], k.numbers[id], k.written[i], k.since[id] = at, h.rows[i].After, true, i
	}
	return k
}

// foreign reports whether somebody else changed what is at a place, what was known there
// and is deleted, or what was deleted there before the next one came.
func (h *history) foreign(k knowledge, from, to int, at place) bool {
	seen := map[int]bool{}
	var visit func(id, until int)
	visit = func(id, until int) {
		if seen[id] {
			return
		}
		seen[id] = true
		for i := from; i < until; i++ {
			r := h.rows[i]
			before := h.snapshots[i][place{r.Kind, r.Path}]
			if h.ids[i] == id && before.id != id { // it came to this path
				if dead, row := h.lastDead(from, i, place{r.Kind, r.Path}); dead != 0 {
					visit(dead, row+1)
				}
			}
		}
	}
	if what, there := h.snapshots[to][at]; there {
		visit(what.id, to)
	} else if dead, row := h.lastDead(from, to, at); dead != 0 {
		visit(dead, row+1)
	}
	if known, there := k.at[at]; there {
		if _, survives := byID(h.snapshots[to])[known.id]; !survives {
			visit(known.id, to)
			for i := max(from, k.since[known.id]); i < to; i++ { // and what came there after it, and was deleted
				if r := h.rows[i]; seen[known.id] && (place{r.Kind, r.Path}) == at && r.After == 0 && k.places[h.ids[i]] == (place{}) {
					visit(h.ids[i], i+1)
				}
			}
		}
	}
	for i := from; i < to; i++ {
		if seen[h.ids[i]] && !h.rows[i].Own {
			return true
		}
	}
	return false
}

// lastDead returns the thing that was the last one at a place before a row, if it was
// deleted there.
func (h *history) lastDead(from, until int, at place) (id, row int) {
	for i := until - 1; i >= from; i-- {
		r := h.rows[i]
		switch {
		case place{r.Kind, r.Path} == at && r.After == 0:
			return h.ids[i], i
		case r.From != "" && place{r.Kind, r.From} == at:
			return 0, 0
		}
	}
	return 0, 0
}

// The answer from the rows is the one from two snapshots, and a page ends before the first
// row with which they would name too many paths.
func TestFold(t *testing.T) {
	testkit.SkipInShort(t)
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		from := rapid.IntRange(0, len(h.rows)).Draw(t, "from")
		prefix := rapid.SampledFrom([]string{"", "", "a", "x/", "x/b", "none"}).Draw(t, "prefix")
		limit := rapid.SampledFrom([]int{1, 2, 3, 100}).Draw(t, "limit")
		f := changes.New(prefix, limit)
		to := from
		for to < len(h.rows) && f.Add(h.rows[to]) {
			to++
		}
		end, named := from, map[string]bool{}
		for ; end < len(h.rows); end++ {
			if r := h.rows[end]; r.From != "" || !r.Own && strings.HasPrefix(r.Path, prefix) {
				named[string(r.Kind)+r.Path], named[string(r.Kind)+cmp.Or(r.From, r.Path)] = true, true
				if end > from && len(named) > limit {
					break
				}
			}
		}
		want := h.between(from, to, prefix)
		if to != end || len(want) > limit {
			t.Fatalf("the page from %d ends at %d, want %d, and shows %d of %d paths%s", from, to, end, len(want), limit, h)
		}
		got, authors := f.Paths()
		for i := range got {
			if len(authors[i]) == 0 {
				t.Fatalf("%+v has no author%s", got[i], h)
			}
		}
		if diff := gocmp.Diff(want, got, equateEmpty); diff != "" {
			t.Fatalf("from %d to %d (-want +got):\n%s%s", from, to, diff, h)
		}
	})
}

var equateEmpty = gocmp.Transformer("", func(p []store.Change) string { return fmt.Sprintf("%+v", p) })

func (h *history) String() string {
	var b strings.Builder
	for i, r := range h.rows {
		fmt.Fprintf(&b, "\n%d: thing %d: %+v", i, h.ids[i], r)
	}
	return b.String()
}
