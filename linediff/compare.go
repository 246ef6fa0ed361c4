package linediff

// Op is what happened to the lines of a [Run] or a [Chunk]. The zero value is [Equal].
type Op uint8

const (
	Equal  Op = iota // in both texts
	Remove           // in the old text only
	Add              // in the new text only
)

// String returns the name of the operation, as it is in JSON: "equal", "remove" or "add".
func (op Op) String() string {
	switch op {
	case Equal:
		return "equal"
	case Remove:
		return "remove"
	case Add:
		return "add"
	}
	return "unknown"
}

// A Run is a run of lines with the same operation.
type Run struct {
	Op Op
	// Old and New are where the run stands in each text: the number of lines before it.
	Old, New int
	// Lines is the number of lines, at least one.
	Lines int
}

// A Diff is the difference of two texts. [Compare] makes it. A Diff is immutable and
// safe for concurrent use. The zero value is the difference of two empty texts.
type Diff struct {
	old, new       []byte
	runs           []Run
	removed, added int
}

// Compare returns the difference of two texts. The texts may have any bytes. Compare
// never fails. It keeps both slices: do not change them while the Diff is in use.
//
// Two texts of at most 1 MiB take less than 200 ms and 160 MiB. If a minimal
// difference would exceed the budget, the result is correct but not minimal. It may be
// far from minimal for texts that repeat a few lines many times. If 1 GiB or more lies
// between the common beginning and the common end of the texts, all of it is removed
// and added.
func Compare(old, new []byte) *Diff {
	return compare(old, new, limits{work: maxWork, table: maxTable, window: minWindow})
}

// Runs returns the difference as runs, in the order of the texts. Neighbouring runs
// differ in their operation. Between two equal runs there is at most one removed run,
// followed by at most one added run. The result is empty for two empty texts. Do not
// change the slice.
func (d *Diff) Runs() []Run {
	return d.runs
}

// Size returns the number of bytes of the removed and the added lines, with their line
// ends. It is cheap, so a caller can refuse a large difference before making chunks.
func (d *Diff) Size() (removed, added int) {
	return d.removed, d.added
}

// maxMiddle bounds offsets and line numbers. They have 32 bits.
const maxMiddle = 1 << 30

func compare(old, new []byte, l limits) *Diff {
	prefix, suffix := commonEnds(old, new)
	oldMid, newMid := old[prefix:len(old)-suffix], new[prefix:len(new)-suffix]
	var m matching
	equal := prefix + suffix
	if len(oldMid) == 0 || len(newMid) == 0 || len(oldMid)+len(newMid) >= maxMiddle {
		m = matching{old: make([]bool, Lines(oldMid)), new: make([]bool, Lines(newMid))}
	} else {
		oldStarts, newStarts := lineStarts(oldMid), lineStarts(newMid)
		numbers := map[string]int32{}
		a, b := intern(numbers, oldMid, oldStarts), intern(numbers, newMid, newStarts)
		m = match(a, b, len(numbers), l)
		for i, in := range m.old {
			if in {
				equal += int(oldStarts[i+1] - oldStarts[i])
			}
		}
	}
	return &Diff{
		old: old, new: new,
		runs:    m.runs(Lines(old[:prefix]), Lines(old[len(old)-suffix:])),
		removed: len(old) - equal,
		added:   len(new) - equal,
	}
}

// intern returns the number of each line, line end included. It adds new lines to the numbers.
func intern(numbers map[string]int32, text []byte, starts []uint32) []int32 {
	ids := make([]int32, len(starts)-1)
	all := string(text) // one copy, which the keys share
	for i := range ids {
		line := all[starts[i]:starts[i+1]]
		id, known := numbers[line]
		if !known {
			id = int32(len(numbers))
			numbers[line] = id
		}
		ids[i] = id
	}
	return ids
}

// A matching says for each line of two texts whether it has a partner in the other
// text. Partners come in the same order: the first pairs with the first.
type matching struct {
	old, new []bool
}

// match finds partners within the budget. It leaves out lines that only one text has:
// they have no partner, and the result is as minimal without them.
func match(a, b []int32, distinct int, l limits) matching {
	shared, symbols := number(a, b, distinct)
	x := box{a: keep(a, shared), b: keep(b, shared)}
	x.ina, x.inb = make([]bool, len(x.a)), make([]bool, len(x.b))

	s := &solver{symbols: symbols, budget: l.work, limits: l}
	s.solve(x)

	return matching{old: expand(a, shared, x.ina), new: expand(b, shared, x.inb)}
}

// number numbers the distinct lines that both texts have, from 0. Other lines get -1.
func number(a, b []int32, distinct int) (shared []int32, symbols int) {
	shared = make([]int32, distinct)
	for _, id := range a {
		shared[id] = 1
	}
	for _, id := range b {
		shared[id] |= 2
	}
	for id, in := range shared {
		shared[id] = -1
		if in == 3 {
			shared[id] = int32(symbols)
			symbols++
		}
	}
	return shared, symbols
}

func keep(ids, shared []int32) []int32 {
	kept := make([]int32, 0, len(ids))
	for _, id := range ids {
		if shared[id] >= 0 {
			kept = append(kept, shared[id])
		}
	}
	return kept
}

func expand(ids, shared []int32, in []bool) []bool {
	all := make([]bool, len(ids))
	for i, id := range ids {
		if shared[id] >= 0 {
			all[i] = in[0]
			in = in[1:]
		}
	}
	return all
}

// runs returns the matching as runs. head and tail are the equal lines before and after. They
// are counted first, because there may be as many as lines.
func (m matching) runs(head, tail int) []Run {
	n := 0
	m.each(head, tail, func(Op, int) { n++ })
	list := make([]Run, 0, n)
	old, new := 0, 0 // the lines before the next run
	m.each(head, tail, func(op Op, lines int) {
		list = append(list, Run{Op: op, Old: old, New: new, Lines: lines})
		if op != Add {
			old += lines
		}
		if op != Remove {
			new += lines
		}
	})
	return list
}

// each calls a function for each run, in order.
func (m matching) each(head, tail int, run func(op Op, lines int)) {
	add := func(op Op, lines int) {
		if lines > 0 {
			run(op, lines)
		}
	}
	equal, i, j := head, 0, 0
	for i < len(m.old) || j < len(m.new) {
		i0, j0 := i, j
		for i < len(m.old) && !m.old[i] {
			i++
		}
		for j < len(m.new) && !m.new[j] {
			j++
		}
		if i > i0 || j > j0 {
			add(Equal, equal)
			equal = 0
		}
		add(Remove, i-i0)
		add(Add, j-j0)
		for i < len(m.old) && j < len(m.new) && m.old[i] && m.new[j] {
			i, j, equal = i+1, j+1, equal+1
		}
	}
	add(Equal, equal+tail)
}
