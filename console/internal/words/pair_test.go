package words

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func newPairer(old, new []string) *pairer {
	var p pairer
	p.pair(old, new, pair{})
	return &p
}

// Of all ways to pair a few lines in order, the pairs have most in common. Lines that
// are not alike are no pair.
func TestPairsAreBest(t *testing.T) {
	word := rapid.SampledFrom([]string{"alpha", "beta", "gamma", "x", "17", "{", " "})
	some := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 5).Draw(t, "words"), " ")
	}), 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		old, new := some.Draw(t, "old"), some.Draw(t, "new")
		p := newPairer(old, new)
		all := block{oldEnd: len(old), newEnd: len(new)}
		var best func(i, j int) int32
		best = func(i, j int) int32 {
			if i == len(old) || j == len(new) {
				return 0
			}
			b := max(best(i+1, j), best(i, j+1))
			if s := p.score(all, i, j, false); s > 0 {
				b = max(b, s+best(i+1, j+1))
			}
			return b
		}
		p.budget = 1 << 30
		var got int32
		last := pair{-1, -1}
		for _, x := range p.pairs {
			if x.old <= last.old || x.new <= last.new {
				t.Fatalf("pairs %v are not in order", p.pairs)
			}
			last = x
			if p.alike(int(x.old), int(x.new)) < minAlike {
				t.Fatalf("%q and %q are a pair", old[x.old], new[x.new])
			}
			got += p.score(all, int(x.old), int(x.new), false)
		}
		if want := best(0, 0); got != want {
			t.Fatalf("pairs of %q and %q are worth %d, want %d", old, new, got, want)
		}
	})
}

// In runs that are too large to compare all, lines still find the line that they were:
// by letters below many new lines, and without letters around the diagonal.
func TestPairsOfLargeRuns(t *testing.T) {
	const n = 600
	numbers := func(from, i, price int) string {
		return fmt.Sprintf("%d%03d %d %d / %d%d 7", from+i, i, i*i+i, i*31, i*17, price)
	}
	for _, c := range []struct {
		name string
		line func(i, price int) string
		new  int // new lines before the others
	}{
		{"letters", func(i, price int) string {
			return fmt.Sprintf("%s has the price %d today", strings.Repeat(string(rune('a'+i%26)), 4+i/26), price)
		}, 200},
		{"numbers", func(i, price int) string { return numbers(1000, i, price) }, 8},
		{"numbers below fewer", func(i, price int) string { return numbers(1000, i, price) }, -8},
	} {
		var old, new []string
		for i := range n {
			old, new = append(old, c.line(i, 5)), append(new, c.line(i, 6))
		}
		for i := range max(c.new, 0) {
			new = append([]string{fmt.Sprintf("~%d", i)}, new...)
		}
		for i := range max(-c.new, 0) {
			old = append([]string{fmt.Sprintf("~%d", i)}, old...)
		}
		right := 0
		for _, p := range newPairer(old, new).pairs {
			if int(p.new-p.old) == c.new {
				right++
			}
		}
		if right < n {
			t.Errorf("%s: %d of %d lines have the right partner", c.name, right, n)
		}
	}
}

// In a large run, lines with the same letters are no pair if all else differs.
func TestAnchorsAreAlike(t *testing.T) {
	var old, new []string
	for i := range 200 {
		old = append(old, fmt.Sprint("sums ", i, i*3+1, i*5+2, i*7+3, i*11+4, i*13+5, i*17+6))
		new = append(new, fmt.Sprint("sums ", -i, -i*19, -i*23, -i*29, -i*31, -i*37, -i*41, "?!"))
	}
	p := newPairer(old, new)
	for _, x := range p.pairs {
		if p.alike(int(x.old), int(x.new)) < minAlike {
			t.Fatalf("%q and %q are a pair", old[x.old], new[x.new])
		}
	}
}

// In a large run the pairs have most in common of all in the band.
func TestBandIsBest(t *testing.T) {
	testkit.ScaleChecks(t, 1, 20)
	kinds := []string{"alpha beta", "alpha gamma", "beta gamma delta", "alpha beta gamma", "delta", "x 1", "x 2 alpha"}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		some := func() []string {
			lines := make([]string, 130+r.IntN(60))
			for i := range lines {
				lines[i] = kinds[r.IntN(len(kinds))]
			}
			return lines
		}
		old, new := some(), some()
		p := pairer{budget: 1 << 30}
		p.old, p.new = p.features(old), p.features(new)
		all := block{oldEnd: len(old), newEnd: len(new)}
		p.table(all)
		var got int32
		for _, x := range p.pairs {
			got += p.score(all, int(x.old), int(x.new), false)
		}
		if want := bestInBand(&p, all); got != want {
			t.Fatalf("pairs of %d and %d lines are worth %d, want %d", len(old), len(new), got, want)
		}
	})
}

// bestInBand is what the best pairs of a block are worth, by a whole table.
func bestInBand(p *pairer, all block) int32 {
	rows, cols := all.oldEnd, all.newEnd
	flip := rows < cols
	if flip {
		rows, cols = cols, rows
	}
	best := make([][]int32, rows+1)
	best[0] = make([]int32, cols+1)
	for i := range rows {
		best[i+1] = make([]int32, cols+1)
		low := min(max(i*cols/rows-band/2, 0), cols-band)
		for j := range cols {
			b := max(best[i][j+1], best[i+1][j])
			if j >= low && j < low+band {
				if s := p.score(all, i, j, flip); s > 0 {
					b = max(b, best[i][j]+s)
				}
			}
			best[i+1][j+1] = b
		}
	}
	return best[rows][cols]
}
