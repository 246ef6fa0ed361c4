package outline

import (
	"fmt"
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
	notes  []string // on the whole, the weightiest first
	items  []item   // in the order of the text or, if ranked, by weight
	extra  []item   // what is shown too where half of the room is left
	ranked bool
	broken bool // the text is not quite of its kind
	wide   bool // texts that say little where they are short

	byRank [][]int32 // what ranks has made
}

// lastRank is the highest that is told from those above it.
const lastRank = 15

// An item is a line of an outline.
type item struct {
	line, end int32 // in the text; 0: none
	rank      int16 // 0 is kept longest
	indent    int16
	list      int32  // elements of the list that it holds
	times     int32  // that it is there; 0: once
	last      int32  // line on which it begins again
	brief     int32  // the bytes of text that do where room is short; 0: all
	text      string // raw: it is cleaned when it is shown
	more      string // raw: what it says, where there is room
}

// A style is how much of each item is shown.
type style struct {
	text, more int  // characters
	short      bool // names without parameters
	terse      bool // of lower ranks only the number
}

var styles = []style{{160, 140, false, false}, {140, 70, false, false}, {140, 0, false, false}, {90, 0, false, false}, {56, 0, false, false}, {56, 0, true, false}}

// cost leans high: a budget that is exceeded is worse than one not used up. The
// estimate comes out low on lists of short names, and on Latin letters with marks.
func (s style) cost(text string) int {
	marked := 0
	for i := range len(text) {
		if c := text[i]; c >= 0xC3 && c <= 0xC9 {
			marked++
		}
	}
	n := tokens.Estimate(text)
	if s.short {
		return n*5/4 + marked
	}
	return n*9/8 + marked
}

// fit writes the outline in at most so many tokens: with less of each item, then
// without some, the lower ranks first and the same rank evenly.
func (o *outline) fit(head string, most int) string {
	prefix := o.prefix(head, most)
	if len(o.items) == 0 {
		return prefix
	}
	all := len(o.items)
	if all <= most {
		for _, s := range styles {
			text := o.write(prefix, o.choose(all), s)
			if n := s.cost(text); n > most {
				continue
			} else if n <= most/2 && len(o.extra) > 0 {
				fuller := outline{items: mergeItems(o.items, o.extra), wide: true}
				return fuller.sample(prefix, most)
			}
			return text
		}
	}
	return o.sample(prefix, most)
}

// sample is what fits of the items. The prefix does.
func (o *outline) sample(prefix string, most int) string {
	all := len(o.items)
	s := styles[len(styles)-1]
	if o.wide {
		s = styles[3]
		if text := o.write(prefix, o.choose(min(all, most)), s); all <= most && s.cost(text) <= most {
			return text
		}
	}
	least := 0
	if n, wider, ok := o.upper(prefix, most); ok {
		least, s = n, wider
	}
	best, n := o.search(prefix, most, least, s)
	if _, top := o.top(); !o.ranked && n < top && top < all {
		s.terse = true
		if text, more := o.search(prefix, most, n, s); more > n {
			return text
		}
	}
	return best
}

// search is the outline of as many items as fit, at least those that do, and how
// many they are.
func (o *outline) search(prefix string, most, least int, s style) (best string, n int) {
	best = prefix
	if least > 0 {
		best = o.write(prefix, o.choose(least), s)
	}
	for high := min(len(o.items)-1, most); least < high; {
		n := (least + high + 1) / 2
		if text := o.write(prefix, o.choose(n), s); s.cost(text) <= most {
			best, least = text, n
		} else {
			high = n - 1
		}
	}
	return best, least
}

// top is the highest rank, and how many items it has.
func (o *outline) top() (rank, n int) {
	for rank, items := range o.ranks() {
		if len(items) > 0 {
			return rank, len(items)
		}
	}
	return 0, 0
}

// upper is how many items the upper ranks have that fit and fill half of the
// room, and in which style.
func (o *outline) upper(prefix string, most int) (n int, s style, ok bool) {
	if o.ranked {
		return 0, s, false
	}
	last, filled := 0, 0
	for _, rank := range o.ranks() {
		if last += len(rank); last > most || last == len(o.items) {
			break
		}
		for _, wider := range styles[2:5] {
			if c := wider.cost(o.write(prefix, o.choose(last), wider)); c <= most {
				n, s, filled = last, wider, c
				break
			}
		}
	}
	return n, s, filled >= most/2
}

// prefix is the first line and those notes that leave room for items.
func (o *outline) prefix(head string, most int) string {
	text := excerpt.Clean(head, 200)
	for styles[0].cost(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	room := most / 2
	if len(o.items) == 0 {
		room = most
	}
	for _, note := range o.notes {
		longer := text + "\n" + excerpt.Clean(note, 240)
		if styles[0].cost(longer) <= room {
			text = longer
		}
	}
	return text
}

// choose returns which n items to show, as indexes in order.
func (o *outline) choose(n int) []int {
	var picked []int
	if o.ranked || n >= len(o.items) {
		for i := range min(n, len(o.items)) {
			picked = append(picked, i)
		}
		return picked
	}
	for _, rank := range o.ranks() {
		if n <= 0 {
			break
		}
		take := min(n, len(rank))
		n -= take
		for i := range take {
			at := 0
			if take > 1 {
				at = i * (len(rank) - 1) / (take - 1) // the first and the last too
			}
			picked = append(picked, int(rank[at]))
		}
	}
	slices.Sort(picked)
	return picked
}

// ranks returns the items' indexes, rank by rank.
func (o *outline) ranks() [][]int32 {
	if o.byRank == nil {
		for i := range o.items {
			r := min(max(o.items[i].rank, 0), lastRank)
			for len(o.byRank) <= int(r) {
				o.byRank = append(o.byRank, nil)
			}
			o.byRank[r] = append(o.byRank[r], int32(i))
		}
	}
	return o.byRank
}

// write renders the picked items, with what was left out between them.
func (o *outline) write(prefix string, picked []int, s style) string {
	var b strings.Builder
	b.WriteString(prefix)
	next := 0
	for _, i := range picked {
		o.gap(&b, next, i, s)
		o.items[i].write(&b, s)
		next = i + 1
	}
	o.gap(&b, next, len(o.items), s)
	return b.String()
}

// mergeItems puts two lists together, each of them in the order of lines.
func mergeItems(a, b []item) []item {
	all := make([]item, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0].line <= b[0].line {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return all
}

// once leaves out what is there already word for word, and counts it.
func once(items []item) []item {
	seen := make(map[string]int, len(items))
	var kept []item
	for _, it := range items {
		at, ok := seen[it.text]
		if !ok {
			seen[it.text] = len(kept)
			kept = append(kept, it)
			continue
		}
		kept[at].times = max(kept[at].times, 1) + 1
		kept[at].last = it.line
	}
	return kept
}

// gap counts what is not shown. To say that one is not costs as much as to show it.
func (o *outline) gap(b *strings.Builder, from, to int, s style) {
	if from >= to {
		return
	}
	if s.terse && o.lower(from, to) {
		fmt.Fprintf(b, "\n… %d more", to-from)
		return
	}
	if to-from == 1 {
		o.items[from].write(b, s)
		return
	}
	fmt.Fprintf(b, "\n… %d more", to-from)
	if o.ranked {
		return
	}
	first, last := o.items[from].line, o.items[to-1].line
	switch {
	case first == 0 || last == 0:
	case first == last:
		fmt.Fprintf(b, ", line %d", first)
	default:
		fmt.Fprintf(b, ", lines %d-%d", first, last)
	}
}

// lower says whether none of the items is of the highest rank.
func (o *outline) lower(from, to int) bool {
	top, _ := o.top()
	for _, it := range o.items[from:to] {
		if int(it.rank) <= top {
			return false
		}
	}
	return true
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
		b.WriteString("- ") // a text that begins with a number is not taken for a line's
	}
	b.WriteString("                "[:2*min(it.indent, 8)])
	text := it.text
	if s.short && it.brief > 0 {
		text = excerpt.Head(text, int(it.brief))
	}
	b.WriteString(excerpt.Clean(text, s.text))
	if it.list > 0 {
		fmt.Fprintf(b, " list of %d", it.list)
	}
	if it.times > 1 {
		fmt.Fprintf(b, " (%d times, to line %d)", it.times, it.last)
	}
	if s.more == 0 || it.more == "" {
		return
	}
	if more := excerpt.FirstSentence(it.more, s.more); more != "" {
		b.WriteString(" — ")
		b.WriteString(more)
	}
}
