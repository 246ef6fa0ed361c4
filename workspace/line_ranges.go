package workspace

import (
	"slices"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

const (
	maxLineRanges = 100 // of each kind, in place of a diff
	rangeTokens   = 16  // that a range costs as JSON, at most
)

// lineRanges returns the lines of the new text that were added, and those of the old text
// that were removed, each in ascending order. Each kind has as many ranges as maxTokens has
// room for, one at least and at most 100. If there are more, neighbours are joined, and then some
// ranges cover unchanged lines too.
func lineRanges(d *linediff.Diff, maxTokens int) (added, removed []LineRange, joined bool) {
	most := min(max(1, maxTokens/(2*rangeTokens)), maxLineRanges)
	allAdded, allRemoved := changedLines(d)
	added, removed = joinRanges(allAdded, most), joinRanges(allRemoved, most)
	return added, removed, len(added) < len(allAdded) || len(removed) < len(allRemoved)
}

// changedLines returns all ranges.
func changedLines(d *linediff.Diff) (added, removed []LineRange) {
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

// joinRanges returns at most so many ranges that cover the same lines and more.
func joinRanges(ranges []LineRange, most int) []LineRange {
	few := []LineRange{}
	for part := range slices.Chunk(ranges, max(1, (len(ranges)+most-1)/most)) {
		few = append(few, LineRange{part[0].From, part[len(part)-1].To})
	}
	return few
}
