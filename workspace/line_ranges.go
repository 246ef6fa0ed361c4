package workspace

import (
	"fmt"
	"slices"
	"sort"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fit"
)

// maxLineRanges is how many ranges of each kind are given in place of a diff.
const maxLineRanges = 100

// lineRanges returns the lines of the new text that were added, and those of the old text
// that were removed, each in ascending order. If there are over 100 ranges of a kind,
// or if they cost over maxTokens as JSON, the nearest ones are joined, and then some
// cover unchanged lines too. A kind that occurs has one range at least.
func lineRanges(d *linediff.Diff, maxTokens int, count fit.Counter) (added, removed []LineRange, joined bool) {
	allAdded, allRemoved := changedLines(d)
	n := 1 + sort.Search(maxLineRanges-1, func(i int) bool {
		n := i + 2
		return !count.Within(appendRanges(appendRanges(nil, joinRanges(allAdded, n)), joinRanges(allRemoved, n)),
			maxTokens)
	})
	added, removed = joinRanges(allAdded, n), joinRanges(allRemoved, n)
	return added, removed, len(added) < len(allAdded) || len(removed) < len(allRemoved)
}

// changedLines returns all ranges. Neither result is nil.
func changedLines(d *linediff.Diff) (added, removed []LineRange) {
	added, removed = []LineRange{}, []LineRange{}
	for _, run := range d.Runs() {
		switch run.Op {
		case linediff.Add:
			added = append(added, LineRange{run.New + 1, run.New + run.Lines})
		case linediff.Remove:
			removed = append(removed, LineRange{run.Old + 1, run.Old + run.Lines})
		}
	}
	return added, removed
}

// appendRanges appends ranges as JSON.
func appendRanges(text []byte, ranges []LineRange) []byte {
	text = append(text, '[')
	for i, r := range ranges {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "[%d,%d]", r.From, r.To)
	}
	return append(text, ']')
}

// joinRanges returns at most so many ranges that cover the same lines and more. It joins the
// nearest; of those that are equally near, the last.
func joinRanges(ranges []LineRange, most int) []LineRange {
	if len(ranges) <= most {
		return ranges
	}
	gap := func(i int) int { return ranges[i].From - ranges[i-1].To }
	apart := make([]int, len(ranges)-1) // the ranges that are not joined to the one before, by what is between
	for i := range apart {
		apart[i] = i + 1
	}
	slices.SortStableFunc(apart, func(i, j int) int { return gap(j) - gap(i) })
	apart = apart[:most-1]
	slices.Sort(apart)
	var few []LineRange
	from := 0
	for _, i := range append(apart, len(ranges)) {
		few = append(few, LineRange{ranges[from].From, ranges[i-1].To})
		from = i
	}
	return few
}
