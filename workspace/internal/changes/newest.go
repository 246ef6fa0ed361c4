package changes

import (
	"cmp"
	"sort"
	"strings"
	"time"
)

// A Head is a path at which there is something now.
type Head struct {
	Kind    string
	Path    string
	Number  int64 // the version, or the last entry
	Updated time.Time
}

// Newest collects the paths that changed last, of those that exist. Rows come first, and
// then heads.
type Newest[M any] struct {
	limit int
	rows  int
	last  map[key]placed[M]
	kept  []found
	more  bool
}

// placed is the newest row of a path, with its place among the rows.
type placed[M any] struct {
	place int
	gone  bool // it was a deletion
	mark  M
}

type found struct {
	Head
	place int // of its newest row; 0: that was before the rows
}

// NewNewest returns a Newest that keeps limit paths.
func NewNewest[M any](limit int) *Newest[M] {
	return &Newest[M]{limit: limit, last: map[key]placed[M]{}}
}

// Row takes one of the newest rows of the journal, in order.
func (n *Newest[M]) Row(r Row[M]) {
	n.rows++
	if r.From != "" {
		n.last[key{r.Kind, r.From}] = placed[M]{place: n.rows, gone: true, mark: r.Mark}
	}
	n.last[key{r.Kind, r.Path}] = placed[M]{place: n.rows, gone: r.After == 0, mark: r.Mark}
}

// Named returns how many paths with a prefix the rows name, without those that were deleted
// last.
func (n *Newest[M]) Named(prefix string) (paths int) {
	for k, row := range n.last {
		if !row.gone && strings.HasPrefix(k.path, prefix) {
			paths++
		}
	}
	return paths
}

// Head takes a path that exists.
func (n *Newest[M]) Head(h Head) {
	n.kept = append(n.kept, found{h, n.last[key{h.Kind, h.Path}].place})
	if len(n.kept) >= 4*n.limit+16 {
		n.sort()
	}
}

// sort drops what is over the limit. Paths that the rows name changed after all others.
func (n *Newest[M]) sort() {
	sort.Slice(n.kept, func(i, j int) bool {
		a, b := &n.kept[i], &n.kept[j]
		return cmp.Or(cmp.Compare(b.place, a.place), b.Updated.Compare(a.Updated), cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Kind, b.Kind)) < 0
	})
	if len(n.kept) > n.limit {
		n.kept, n.more = n.kept[:n.limit], true
	}
}

// Each calls fn for each path, the newest first, with the mark of its newest row. known
// is false if that row was not among the rows. It reports whether there are more paths.
func (n *Newest[M]) Each(fn func(h Head, mark M, known bool)) (more bool) {
	n.sort()
	for _, h := range n.kept {
		row, known := n.last[key{h.Kind, h.Path}]
		fn(h.Head, row.mark, known)
	}
	return n.more
}
