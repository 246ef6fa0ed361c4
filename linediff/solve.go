package linediff

import (
	"math"
	"sort"
)

// limits bound the cost of a search.
type limits struct {
	work   int64 // in units of about a nanosecond; when it has run out, the rest takes time linear in the lines
	table  int   // the greatest table that is kept whole, in words
	window int   // the least number of rows and of columns of a window in a square box
}

const (
	maxWork   = 30_000_000
	maxTable  = 1 << 18
	minWindow = 256
	maxWindow = 4096
)

// A solver pairs lines. The pairs are always in order. They are as many as possible
// while the budget lasts.
type solver struct {
	limits
	symbols int   // lines are numbers below this
	budget  int64 // the work left, less than zero when overspent

	forward, backward []int32
	columns           columns
	rows              []uint64
}

// solve pairs the lines of x. There are three exact ways: myers for few differences,
// hunt for few matches, rectangle for few lines. It takes the cheapest one that the
// budget can pay. If there is none, it pairs rare lines, and then the gaps between them.
func (s *solver) solve(x box) {
	if x = x.trim(); x.empty() {
		return
	}
	c := s.census(x)
	byHunt, byTable := c.total*matchWork, tableWork(x)
	afford := s.budget // what myers spends in vain must not make another way too dear
	if s.myers(x, min(s.budget/3, byHunt, byTable)) {
		return
	}
	switch {
	case byHunt <= min(byTable, afford):
		s.hunt(x, c, len(c.matches)-1)
	case byTable <= afford:
		s.rectangle(x)
	default:
		s.hunt(x, c, c.rare(s.budget/4/matchWork))
		s.gaps(x)
	}
}

// gaps pairs lines between those that have a partner. It solves small gaps first, and
// large gaps with the rest of the budget.
func (s *solver) gaps(x box) {
	gaps := s.largeGaps(x)
	sort.SliceStable(gaps, func(i, j int) bool { return gaps[i].lines() < gaps[j].lines() })
	left := 0
	for _, g := range gaps {
		left += g.lines()
	}
	for _, g := range gaps {
		share := int64(float64(max(s.budget, 0)) * float64(g.lines()) / float64(left))
		left -= g.lines()
		exact := tableWork(g)
		again := g.lines() > x.lines()/2 // what is most of x needs nearly as many steps as x does
		switch {
		case !again && s.myers(g, min(share/3, exact)):
		case exact <= share:
			s.rectangle(g)
		default:
			s.windows(g, share)
		}
	}
}

// largeGaps solves the small gaps and returns the others, in order and trimmed.
func (s *solver) largeGaps(x box) []box {
	var gaps []box
	for len(x.a) > 0 && len(x.b) > 0 {
		i, j := 0, 0
		for i < len(x.a) && !x.ina[i] {
			i++
		}
		for j < len(x.b) && !x.inb[j] {
			j++
		}
		var g box
		g, x = x.cut(i, j)
		if g = g.trim(); g.empty() {
			// Nothing to pair.
		} else if g.lines() <= smallGap {
			s.rectangle(g)
		} else {
			gaps = append(gaps, g)
		}
		for i = 0; i < len(x.a) && i < len(x.b) && x.ina[i] && x.inb[i]; {
			i++
		}
		_, x = x.cut(i, i)
	}
	return gaps
}

// tableWork is the work of rectangle.
func tableWork(x box) int64 {
	return 2 * rowsWork(min(len(x.a), len(x.b)), max(len(x.a), len(x.b)))
}

// rowsWork is the work of all rows of a table.
func rowsWork(rows, columns int) int64 {
	return int64(rows)*int64(rowWords(columns)+rowWork) + int64(columns)*columnWork
}

const (
	rowWork    = 10 // but for its words
	columnWork = 20
)

// smallGap is the number of lines of a gap that is solved at once.
const smallGap = 64

// rectangle solves a box by the rows of its table. Its memory is linear in the lines
// (Hirschberg, A linear space algorithm for computing maximal common subsequences, 1975).
func (s *solver) rectangle(x box) {
	if x = x.trim(); x.empty() {
		return
	}
	if len(x.a) > len(x.b) {
		x = x.flip()
	}
	n, m := len(x.a), len(x.b)
	s.budget -= rowsWork(n, m)
	if n == 1 || (n+1)*rowWords(m) <= s.table {
		s.solveTable(x, math.MaxInt)
		return
	}
	i := n / 2
	j := meet(s.lastRow(x.a[:i], x.b, false), s.lastRow(x.a[i:], x.b, true), m)
	before, after := x.cut(i, j)
	s.rectangle(before)
	s.rectangle(after)
}

// meet returns how many columns the first half of the rows gets in a longest common
// subsequence. before is the last row of the first half. after is the last row of the
// second half, read backwards.
func meet(before, after []uint64, columns int) int {
	step := func(row []uint64, j int) int { return int(^row[j/64] >> (j % 64) & 1) }
	// Moving the point over column j gains a line in the first half where its bit is clear.
	sum, best, at := 0, 0, 0
	for j := range columns {
		sum += step(before, j) - step(after, columns-1-j)
		if sum > best {
			best, at = sum, j+1
		}
	}
	return at
}

// windows pairs lines of a box that is too large for the other ways. It solves one
// window at a time, of the box's proportions, keeps the first half, and goes on there.
func (s *solver) windows(x box, share int64) {
	size := s.windowSize(share / int64(x.lines()))
	for x = x.trim(); !x.empty(); x = x.trim() {
		n, m := len(x.a), len(x.b)
		ratio := math.Sqrt(float64(n) / float64(m))
		rows := min(n, max(s.window/4, int(float64(size)*ratio)))
		cols := min(m, max(s.window/4, int(float64(size)/ratio)))
		w, _ := x.cut(rows, cols)
		s.budget -= rowsWork(rows, cols)
		if rows == n && cols == m {
			s.solveTable(w, math.MaxInt)
			return
		}
		i, j := s.solveTable(w, (rows+cols)/2)
		_, x = x.cut(i, j)
	}
}

// windowSize returns the rows and columns of a window that costs work for each line of
// a square box.
func (s *solver) windowSize(work int64) int {
	return int(max(int64(s.window), min(64*(work-rowWork-columnWork), maxWindow)))
}
