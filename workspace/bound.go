package workspace

import (
	"bytes"
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

// changedLines returns which lines of the new text differ, in ascending order. Where
// lines were only removed, these are the line before and the line after. If there
// are more ranges than most, those with the fewest lines between them are joined.
func changedLines(d *linediff.Diff, lines, most int) []LineRange {
	ranges := []LineRange{}
	runs := d.Runs()
	for i, run := range runs {
		var next LineRange
		switch {
		case run.Op == linediff.Add:
			next = LineRange{run.New + 1, run.New + run.Lines}
		case run.Op == linediff.Remove && (i+1 == len(runs) || runs[i+1].Op != linediff.Add):
			next = LineRange{max(run.New, 1), min(run.New+1, lines)}
		default:
			continue
		}
		if last := len(ranges) - 1; last >= 0 && next.From <= ranges[last].To+1 {
			ranges[last].To = max(ranges[last].To, next.To)
		} else if next.From <= next.To {
			ranges = append(ranges, next)
		}
	}
	return joined(ranges, most)
}

// joined returns at most so many ranges that hold the same lines and more.
func joined(ranges []LineRange, most int) []LineRange {
	over := len(ranges) - most
	if over <= 0 {
		return ranges
	}
	gaps := make([]int, len(ranges)-1)
	for i := range gaps {
		gaps[i] = ranges[i+1].From - ranges[i].To
	}
	slices.Sort(gaps)
	widest := gaps[over-1]
	few := ranges[:1]
	for _, next := range ranges[1:] {
		if last := &few[len(few)-1]; next.From-last.To <= widest {
			last.To = next.To
		} else {
			few = append(few, next)
		}
	}
	return few
}
