package workspace

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/linediff"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

// LineRange is a range of lines, both ends included, numbered from 1.
type LineRange struct{ From, To int }

// fits reports whether a text costs no more than so many tokens. No token has
// less than a byte.
func fits(text []byte, most int) bool {
	return len(text) <= most || tokens.EstimateBytes(text) <= most
}

// bound cuts the content that begins at a line to what o.MaxTokens allows: to whole
// lines, or within the first one where that alone is too long.
func (r *ReadResult) bound(first int, o ReadOptions) {
	if o.MaxTokens == 0 || fits(r.Content, o.MaxTokens) {
		return
	}
	r.Truncated, r.FromLine = true, first
	text := window(r.Content, o.MaxTokens)
	if size := longestFit(text, o.MaxTokens, lineEnds(text)); size > 0 {
		r.Content = r.Content[:size]
		r.ToLine = first + linediff.Lines(r.Content) - 1
		return
	}
	line := len(r.Content)
	if end := bytes.IndexByte(r.Content, '\n'); end >= 0 {
		line = end + 1
	}
	text = text[:min(line, len(text))]
	r.Content = r.Content[:longestFit(text, o.MaxTokens, runeStarts(text))]
	r.ToLine, r.CutBytes = first, int64(line-len(r.Content))
}

// longestFit returns the last of the ascending places before which the text fits,
// 0 if it fits before none.
func longestFit(text []byte, most int, places []int) int {
	n := sort.Search(len(places), func(i int) bool { return !fits(text[:places[i]], most) })
	if n == 0 {
		return 0
	}
	return places[n-1]
}

// window returns how much of a text to look at for the longest part that fits.
func window(text []byte, most int) []byte {
	size := 8 * most
	for size < len(text) && fits(text[:size], most) {
		size *= 2
	}
	return text[:min(size, len(text))]
}

// lineEnds returns where lines of a text end.
func lineEnds(text []byte) (ends []int) {
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// runeStarts returns where characters of a text begin.
func runeStarts(text []byte) (starts []int) {
	for i, c := range text {
		if utf8.RuneStart(c) {
			starts = append(starts, i)
		}
	}
	return starts
}

// maxChanged is how many ranges of each kind are given in place of a diff.
const maxChanged = 100

// ranges gives the ranges of lines that were added and removed in place of a diff:
// as many as cost no more than the given tokens, one of each kind at least.
func (r *ReadResult) ranges(d *linediff.Diff, most int) {
	added, removed := changedLines(d)
	n := 1 + sort.Search(maxChanged-1, func(i int) bool {
		n := i + 2
		return !fits(appendRanges(appendRanges(nil, joined(added, n)), joined(removed, n)), most)
	})
	r.Diff, r.Truncated = nil, true
	r.Changed, r.Removed = joined(added, n), joined(removed, n)
	r.Joined = len(r.Changed) < len(added) || len(r.Removed) < len(removed)
}

// changedLines returns the lines of the new text that were added, and those of the
// old text that were removed, both in ascending order.
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

// joined returns at most so many ranges that hold the same lines and more. It joins
// the nearest; of gaps that are equal it keeps some that are evenly spread.
func joined(ranges []LineRange, most int) []LineRange {
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
	few := append(make([]LineRange, 0, most), ranges[0])
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
