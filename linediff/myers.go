package linediff

import "math"

// myers solves a trimmed box whose lines differ little. It is the linear-space
// algorithm of Myers (An O(ND) difference algorithm and its variations, 1986). If it
// would take more work than limit, it pairs nothing and returns false.
func (s *solver) myers(x box, limit int64) bool {
	afford := int(math.Sqrt(float64(max(limit, 0))/diagonalWork)) + 2
	return s.split(x, min(afford, x.lines()/2+1), limit)
}

// split solves a trimmed box. It takes at most the given steps from each end, unless
// it needs more work than limit.
func (s *solver) split(x box, steps int, limit int64) bool {
	i, j, steps := s.middle(x, steps, limit)
	if steps == 0 {
		return false
	}
	before, after := x.cut(i, j)
	for _, half := range [2]box{before, after} {
		if half = half.trim(); !half.empty() {
			s.split(half, steps/2+1, math.MaxInt64) // it has at most steps differences
		}
	}
	return true
}

// middle finds a point in the middle of a shortest path of removals and additions from
// the start of a trimmed box to its end. It searches from both ends until the searches
// meet. It returns the number of steps, or 0 if limit or steps do not suffice.
//
// Diagonal k has the points where i-j is k. After d steps, forward[k] is the greatest i
// on k that d removals and additions reach, and backward[k] is the least.
func (s *solver) middle(x box, steps int, limit int64) (i, j, met int) {
	a, b := x.a, x.b
	n, m := len(a), len(b)
	delta := n - m
	odd := delta&1 != 0
	s.forward, s.backward = resize(s.forward, 2*steps+3), resize(s.backward, 2*steps+3)
	forward, backward := s.forward, s.backward
	f0, b0 := steps+1, steps+1-delta // where diagonal 0 is in each

	forward[f0], backward[b0+delta] = 0, int32(n)
	fmin, fmax, bmin, bmax := 0, 0, delta, delta
	work := int64(0)
	defer func() { s.budget -= work }()
	for d := 1; d <= steps; d++ {
		fmin, fmax = widen(forward, f0, fmin, fmax, n, m, -1)
		for k := fmax; k >= fmin; k -= 2 {
			from := int(max(forward[f0+k-1]+1, forward[f0+k+1]))
			i, j := from, from-k
			for i < n && j < m && a[i] == b[j] {
				i, j = i+1, j+1
			}
			forward[f0+k] = int32(i)
			if odd && bmin <= k && k <= bmax && int(backward[b0+k]) <= i && i <= n && j <= m {
				return i, j, d
			}
			if work += int64(i - from + diagonalWork); work > limit {
				return 0, 0, 0
			}
		}

		bmin, bmax = widen(backward, b0, bmin, bmax, n, m, math.MaxInt32)
		for k := bmax; k >= bmin; k -= 2 {
			from := int(min(backward[b0+k-1], backward[b0+k+1]-1))
			i, j := from, from-k
			for i > 0 && j > 0 && a[i-1] == b[j-1] {
				i, j = i-1, j-1
			}
			backward[b0+k] = int32(i)
			if !odd && fmin <= k && k <= fmax && i <= int(forward[f0+k]) && i >= 0 && j >= 0 {
				return i, j, d
			}
			if work += int64(from - i + diagonalWork); work > limit {
				return 0, 0, 0
			}
		}
	}
	return 0, 0, 0
}

// widen takes one more diagonal on each side, low to high, into a search of texts of n
// and m lines. Beyond the edge of the texts it drops one instead. The diagonals
// beside the new ones are marked as not reached. reach[zero] is diagonal 0.
func widen(reach []int32, zero, low, high, n, m int, notReached int32) (newLow, newHigh int) {
	if low > -m {
		low--
		reach[zero+low-1] = notReached
	} else {
		low++
	}
	if high < n {
		high++
		reach[zero+high+1] = notReached
	} else {
		high--
	}
	return low, high
}

// diagonalWork is the work of one diagonal in one step, without the equal lines on it.
const diagonalWork = 6

func resize[E any](s []E, n int) []E {
	if n > cap(s) {
		return make([]E, n)
	}
	return s[:n]
}
