package linediff

import "math/bits"

// columns are the lines of b as the columns of a table of common subsequences, 64 to a
// word (Hyyrö, Bit-parallel LCS-length computation revisited, 2004). Bit j of row i is
// clear if the longest common subsequence of a[:i] and b[:j+1] is longer by one than
// that of a[:i] and b[:j]. Otherwise it is set. Row 0 is all ones.
type columns struct {
	local  []int32 // by symbol, its index in the next four; 0 where b does not have it
	seen   []int32 // the symbols of b, from index 1
	starts []int32 // places[starts[l]:starts[l+1]] are the columns of the symbol seen[l]
	masks  []int32 // where in words the mask begins of a symbol with more columns than a row has words; or -1
	places []int32
	words  []uint64
	mask   []uint64 // the mask of one line at a time, otherwise zero
}

// rowWords is the number of words of a row with n columns.
func rowWords(n int) int {
	return (n + 63) / 64
}

// set makes columns of the lines of b, from first to last or from last to first.
func (c *columns) set(b []int32, symbols int, reverse bool) {
	if c.local == nil {
		c.local = make([]int32, symbols)
		c.seen = make([]int32, 1)
	}
	for _, id := range c.seen[1:] {
		c.local[id] = 0
	}
	c.seen, c.starts = c.seen[:1], append(c.starts[:0], 0)
	for _, id := range b {
		if c.local[id] == 0 {
			c.local[id] = int32(len(c.seen))
			c.seen = append(c.seen, id)
			c.starts = append(c.starts, 0)
		}
		c.starts[c.local[id]]++
	}
	for l := range c.seen[1:] {
		c.starts[l+1] += c.starts[l]
	}
	// Each start is its symbol's end until the columns are put in, backwards.
	c.starts = append(c.starts, int32(len(b)))
	c.places = resize(c.places, len(b))
	for j, id := range b {
		if reverse {
			j = len(b) - 1 - j
		}
		l := c.local[id]
		c.starts[l]--
		c.places[c.starts[l]] = int32(j)
	}
	c.setMasks(rowWords(len(b)))
}

func (c *columns) setMasks(words int) {
	c.mask = resize(c.mask, words)
	clear(c.mask)
	c.words, c.masks = c.words[:0], append(c.masks[:0], -1)
	for l := 1; l < len(c.seen); l++ {
		c.masks = append(c.masks, -1)
		if at := c.of(l); len(at) > words {
			c.masks[l] = int32(len(c.words))
			for range words {
				c.words = append(c.words, 0)
			}
			setBits(c.words[c.masks[l]:], at)
		}
	}
}

func (c *columns) of(l int) []int32 {
	return c.places[c.starts[l]:c.starts[l+1]]
}

func setBits(mask []uint64, at []int32) {
	for _, j := range at {
		mask[j/64] |= 1 << (j % 64)
	}
}

// next writes into dst the row after src, for the line id of a. dst may be src.
func (c *columns) next(dst, src []uint64, id int32) {
	l := int(c.local[id])
	if l == 0 {
		copy(dst, src)
		return
	}
	if at := c.masks[l]; at >= 0 {
		nextRow(dst, src, c.words[at:])
		return
	}
	at := c.of(l)
	setBits(c.mask, at)
	nextRow(dst, src, c.mask)
	for _, j := range at {
		c.mask[j/64] = 0
	}
}

func nextRow(dst, src, mask []uint64) {
	dst, mask = dst[:len(src)], mask[:len(src)]
	carry := uint64(0)
	for w, v := range src {
		u := v & mask[w]
		sum := uint64(0)
		sum, carry = bits.Add64(v, u, carry)
		dst[w] = sum | v&^u
	}
}

// lastRow returns the row after all lines of a, against the columns b. With reverse it
// reads both texts from the last line to the first.
func (s *solver) lastRow(a, b []int32, reverse bool) []uint64 {
	s.columns.set(b, s.symbols, reverse)
	row := firstRow(make([]uint64, rowWords(len(b))))
	for i := range a {
		if reverse {
			i = len(a) - 1 - i
		}
		s.columns.next(row, row, a[i])
	}
	return row
}

func firstRow(row []uint64) []uint64 {
	for w := range row {
		row[w] = ^uint64(0)
	}
	return row
}

// solveTable solves a box by its whole table. It follows a path from the end back to
// the first point that has at most upTo lines before it. It makes the pairs before that
// point only, and returns the point.
func (s *solver) solveTable(x box, upTo int) (i, j int) {
	s.fill(x)
	words := rowWords(len(x.b))
	point, i, j := false, len(x.a), len(x.b)
	var pi, pj int
	for i > 0 && j > 0 {
		if !point && i+j <= upTo {
			point, pi, pj = true, i, j
		}
		at, bit := i*words+(j-1)/64, uint(j-1)%64
		if s.rows[at]>>bit&1 != 0 {
			j--
			continue
		}
		// Where both rows have a step at j, the two before it are equally long without a[i-1].
		// Where only the lower has, a[i-1] and b[j-1] are equal and make it longer.
		i--
		if s.rows[at-words]>>bit&1 == 0 {
			continue
		}
		j--
		if point {
			x.pair(i, j)
		}
	}
	if !point {
		return min(i, upTo), min(j, upTo)
	}
	return pi, pj
}

func (s *solver) fill(x box) {
	words := rowWords(len(x.b))
	s.columns.set(x.b, s.symbols, false)
	s.rows = resize(s.rows, (len(x.a)+1)*words)
	firstRow(s.rows[:words])
	for i, id := range x.a {
		rows := s.rows[i*words : (i+2)*words]
		s.columns.next(rows[words:], rows[:words], id)
	}
}
