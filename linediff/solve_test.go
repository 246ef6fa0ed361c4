package linediff

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Longest is the length of a longest common subsequence.
func Longest[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			up := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

// paired is the number of pairs, or -1 where the marks pair lines that are not equal.
func paired(x box) int {
	var a, b []int32
	for i, in := range x.ina {
		if in {
			a = append(a, x.a[i])
		}
	}
	for j, in := range x.inb {
		if in {
			b = append(b, x.b[j])
		}
	}
	if len(a) != len(b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return -1
		}
	}
	return len(a)
}

func randomBox(r *rand.Rand) (x box, symbols int) {
	symbols = 1 + r.IntN(1+r.IntN(300))
	line := func() int32 { return int32(min(r.IntN(symbols), r.IntN(symbols))) }
	x.a, x.b = make([]int32, r.IntN(400)), make([]int32, r.IntN(400))
	for i := range x.a {
		x.a[i] = line()
	}
	for j := range x.b {
		x.b[j] = line()
		if j < len(x.a) && r.IntN(8) > 0 {
			x.b[j] = x.a[j]
		}
	}
	x.ina, x.inb = make([]bool, len(x.a)), make([]bool, len(x.b))
	return x, symbols
}

func TestEachWayIsMinimal(t *testing.T) {
	ways := map[string]func(s *solver, x box){
		"myers":     func(s *solver, x box) { s.myers(x, math.MaxInt32) },
		"hunt":      func(s *solver, x box) { s.hunt(x, s.census(x), 63) },
		"rectangle": func(s *solver, x box) { s.rectangle(x) },
		"table":     func(s *solver, x box) { s.solveTable(x, math.MaxInt) },
		"solve":     func(s *solver, x box) { s.solve(x) },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range testkit.Pick(60, 500, 500) {
				x, symbols := randomBox(r)
				want := Longest(x.a, x.b)
				s := &solver{symbols: symbols, budget: maxWork, limits: limits{work: maxWork, table: 1 + r.IntN(100), window: minWindow}}
				if rest := x.trim(); !rest.empty() {
					way(s, rest)
				}
				if got := paired(x); got != want {
					t.Fatalf("%d pairs, want %d, of\n%v\n%v", got, want, x.a, x.b)
				}
			}
		})
	}
}

// A window whose lines have no partners ends its path at an edge, short of the point where it is to be cut.
func TestWindowsWithoutPairs(t *testing.T) {
	x := box{a: make([]int32, 900), b: []int32{1, 1, 1, 1, 1, 1, 1, 1, 1, 0}}
	for i := 800; i < len(x.a); i++ {
		x.a[i] = 1
	}
	for _, x := range []box{x, x.flip()} {
		x.ina, x.inb = make([]bool, len(x.a)), make([]bool, len(x.b))
		s := &solver{symbols: 2, limits: limits{window: 32}}
		s.windows(x, 0)
		if got := paired(x); got < 1 {
			t.Errorf("%d pairs, want some", got)
		}
	}
}
