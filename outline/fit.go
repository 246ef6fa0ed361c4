package outline

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/tokens"
)

// An outline is what a scanner has found in a text.
type outline struct {
	kind  string
	notes []string // about the text as a whole, the most important first
	items []item   // in the order in which they are shown
}

// An item is one line of an outline.
type item struct {
	line, end int32 // lines of the text, from 1; 0 for none
	rank      int16 // items of rank 0 get room first
	indent    int16
	text      string // as it stands in the text
	brief     int32  // how many bytes of text are shown if room is short; 0 for all
	note      string // shown after the text, however short room is
	more      string // a comment, shown if there is room
}

// A style says how much of each item is shown.
type style struct {
	text, more int  // characters; 0 for no comment
	brief      bool // only the first item.brief bytes
}

var styles = []style{{160, 140, false}, {140, 70, false}, {90, 0, false}, {80, 0, true}}

// cost is an estimate of the tokens of an outline that leans high, because to exceed
// the budget is worse than not to use it up. tokens.Estimate is low for lists of
// short names and for Latin letters with accents.
func (s style) cost(text string) int {
	n := tokens.Estimate(text)
	n += n / 6
	if s.brief { // mostly names, which may be abbreviations
		n += n / 6
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
	order  []int  // indexes of items, in the order in which they get room
}

// fit writes the outline in at most so many tokens.
//
// Room goes to items by rank. The upper ranks of which all items have room decide
// on the style: they are shown as fully as they can be. A rank of which only some
// have room shows them evenly over the text.
func (o *outline) fit(head string, most int) string {
	f := fitter{items: o.items, prefix: o.prefix(head, most), most: most}
	f.rank()
	all := len(f.order)
	names := styles[len(styles)-1]
	n := f.search(0, all, names)
	upper := n
	for upper > 0 && upper < all && f.items[f.order[upper]].rank == f.items[f.order[upper-1]].rank {
		upper--
	}
	full := names // or the fullest style in which the upper ranks have room
	if i := slices.IndexFunc(styles, func(s style) bool { return f.fits(upper, s) }); i >= 0 {
		full = styles[i]
	}
	if upper == 0 || upper < all && full.cost(f.write(upper, full)) < most/2 {
		return f.write(n, names)
	}
	return f.write(f.search(upper, all, full), full)
}

// prefix is the first line, and those notes that leave room for items.
func (o *outline) prefix(head string, most int) string {
	text := clean(head, 200)
	for n := 190; styles[0].cost(text) > most*3/4; n -= 10 {
		text = clean(head, n)
	}
	for _, note := range o.notes {
		longer := text + "\n" + clean(note, 240)
		if styles[0].cost(longer) <= most/2 {
			text = longer
		}
	}
	return text
}

// rank sets the order in which items get room: by rank, and within a rank the first,
// the last, and then those between them, so that any beginning of the order is
// spread evenly over the text. To count with reversed bits does that.
func (f *fitter) rank() {
	place := make([]uint32, len(f.items))
	count, last := map[int16]uint32{}, map[int16]int{} // of each rank
	f.order = make([]int, len(f.items))
	for i, it := range f.items {
		f.order[i] = i
		place[i] = bits.Reverse32(count[it.rank])
		count[it.rank]++
		last[it.rank] = i
	}
	for _, i := range last {
		place[i] = min(place[i], 1)
	}
	sort.Slice(f.order, func(i, j int) bool {
		a, b := f.order[i], f.order[j]
		return cmp.Or(cmp.Compare(f.items[a].rank, f.items[b].rank), cmp.Compare(place[a], place[b])) < 0
	})
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

// write shows the first n items of the order, and counts the others.
func (f *fitter) write(n int, s style) string {
	chosen := slices.Clone(f.order[:n])
	slices.Sort(chosen)
	var b strings.Builder
	b.WriteString(f.prefix)
	for _, i := range chosen {
		f.items[i].write(&b, s)
	}
	if hidden := len(f.items) - n; hidden > 0 {
		fmt.Fprintf(&b, "\n… %d more", hidden)
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
		text = headOf(text, int(it.brief))
	}
	b.WriteString(clean(text, s.text))
	b.WriteString(it.note)
	if s.more > 0 && it.more != "" {
		b.WriteString(" — ")
		b.WriteString(clean(it.more, s.more))
	}
}
