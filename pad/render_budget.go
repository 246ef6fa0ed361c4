package pad

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// budget fits a rendering into a number of tokens. Counting may cost far more than
// writing. So the counted texts add up to a small multiple of the whole, whatever the
// counter returns.
type budget struct {
	*rendering
	max     int
	counter func(string) int
	oldest  []*piece // all pieces, the least recently updated first
	fixed   int      // tokens of the text around the pieces, minus one separator
}

const (
	fewTries  = 3 // how often one more entry is left out, before it is half of the rest
	maxProbes = 4 // how many lengths of a cut value are tried
	cutMark   = "… [cut]"
)

func newBudget(r *rendering, most int, counter func(string) int) *budget {
	b := &budget{rendering: r, max: most, counter: counter, oldest: slices.Clone(r.pieces)}
	if b.counter == nil {
		b.counter = tokens.Estimate
	}
	slices.SortStableFunc(b.oldest, func(p, q *piece) int {
		return cmp.Or(p.entry.updated.Compare(q.entry.updated), cmp.Compare(p.entry.revision, q.entry.revision))
	})
	return b
}

func (b *budget) count(text string) int {
	if text == "" {
		return 0
	}
	return max(0, b.counter(text))
}

func (b *budget) fits(text string) bool { return b.count(text) <= b.max }

// fit returns a text within the budget, with as many entries as their own counts allow.
func (b *budget) fit() string {
	whole := b.join(b.pieces, 0)
	n := b.count(whole)
	if n <= b.max {
		return whole
	}
	if len(b.pieces) == 0 {
		return ""
	}
	kept := b.chosen()
	if len(kept) == len(b.pieces) {
		kept = kept[1:] // the whole counts more than its parts
	}
	for tries := 1; len(kept) > 0; tries++ {
		if text, ok := b.attempt(kept, tries == 1); ok {
			return text
		}
		if tries <= fewTries {
			kept = kept[1:]
		} else {
			kept = halved(kept)
		}
	}
	return b.cut(n)
}

// chosen returns the pieces to keep by their own counts, the least recently updated first.
func (b *budget) chosen() []*piece {
	around := b.layout.open + b.layout.end
	if b.header != "" {
		around = b.header + "\n" + around
	}
	b.fixed = b.count(around) - min(b.count(b.layout.separator), len(b.layout.separator))
	var alone []*piece
	for _, p := range b.oldest {
		if p.count = b.count(p.text); p.count <= b.max-b.fixed {
			alone = append(alone, p)
		}
	}
	room := b.max - b.fixed
	for i := len(alone) - 1; i >= 0; i-- {
		if alone[i].count > room {
			return alone[i+1:]
		}
		room -= alone[i].count
	}
	return alone
}

// attempt writes the pieces, and the number of entries left out if that fits too. The
// first attempt trusts the counts of the pieces.
func (b *budget) attempt(kept []*piece, first bool) (string, bool) {
	sum := b.fixed
	for _, p := range kept {
		sum += p.count
	}
	kept = inOrder(kept)
	left := len(b.pieces) - len(kept)
	line := b.count(b.layout.separator + b.leftOut(left))
	said := first && b.layout.leftOut != "" && line <= b.max-sum
	if said {
		if text := b.join(kept, left); b.fits(text) {
			return text, true
		}
	}
	text := b.join(kept, 0)
	n := b.count(text)
	if n > b.max {
		return "", false
	}
	if b.layout.leftOut != "" && !said && line <= b.max-n {
		if with := b.join(kept, left); b.fits(with) {
			return with, true
		}
	}
	return text, true
}

func inOrder(pieces []*piece) []*piece {
	return slices.SortedFunc(slices.Values(pieces), func(p, q *piece) int { return p.index - q.index })
}

// halved leaves out half of the text. If the last entry is longer than half, nothing is
// left, and cut tries that entry alone.
func halved(kept []*piece) []*piece {
	size := 0
	for _, p := range kept {
		size += len(p.text)
	}
	for half := size / 2; size > half; kept = kept[1:] {
		size -= len(kept[0].text)
	}
	return kept
}

// cut returns the beginning of the most recently updated entry, as much as fits, or a text
// without entries. whole is the count of the text with all entries.
func (b *budget) cut(whole int) string {
	newest := b.oldest[len(b.oldest)-1]
	if len(b.pieces) > 1 {
		text := b.join([]*piece{newest}, 0)
		if whole = b.count(text); whole <= b.max {
			return text
		}
	}
	value := valueText(newest.entry.value)
	left := len(b.pieces) - 1
	write := func(value string, left int) string {
		p := *newest
		p.text = b.layout.entry(p.key, b.layout.literal(value), p.meta) + b.layout.separator
		return b.join([]*piece{&p}, left)
	}
	n := b.count(write(cutMark, left))
	if n > b.max/2 && left > 0 && b.layout.leftOut != "" {
		left = 0 // use the room for the value
		n = b.count(write(cutMark, left))
	}
	if n > b.max {
		return b.nothing()
	}
	marks := n - b.count(write("", 0))
	return b.longest(value, n, whole+max(0, marks), func(size int) string { return write(value[:size]+cutMark, left) })
}

// longest returns the text with the longest prefix of a value that it finds to fit. write
// returns the text for a length. none and all are its counts with no value and with the
// whole value.
func (b *budget) longest(value string, none, all int, write func(size int) string) string {
	best, low, high := write(0), 0, len(value)
	for probe := 0; high-low > 1; probe++ {
		size := low + share(high-low, b.max-none, all-none)
		if probe >= maxProbes {
			size = high / 2
		}
		if size = boundary(value, size, low); size >= high {
			break
		}
		text := write(size)
		if n := b.count(text); n > b.max {
			high, all = size, n
		} else {
			best, low, none = text, size, n
		}
		if low > 0 && (probe >= maxProbes-1 || b.max-none <= b.max/32) {
			break
		}
	}
	return best
}

// boundary returns the last character boundary up to size. If that is not after low, it
// returns the next one.
func boundary(value string, size, low int) int {
	for size > low && !utf8.RuneStart(value[size]) {
		size--
	}
	if size > low {
		return size
	}
	_, n := utf8.DecodeRuneInString(value[low:])
	return low + n
}

// share returns n times part/whole, but at least 1 and at most n-1.
func share(n, part, whole int) int {
	f := float64(n) * float64(part) / float64(whole)
	if math.IsNaN(f) {
		f = 0
	}
	return int(max(1, min(f, float64(n-1))))
}

// nothing returns the text without any entry.
func (b *budget) nothing() string {
	for _, left := range []int{len(b.pieces), 0} {
		if text := b.join(nil, left); b.fits(text) {
			return text
		}
	}
	return ""
}
