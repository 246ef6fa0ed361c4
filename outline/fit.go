package outline

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/outline/internal/excerpt"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

// An outline is what a scanner has found in a text.
type outline struct {
	kind   string
	notes  []string // about the text as a whole, the most important first
	items  []item   // in the order in which they are shown
	broken bool     // the text does not have the whole form of its kind
}

// An item is one line of an outline.
type item struct {
	line, end int32 // lines of the text, from 1; 0 for none
	rank      int16 // items of rank 0 get room first
	indent    int16
	extra     bool   // shown if everything else is, and not counted otherwise
	text      string // as it stands in the text
	brief     int32  // how many bytes of text are shown if room is short; 0 for all
	note      string // shown after the text, however short room is
	more      string // a comment, of which the first sentence is shown if there is room
}

// A style says how much of each item is shown.
type style struct {
	text, more int  // characters; 0 for no comment
	brief      bool // only the first item.brief bytes
}

var styles = []style{{160, 140, false}, {140, 70, false}, {90, 0, false}, {56, 0, false}, {80, 0, true}}

// cost is an estimate of the tokens of an outline that leans high, because to exceed
// the budget is worse than not to use it up. tokens.Estimate is low for lists of
// short names and for Latin letters with accents.
func (s style) cost(text string) int {
	n := tokens.Estimate(text)
	n += n / 8
	if s.brief {
		n += n / 8
	}
	for i := range len(text) {
		if c := text[i]; c >= 0xC3 && c <= 0xC9 {
			n++
		}
	}
	return n
}

// A fitter chooses the items of an outline that have room.
type fitter struct {
	items  []item
	prefix string // the lines above the items
	most   int    // tokens
	order  []int32
	extra  int // items at the end of order
}

// fit writes the outline in at most so many tokens.
//
// Room goes to items by rank. The upper ranks of which all items have room decide
// on the style: they are shown as fully as they can be. A rank of which only some
// have room shows them evenly over the text.
func (o *outline) fit(head string, most int) string {
	f := fitter{items: o.items, prefix: o.prefix(head, most), most: most}
	f.rank()
	counted := len(f.order) - f.extra
	names := styles[len(styles)-1]
	n := f.search(0, counted, names)
	upper := n
	for upper > 0 && upper < counted && f.key(f.order[upper]) == f.key(f.order[upper-1]) {
		upper--
	}
	style := f.fullest(upper)
	if upper == 0 || upper < counted && style.cost(f.write(upper, style)) < most/2 {
		style, upper = names, n
	}
	n = f.search(upper, counted, style)
	if shorter := styles[2]; n == counted && f.extra > 0 && f.fits(n, shorter) {
		n, style = f.search(n, len(f.order), shorter), shorter
	}
	return f.write(n, style)
}

// prefix is the first line, and those notes that leave room for items.
func (o *outline) prefix(head string, most int) string {
	text := excerpt.Clean(head, 200)
	first, room := most*3/4, most/2 // of the first line, and with the notes
	if len(o.items) == 0 {
		first, room = most, most
	}
	for styles[0].cost(text) > first {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	for _, note := range o.notes {
		longer := text + "\n" + excerpt.Clean(note, 240)
		if styles[0].cost(longer) <= room {
			text = longer
		}
	}
	return text
}

// rank sets the order in which items get room: by rank, extra items last, and
// within a rank evenly over the text.
func (f *fitter) rank() {
	f.order = make([]int32, len(f.items))
	for i := range f.items {
		f.order[i] = int32(i)
		if f.items[i].extra {
			f.extra++
		}
	}
	slices.SortStableFunc(f.order, func(a, b int32) int { return f.key(a) - f.key(b) })
	for from := 0; from < len(f.order); {
		to := from
		for to < len(f.order) && f.key(f.order[to]) == f.key(f.order[from]) {
			to++
		}
		spread(f.order[from:to])
		from = to
	}
}

// key is the rank of an item among all, extra ones included.
func (f *fitter) key(i int32) int {
	if f.items[i].extra {
		return 1<<16 + int(f.items[i].rank)
	}
	return int(f.items[i].rank)
}

// spread reorders a list so that it begins with its first and last element and
// any part from its beginning is spread evenly over it. It reverses the bits of
// the indexes.
func spread(list []int32) {
	if len(list) < 3 {
		return
	}
	last := len(list) - 1
	from := slices.Clone(list)
	width := bits.Len(uint(last - 1))
	to := list[:0]
	for i := range 1 << width {
		if at := int(bits.Reverse(uint(i)) >> (bits.UintSize - width)); at < last {
			to = append(to, from[at])
		}
		if i == 0 {
			to = append(to, from[last])
		}
	}
}

// fullest returns the first style in which n items have room. In the last they do.
func (f *fitter) fullest(n int) style {
	for _, s := range styles {
		if f.fits(n, s) {
			return s
		}
	}
	return styles[len(styles)-1]
}

func (f *fitter) fits(n int, s style) bool {
	return n <= f.most && s.cost(f.write(n, s)) <= f.most // an item costs a token
}

// search returns how many items have room, from least, which do, to most.
func (f *fitter) search(least, most int, s style) int {
	if f.fits(most, s) {
		return most
	}
	for most = min(most, f.most+1); least < most-1; {
		if n := (least + most) / 2; f.fits(n, s) {
			least = n
		} else {
			most = n
		}
	}
	return least
}

// write shows the first n items of order. Others of their ranks are counted where
// they would stand, those of lower ranks at the end.
func (f *fitter) write(n int, s style) string {
	chosen := slices.Clone(f.order[:n])
	slices.Sort(chosen)
	lowest := -1
	if n > 0 {
		lowest = f.key(f.order[n-1])
	}
	var b strings.Builder
	b.WriteString(f.prefix)
	next, lower := int32(0), 0
	for _, i := range append(chosen, int32(len(f.items))) {
		hidden, last := 0, int32(0)
		for j := next; j < i; j++ {
			if f.items[j].extra {
				continue
			}
			if f.key(j) <= lowest {
				hidden, last = hidden+1, j
			} else {
				lower++
			}
		}
		if hidden == 1 {
			f.items[last].write(&b, s) // about as short as to say that there is one
		} else if hidden > 1 {
			fmt.Fprintf(&b, "\n… %d more", hidden)
		}
		if int(i) < len(f.items) {
			f.items[i].write(&b, s)
		}
		next = i + 1
	}
	if lower > 0 {
		fmt.Fprintf(&b, "\n… %d more of lower rank", lower)
	}
	return b.String()
}

func (it *item) write(b *strings.Builder, s style) {
	b.WriteByte('\n')
	if it.line > 0 {
		b.WriteString(strconv.Itoa(int(it.line)))
		if it.end > it.line {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(int(it.end)))
		}
		b.WriteByte(' ')
	} else {
		b.WriteString("- ") // so that a number in the text is not read as a line's
	}
	b.WriteString("                "[:2*min(it.indent, 8)])
	text := it.text
	if s.brief && it.brief > 0 {
		text = excerpt.Head(text, int(it.brief))
	}
	b.WriteString(excerpt.Clean(text, s.text))
	b.WriteString(it.note)
	if s.more == 0 || it.more == "" {
		return
	}
	if more := excerpt.FirstSentence(it.more, s.more); more != "" {
		b.WriteString(" — ")
		b.WriteString(more)
	}
}

// once keeps the first of the items with the same text, and counts the others. It
// does so for the extra items, or for those that are not.
func once(items []item, extra bool) []item {
	known := make(map[string]int, len(items))
	var kept []item
	var times, last []int32
	for _, it := range items {
		at, ok := known[it.text]
		if !ok || it.extra != extra {
			at = len(kept)
			known[it.text] = at
			kept, times, last = append(kept, it), append(times, 0), append(last, 0)
		}
		times[at]++
		last[at] = it.line
	}
	for i := range kept {
		if times[i] > 1 {
			kept[i].note = fmt.Sprintf(" (%d times, to line %d)", times[i], last[i])
		}
	}
	return kept
}
