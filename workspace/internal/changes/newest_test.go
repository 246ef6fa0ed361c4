package changes_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/changes"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Newest lists the paths that exist in the order of their newest rows, wherever the rows
// that it is given begin.
func TestNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		last := map[place]int{}
		for i, r := range h.rows {
			last[place{r.Kind, r.Path}] = i
		}
		from := rapid.IntRange(0, len(h.rows)).Draw(t, "from")
		clock := func(row int) time.Time { // it goes back after row from
			return testkit.Start.Add(time.Duration(from-max(row-from, from-row)) * time.Second)
		}
		var heads []changes.Head
		for at, what := range h.snapshots[len(h.rows)] {
			heads = append(heads, changes.Head{Kind: at.kind, Path: at.path, Number: what.number, Updated: clock(last[at])})
		}
		row := func(head changes.Head) int { return last[place{head.Kind, head.Path}] }
		limit := rapid.IntRange(1, 8).Draw(t, "limit")
		n := changes.NewNewest(limit)
		for _, r := range h.rows[from:] {
			n.Row(r.Change)
		}
		old := rapid.IntRange(0, 100).Draw(t, "old")
		for i := range old {
			n.Head(changes.Head{Kind: "old", Path: fmt.Sprint(i), Updated: testkit.Start.Add(-time.Hour)})
		}
		for _, head := range heads {
			n.Head(head)
		}
		slices.SortFunc(heads, func(a, b changes.Head) int { return cmp.Compare(row(b), row(a)) })
		i := 0
		more := n.Each(func(got changes.Head, mark store.Change, known bool) {
			switch {
			case i >= len(heads):
				if got.Kind != "old" {
					t.Fatalf("path %d is %+v, want an old one", i, got)
				}
			case got != heads[i] || known != (row(got) >= from) || known && int(mark.Revision) != row(got):
				t.Fatalf("path %d is %+v, row %d (%v), want %+v, row %d%s", i, got, mark.Revision, known, heads[i], row(heads[i]), h)
			}
			i++
		})
		if all := len(heads) + old; i != min(limit, all) || more != (all > limit) {
			t.Fatalf("there are %d paths of %d, more %v, limit %d", i, all, more, limit)
		}
	})
}
