package words

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

const (
	maxHunk  = 1 << 16 // removed and added lines of a run that are paired
	maxCells = 1 << 14 // pairs of lines that are all compared
	band     = 32      // lines that a line of a larger run is compared with
	endBytes = 4 << 10 // bytes of each end of a long line that tell whether it is like another

	minAlike = 500 // of 1000: lines that are less alike are no pair
	minShare = 300 // of 1000: lines that share less words in order have no marks inside
)

// similarity returns how much of two weights is common, from 0 to 1000.
func similarity(common, a, b int) int {
	if a+b == 0 {
		return 1000
	}
	return 2000 * common / (a + b)
}

// A pair is a removed line and an added line that are two forms of one.
type pair struct {
	old, new int32
}

// A pairer pairs removed lines with added lines. It counts its work.
type pairer struct {
	work, budget int
	old, new     []feature // of the present run
	first        pair      // the lines before the run
	pairs        []pair    // in order, on both sides
}

// A feature is what tells whether a line is like another.
type feature struct {
	text   string
	words  []uint64 // sorted: of each token that is no space a hash, and its weight in the low byte
	weight int      // of all words
	filter uint64   // a bit for each word
}

// pair pairs the lines of a run that was removed with those of a run that was added.
func (p *pairer) pair(old, new []string, first pair) {
	if len(old)+len(new) > maxHunk {
		return
	}
	p.first = first
	p.old, p.new = p.features(old), p.features(new)
	p.work, p.budget = 0, maxCells
	for _, f := range slices.Concat(p.old, p.new) {
		p.budget += 4*band + band*len(f.words)
	}
	p.anchor(0, block{oldEnd: len(old), newEnd: len(new)})
}

// A block is some removed lines and some added lines, by their numbers in the run.
type block = change

func (p *pairer) features(lines []string) []feature {
	all := make([]feature, len(lines))
	var words []uint64
	for i, line := range lines {
		f := feature{text: line}
		if len(line) <= maxLine {
			from := len(words)
			words = appendWords(words, line)
			f.words = words[from:len(words):len(words)]
			slices.Sort(f.words)
		}
		for _, w := range f.words {
			f.weight += int(w & 0xff)
			f.filter |= 1 << (w >> 58)
		}
		all[i] = f
	}
	return all
}

func appendWords(words []uint64, line string) []uint64 {
	for at := 0; at < len(line); {
		t := next(line[at:])
		text := line[at : at+int(t.end)]
		at += len(text)
		if t.class == space {
			continue
		}
		hash := uint64(14695981039346656037) // FNV-1a
		for i := range len(text) {
			hash = (hash ^ uint64(text[i])) * 1099511628211
		}
		hash ^= hash >> 29
		hash *= 0xbf58476d1ce4e5b9 // the high bits are used first
		words = append(words, hash&^0xff|uint64(min(t.runes, 255)))
	}
	return words
}

// alike returns how much two lines have in common, from 0 to 1000.
func (p *pairer) alike(i, j int) int {
	a, b := &p.old[i], &p.new[j]
	if len(a.text) > maxLine || len(b.text) > maxLine {
		return p.alikeEnds(a.text, b.text)
	}
	if a.weight == 0 || b.weight == 0 {
		return similarity(0, a.weight, b.weight)
	}
	if a.filter&b.filter == 0 || bits.OnesCount64(a.filter&b.filter)*4 < min(bits.OnesCount64(a.filter), bits.OnesCount64(b.filter)) {
		return 0
	}
	p.work += len(a.words) + len(b.words)
	common := 0
	for x, y := a.words, b.words; len(x) > 0 && len(y) > 0; {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			common += int(x[0] & 0xff)
			x, y = x[1:], y[1:]
		}
	}
	if least := min(a.weight, b.weight); least >= 4 && common*6 >= least*5 {
		// One of the lines is nearly all in the other.
		return max(similarity(common, a.weight, b.weight), 600*common/least)
	}
	return similarity(common, a.weight, b.weight)
}

// alikeEnds compares the beginnings and the ends of long lines.
func (p *pairer) alikeEnds(a, b string) int {
	head := commonPrefix(a[:min(len(a), endBytes)], b[:min(len(b), endBytes)])
	a, b = a[head:], b[head:]
	tail := commonSuffix(a[max(0, len(a)-endBytes):], b[max(0, len(b)-endBytes):])
	p.work += (head + tail) / 64
	return min(1000, 1000*(head+tail)/(2*endBytes))
}

// forms are how lines are compared that are not the same, the strictest first.
var forms = []func(line string, unique string) string{
	func(line, _ string) string { // without spaces
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, line)
	},
	func(line, unique string) string { // letters alone, if there are enough of them
		n := 0
		letters := strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return -1
			}
			n++
			return r
		}, line)
		if n < 4 {
			return unique
		}
		return letters
	},
}

// anchor pairs the lines of a block. If it is large, it first pairs the lines that have
// the same form, and then the blocks between them.
func (p *pairer) anchor(form int, b block) {
	rows, cols := b.oldEnd-b.old, b.newEnd-b.new
	if rows == 0 || cols == 0 {
		return
	}
	if rows*cols <= maxCells || form == len(forms) {
		p.table(b)
		return
	}
	lines := func(all []feature, from, to int, mark string) []byte {
		var s strings.Builder
		for i, f := range all[from:to] {
			s.WriteString(forms[form](f.text, mark+strconv.Itoa(i)))
			s.WriteByte('\n')
		}
		return []byte(s.String())
	}
	d := linediff.Compare(lines(p.old, b.old, b.oldEnd, "<"), lines(p.new, b.new, b.newEnd, ">"))
	at := b
	for _, r := range d.Runs() {
		if r.Op != linediff.Equal {
			continue
		}
		for k := range r.Lines {
			i, j := b.old+r.Old+k, b.new+r.New+k
			if p.alike(i, j) < minAlike {
				continue
			}
			p.anchor(form+1, block{old: at.old, oldEnd: i, new: at.new, newEnd: j})
			p.add(i, j)
			at.old, at.new = i+1, j+1
		}
	}
	p.anchor(form+1, at)
}

func (p *pairer) add(i, j int) {
	p.pairs = append(p.pairs, pair{p.first.old + int32(i), p.first.new + int32(j)})
}

// Steps of the best way through a table.
const (
	skipRow = iota
	skipColumn
	take
)

// table pairs the lines of a block so that the sum of what they have in common is
// greatest. In a large block it looks at a band around the diagonal only.
func (p *pairer) table(b block) {
	rows, cols := b.oldEnd-b.old, b.newEnd-b.new
	flip := rows < cols
	if flip {
		rows, cols = cols, rows
	}
	width := cols
	if rows*cols > maxCells {
		width = min(cols, band)
	}
	low := func(i int) int { return min(max(i*cols/rows-width/2, 0), cols-width) }
	p.work += rows * width
	steps := make([]uint8, rows*width)
	before, best := make([]int32, width+1), make([]int32, width+1)
	for i := range rows {
		shift := 0
		if i > 0 {
			shift = low(i) - low(i-1)
		}
		best[0] = before[shift]
		for k := range width {
			above := before[min(k+1+shift, width)]
			score, step := best[k], uint8(skipColumn)
			if above > score {
				score, step = above, skipRow
			}
			if s := p.score(b, i, low(i)+k, flip); s > 0 && before[k+shift]+s > score {
				score, step = before[k+shift]+s, take
			}
			best[k+1], steps[i*width+k] = score, step
		}
		before, best = best, before
	}
	p.walk(b, steps, width, rows, cols, low, flip)
}

// score is what a pair is worth, or 0 if the lines are no pair.
func (p *pairer) score(b block, i, j int, flip bool) int32 {
	if p.work > p.budget {
		return 0
	}
	if flip {
		i, j = j, i
	}
	alike := p.alike(b.old+i, b.new+j)
	if alike < minAlike {
		return 0
	}
	return int32(alike - minAlike + 100)
}

// walk adds the pairs of a table, from its end.
func (p *pairer) walk(b block, steps []uint8, width, rows, cols int, low func(int) int, flip bool) {
	from := len(p.pairs)
	for i, j := rows, cols; i > 0; {
		k := min(j-low(i-1), width)
		j = low(i-1) + k
		if k == 0 {
			i--
			continue
		}
		switch steps[(i-1)*width+k-1] {
		case skipRow:
			i--
		case skipColumn:
			j--
		case take:
			i, j = i-1, j-1
			if flip {
				p.add(b.old+j, b.new+i)
			} else {
				p.add(b.old+i, b.new+j)
			}
		}
	}
	slices.Reverse(p.pairs[from:])
}
