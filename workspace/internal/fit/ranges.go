package fit

import (
	"fmt"
	"slices"
	"sort"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

// A Range is a range of lines, both ends included, numbered from 1.
type Range struct{ From, To int }

// maxRanges is how many ranges of each kind are given in place of a diff.
const maxRanges = 100

// Ranges returns the lines of the new text that were added, and those of the old text
// that were removed, each in ascending order. If there are over 100 ranges of a kind,
// or if they cost over maxTokens as JSON, the nearest ones are joined, and then some
// cover unchanged lines too. A kind that occurs has one range at least.
func Ranges(d *linediff.Diff, maxTokens int) (added, removed []Range, joined bool) {
	allAdded, allRemoved := changedLines(d)
	n := 1 + sort.Search(maxRanges-1, func(i int) bool {
		n := i + 2
		return !Within(appendRanges(appendRanges(nil, join(allAdded, n)), join(allRemoved, n)), maxTokens)
	})
	added, removed = join(allAdded, n), join(allRemoved, n)
	return added, removed, len(added) < len(allAdded) || len(removed) < len(allRemoved)
}

// changedLines returns all ranges. Neither result is nil.
func changedLines(d *linediff.Diff) (added, removed []Range) {
	added, removed = []Range{}, []Range{}
	for _, run := range d.Runs() {
		switch run.Op {
		case linediff.Add:
			added = append(added, Range{run.New + 1, run.New + run.Lines})
		case linediff.Remove:
			removed = append(removed, Range{run.Old + 1, run.Old + run.Lines})
		}
	}
	return added, removed
}

// appendRanges appends ranges as JSON.
func appendRanges(text []byte, ranges []Range) []byte {
	text = append(text, '[')
	for i, r := range ranges {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "[%d,%d]", r.From, r.To)
	}
	return append(text, ']')
}

// join returns at most so many ranges that cover the same lines and more. It joins the
// nearest. Of equal gaps it keeps some that are evenly spread.
func join(ranges []Range, most int) []Range {
	if len(ranges) <= most {
		return ranges
	}
	gap := func(i int) int { return ranges[i].From - ranges[i-1].To }
	gaps := make([]int, 0, len(ranges)-1)
	for i := 1; i < len(ranges); i++ {
		gaps = append(gaps, gap(i))
	}
	slices.Sort(gaps)
	widest := gaps[len(ranges)-most-1] // the widest that is joined
	from, _ := slices.BinarySearch(gaps, widest)
	to, _ := slices.BinarySearch(gaps, widest+1)
	equal, keep := to-from, to-(len(ranges)-most)
	few := append(make([]Range, 0, most), ranges[0])
	seen := 0
	for i := 1; i < len(ranges); i++ {
		apart := gap(i) > widest
		if gap(i) == widest {
			apart = (seen+1)*keep/equal > seen*keep/equal
			seen++
		}
		if apart {
			few = append(few, ranges[i])
		} else {
			few[len(few)-1].To = ranges[i].To
		}
	}
	return few
}
