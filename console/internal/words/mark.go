package words

import (
	"slices"
	"strings"

	"github.com/agent-scratchpad/scratchpad/linediff"
)

const (
	maxLine  = 8 << 10 // bytes of a line that is compared word by word
	maxTable = 1 << 15 // cells of a table that weighs words
)

// A Range is a range of bytes of a line: from Start up to End, without End.
type Range struct {
	Start, End int
}

// A marker marks words in pairs of lines. It counts its work.
type marker struct {
	work int
	best []int32 // for tables
}

// A change is a part of two lines that differs, in tokens. One of the sides may be empty.
type change struct {
	old, oldEnd, new, newEnd int
}

// marks returns what differs between two lines. It returns false if they have too
// little in common.
func (m *marker) marks(old, new string) (oldMarks, newMarks []Range, alike bool) {
	if len(old) > maxLine || len(new) > maxLine {
		return m.oneMark(old, new)
	}
	a, b := newTokens(old), newTokens(new)
	m.work += len(a.list) + len(b.list)
	changes := m.align(a, b)
	changes = tidy(changes, a, b)
	var inOld, inNew int
	for _, c := range changes {
		inOld += a.ink(c.old, c.oldEnd)
		inNew += b.ink(c.new, c.newEnd)
	}
	wa, wb := a.ink(0, len(a.list)), b.ink(0, len(b.list))
	if wa+wb > 0 && similarity(wa-inOld, wa, wb) < minShare {
		return nil, nil, false
	}
	for _, c := range changes {
		oldMarks = a.mark(oldMarks, c.old, c.oldEnd)
		newMarks = b.mark(newMarks, c.new, c.newEnd)
	}
	return oldMarks, newMarks, true
}

// tokens are the tokens of a line and, for each, the runes before it: those of words,
// those that are not spaces, and all.
type tokens struct {
	line             string
	list             []token
	words, inks, all []int32
}

func newTokens(line string) *tokens {
	t := &tokens{line: line, list: split(line)}
	n := len(t.list) + 1
	sums := make([]int32, 3*n)
	t.words, t.inks, t.all = sums[:n:n], sums[n:2*n:2*n], sums[2*n:]
	for i, k := range t.list {
		t.words[i+1], t.inks[i+1], t.all[i+1] = t.words[i], t.inks[i], t.all[i]+k.runes
		if k.class == word {
			t.words[i+1] += k.runes
		}
		if k.class != space {
			t.inks[i+1] += k.runes
		}
	}
	return t
}

func (t *tokens) text(i int) string        { return t.line[t.list[i].start:t.list[i].end] }
func (t *tokens) letters(from, to int) int { return int(t.words[to] - t.words[from]) }
func (t *tokens) ink(from, to int) int     { return int(t.inks[to] - t.inks[from]) }
func (t *tokens) runes(from, to int) int   { return int(t.all[to] - t.all[from]) }

func (t *tokens) mark(marks []Range, from, to int) []Range {
	if from == to {
		return marks
	}
	return append(marks, Range{int(t.list[from].start), int(t.list[to-1].end)})
}

// align returns the parts of two lines that differ. The tokens between them are equal.
func (m *marker) align(a, b *tokens) []change {
	head, n, k := 0, len(a.list), len(b.list)
	for head < n && head < k && a.text(head) == b.text(head) {
		head++
	}
	for n > head && k > head && a.text(n-1) == b.text(k-1) {
		n, k = n-1, k-1
	}
	switch {
	case n == head && k == head:
		return nil
	case n == head || k == head:
		return []change{{head, n, head, k}}
	case (n-head)*(k-head) <= maxTable:
		return m.weigh(a, b, change{head, n, head, k})
	}
	return m.minimal(a, b, change{head, n, head, k})
}

// weight is what an equal token is worth: long words most, spaces least.
func weight(t token) int32 {
	switch t.class {
	case space:
		return 1
	case punct:
		return 2
	}
	return 3 + 2*min(t.runes, 10)
}

// weigh finds the equal tokens that weigh most, by a table of all pairs.
func (m *marker) weigh(a, b *tokens, c change) []change {
	m.work += (c.oldEnd - c.old) * (c.newEnd - c.new)
	t := newTable(a, b, c)
	m.best = slices.Grow(m.best[:0], (len(t.rows)+1)*(len(t.columns)+1))
	t.best = m.best[:cap(m.best)]
	t.fill()
	width := len(t.columns) + 1
	var changes changeList
	for i, j := 0, 0; i < len(t.rows) && j < len(t.columns); {
		at := i*width + j
		switch w := t.worth(i, j); {
		case w > 0 && t.best[at] == t.best[at+width+1]+w:
			changes.equal(c.old+i, c.new+j, 1, c)
			i, j = i+1, j+1
		case t.best[at] == t.best[at+width]:
			i++
		default:
			j++
		}
	}
	return changes.end(c)
}

// A table has for each pair of positions in two parts of lines the most that the equal
// tokens after them can weigh.
type table struct {
	rows, columns []int32 // the tokens, by number
	weights       []int32 // of the rows
	best          []int32
}

func newTable(a, b *tokens, c change) *table {
	ids := map[string]int32{}
	numbers := func(t *tokens, from, to int) []int32 {
		list := make([]int32, to-from)
		for i := range list {
			text := t.text(from + i)
			if _, ok := ids[text]; !ok {
				ids[text] = int32(len(ids))
			}
			list[i] = ids[text]
		}
		return list
	}
	t := &table{rows: numbers(a, c.old, c.oldEnd), columns: numbers(b, c.new, c.newEnd)}
	for _, k := range a.list[c.old:c.oldEnd] {
		t.weights = append(t.weights, weight(k))
	}
	return t
}

// worth is what it weighs that two tokens are equal, or 0 if they are not. It is more if
// the tokens next to them are equal too, so that a space goes with its words.
func (t *table) worth(i, j int) int32 {
	if t.rows[i] != t.columns[j] {
		return 0
	}
	w := t.weights[i]
	if i == 0 && j == 0 || i > 0 && j > 0 && t.rows[i-1] == t.columns[j-1] {
		w++
	}
	lastRow, lastColumn := i+1 == len(t.rows), j+1 == len(t.columns)
	if lastRow && lastColumn || !lastRow && !lastColumn && t.rows[i+1] == t.columns[j+1] {
		w++
	}
	return w
}

func (t *table) fill() {
	width := len(t.columns) + 1
	clear(t.best)
	for i := len(t.rows) - 1; i >= 0; i-- {
		row, below := t.best[i*width:(i+1)*width], t.best[(i+1)*width:(i+2)*width]
		for j := len(t.columns) - 1; j >= 0; j-- {
			row[j] = max(below[j], row[j+1])
			if w := t.worth(i, j); w > 0 {
				row[j] = max(row[j], below[j+1]+w)
			}
		}
	}
}

// minimal finds as many equal tokens as it can, within the budget of linediff.
func (m *marker) minimal(a, b *tokens, c change) []change {
	lines := func(t *tokens, from, to int) []byte {
		var s strings.Builder
		for i := from; i < to; i++ {
			s.WriteString(t.text(i))
			s.WriteByte('\n')
		}
		return []byte(s.String())
	}
	rows, cols := c.oldEnd-c.old, c.newEnd-c.new
	m.work += rows*cols/64 + rows + cols
	var changes changeList
	for _, r := range linediff.Compare(lines(a, c.old, c.oldEnd), lines(b, c.new, c.newEnd)).Runs() {
		if r.Op == linediff.Equal {
			changes.equal(c.old+r.Old, c.new+r.New, r.Lines, c)
		}
	}
	return changes.end(c)
}

// A changeList collects what lies between equal tokens.
type changeList struct {
	list     []change
	old, new int // the tokens before are done
	started  bool
}

func (l *changeList) equal(old, new, n int, in change) {
	if !l.started {
		l.old, l.new, l.started = in.old, in.new, true
	}
	if l.old < old || l.new < new {
		l.list = append(l.list, change{l.old, old, l.new, new})
	}
	l.old, l.new = old+n, new+n
}

func (l *changeList) end(in change) []change {
	l.equal(in.oldEnd, in.newEnd, 0, in)
	return l.list
}

// tidy joins changes where what is equal between them only disturbs the reader: one
// space or a short punctuation, or a short word between long changes.
func tidy(changes []change, a, b *tokens) []change {
	kept := changes[:0]
	for _, c := range changes {
		for len(kept) > 0 && disturbs(kept[len(kept)-1], c, a, b) {
			before := kept[len(kept)-1]
			kept = kept[:len(kept)-1]
			c.old, c.new = before.old, before.new
		}
		kept = append(kept, c)
	}
	return kept
}

func disturbs(before, after change, a, b *tokens) bool {
	if before.old == before.oldEnd && after.old == after.oldEnd ||
		before.new == before.newEnd && after.new == after.newEnd {
		return false // one side would get a mark where nothing changed
	}
	letters, runes := a.letters(before.oldEnd, after.old), a.runes(before.oldEnd, after.old)
	if letters == 0 {
		return runes <= 2
	}
	size := func(c change) int {
		return max(a.ink(c.old, c.oldEnd), b.ink(c.new, c.newEnd))
	}
	return 3*letters <= min(size(before), size(after))
}

// oneMark marks what lies between the common beginning and the common end.
func (m *marker) oneMark(old, new string) (oldMarks, newMarks []Range, alike bool) {
	m.work += len(old) + len(new)
	head := commonPrefix(old, new)
	tail := commonSuffix(old[head:], new[head:])
	head, tail = wholeTokens(old, new, head, tail)
	if similarity(head+tail, len(old), len(new)) < minShare {
		return nil, nil, false
	}
	if head < len(old)-tail {
		oldMarks = []Range{{head, len(old) - tail}}
	}
	if head < len(new)-tail {
		newMarks = []Range{{head, len(new) - tail}}
	}
	return oldMarks, newMarks, true
}

// wholeTokens shortens a common beginning and a common end so that both lines have a
// token begin or end there.
func wholeTokens(old, new string, head, tail int) (int, int) {
	oldHead, oldTail := bounds(old, head, tail)
	newHead, newTail := bounds(new, head, tail)
	i, j := len(oldHead)-1, len(newHead)-1
	for oldHead[i] != newHead[j] {
		if oldHead[i] > newHead[j] {
			i--
		} else {
			j--
		}
	}
	k, l := 0, 0
	for oldTail[k] != newTail[l] {
		if oldTail[k] > newTail[l] {
			k++
		} else {
			l++
		}
	}
	return oldHead[i], oldTail[k]
}

// bounds returns the offsets of tokens from 0 to head, and the distances from the end
// from tail to 0.
func bounds(line string, head, tail int) (heads, tails []int) {
	heads = append(heads, 0)
	for at := 0; at < len(line); {
		if at >= len(line)-tail {
			tails = append(tails, len(line)-at)
		}
		at += int(next(line[at:]).end)
		if at <= head {
			heads = append(heads, at)
		}
	}
	return heads, append(tails, 0)
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+64 <= n && a[i:i+64] == b[i:i+64] {
		i += 64
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := n
	for i >= 64 && a[i-64:i] == b[i-64:i] {
		i -= 64
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return n - i
}
