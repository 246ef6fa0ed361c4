package linediff

import (
	"math/bits"
	"slices"
	"sort"
)

// A census counts the matches of a box. A match is a point where both texts have the
// same line. A line that occurs p times in a and q times in b has p*q matches.
type census struct {
	inA, inB []int32   // by symbol
	matches  [64]int64 // by the bit length of p*q
	total    int64
}

func (s *solver) census(x box) *census {
	c := &census{inA: make([]int32, s.symbols), inB: make([]int32, s.symbols)}
	for _, id := range x.a {
		c.inA[id]++
	}
	for _, id := range x.b {
		c.inB[id]++
	}
	for id := range c.inA {
		p := c.product(id)
		c.matches[bits.Len64(uint64(p))] += p
		c.total += p
	}
	return c
}

func (c *census) product(id int) int64 {
	return int64(c.inA[id]) * int64(c.inB[id])
}

// rare returns a bit length: all lines whose p*q has at most so many bits have at most
// limit matches together. It is 0 if no line is that rare.
func (c *census) rare(limit int64) int {
	sum, best := int64(0), 0
	for size, n := range c.matches {
		if sum += n; sum > limit {
			break
		}
		if n > 0 {
			best = size
		}
	}
	return best
}

// hunt pairs a longest common subsequence of the lines whose p*q has at most size bits.
// It is the algorithm of Hunt and Szymanski (A fast algorithm for computing longest
// common subsequences, 1977). It visits each match once and searches in the chains
// found so far. If all lines take part, the result is minimal.
func (s *solver) hunt(x box, c *census, size int) {
	starts, places := c.places(x.b, size)
	count := int64(0)
	for _, n := range c.matches[:size+1] {
		count += n
	}
	s.budget -= count * matchWork

	// A chain is a common subsequence, as its last link. The chain of length k+1 whose
	// last line in b comes earliest is last[k], and that line ends[k].
	type link struct{ i, j, before int32 }
	links := make([]link, 0, count)
	var ends, last []int32
	for i, id := range x.a {
		in := places[starts[id]:starts[id+1]]
		for at := len(in) - 1; at >= 0; at-- {
			j := in[at]
			k := len(ends)
			if k > 0 && ends[k-1] >= j {
				k = sort.Search(k, func(k int) bool { return ends[k] >= j })
				if ends[k] == j {
					continue
				}
			}
			l := link{i: int32(i), j: j, before: -1}
			if k > 0 {
				l.before = last[k-1]
			}
			if k == len(ends) {
				ends, last = append(ends, 0), append(last, 0)
			}
			ends[k], last[k] = j, int32(len(links))
			links = append(links, l)
		}
	}
	if len(last) == 0 {
		return
	}
	for at := last[len(last)-1]; at >= 0; at = links[at].before {
		x.pair(int(links[at].i), int(links[at].j))
	}
}

// places returns where b has each symbol whose p*q has at most size bits:
// places[starts[id]:starts[id+1]], ascending.
func (c *census) places(b []int32, size int) (starts, places []int32) {
	starts = make([]int32, len(c.inA)+1)
	n := int32(0)
	for id := range c.inA {
		starts[id] = n
		if bits.Len64(uint64(c.product(id))) <= size {
			n += c.inB[id]
		}
	}
	starts[len(c.inA)] = n
	places = make([]int32, n)
	next := slices.Clone(starts)
	for j, id := range b {
		if starts[id] < starts[id+1] {
			places[next[id]] = int32(j)
			next[id]++
		}
	}
	return starts, places
}

// matchWork is the work of one match in hunt.
const matchWork = 24
