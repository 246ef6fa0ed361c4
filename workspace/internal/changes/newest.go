package changes

import (
	"cmp"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Head is a path at which there is something now.
type Head struct {
	Kind    store.PathKind
	Path    string
	Number  int64 // the version, or the last entry
	Updated time.Time
}

// Newest collects the paths that changed last, of those that exist. Rows come first, and
// then heads.
type Newest struct {
	limit int
	rows  int
	last  map[key]placed
	kept  []found
	more  bool
}

// placed is the newest row of a path, with its place among the rows.
type placed struct {
	place int
	mark  store.Change
}

type found struct {
	Head
	place int // of its newest row; 0: that was before the rows
}

// NewNewest returns a Newest that keeps limit paths.
func NewNewest(limit int) *Newest {
	return &Newest{limit: limit, last: map[key]placed{}}
}

// Row takes one of the newest rows of the journal, in order.
func (n *Newest) Row(r store.Change) {
	n.rows++
	if r.From != "" {
		n.last[key{r.Kind, r.From}] = placed{place: n.rows, mark: r}
	}
	n.last[key{r.Kind, r.Path}] = placed{place: n.rows, mark: r}
}

// Head takes a path that exists.
func (n *Newest) Head(h Head) {
	n.kept = append(n.kept, found{h, n.last[key{h.Kind, h.Path}].place})
	if len(n.kept) >= 4*n.limit+16 {
		n.sort()
	}
}

// sort drops what is over the limit. Paths that the rows name changed after all others.
func (n *Newest) sort() {
	slices.SortFunc(n.kept, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.place, a.place), b.Updated.Compare(a.Updated), cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Kind, b.Kind))
	})
	if len(n.kept) > n.limit {
		n.kept, n.more = n.kept[:n.limit], true
	}
}

// Each calls fn for each path, the newest first, with the mark of its newest row. known
// is false if that row was not among the rows. It reports whether there are more paths.
func (n *Newest) Each(fn func(h Head, mark store.Change, known bool)) (more bool) {
	n.sort()
	for _, h := range n.kept {
		row, known := n.last[key{h.Kind, h.Path}]
		fn(h.Head, row.mark, known)
	}
	return n.more
}
