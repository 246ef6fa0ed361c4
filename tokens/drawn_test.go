package tokens_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

// The promise of the package comment for texts that are drawn, in percent of the exact count.
const drawnLow, drawnHigh = -30, 50

// drawn are texts for a terminal, and formulas.
func (g generator) drawn() []sample {
	colour := func(text string) string { return fmt.Sprintf("\x1b[%dm%s\x1b[0m", 31+g.IntN(6), text) }
	level := func() string { return pick(g, "INFO", "WARN", "ERROR", "DEBUG") }
	var samples []sample
	kinds := map[string]func() string{
		"ANSI log": func() string {
			return fmt.Sprintf("%s %s %s %s", colour(g.time().Format("15:04:05.000")), colour(level()), colour(g.noun()), g.sentence())
		},
	}
	maps.Copy(kinds, g.tables())
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		samples = append(samples, sample{"drawn", name, strings.Join(repeat(40, kinds[name]), "\n")})
	}
	return samples
}

// tables are drawn with lines and blocks, and formulas.
func (g generator) tables() map[string]func() string {
	bar := func(full, empty string) func() string {
		return func() string {
			n := g.IntN(30)
			return fmt.Sprintf("%-10s %s%s %3d%%", g.noun(), strings.Repeat(full, n), strings.Repeat(empty, 30-n), n*10/3)
		}
	}
	cells := func() string {
		return fmt.Sprintf(" %5d | %-14s | %10.2f | %s ", g.IntN(99999), g.noun(), g.Float64()*9000, g.time().Format("2006-01-02 15:04:05"))
	}
	return map[string]func() string{
		"psql": cells,
		"unicode table": func() string {
			return "│" + strings.ReplaceAll(cells(), "|", "│") + "│\n├───────┼────────────────┼────────────┼─────────────────────┤"
		},
		"LaTeX": func() string {
			return fmt.Sprintf(`\[ \frac{\partial %s}{\partial t} = \alpha_{%d} \nabla^2 %s + \sum_{i=0}^{n-1} x_i^{%d} \left( \int_0^\infty e^{-%dt} \,dt \right) \]`, pick(g, "u", "v", "w"), g.IntN(9), pick(g, "u", "v", "w"), g.IntN(9), g.IntN(9))
		},
		"Unicode formula": func() string {
			return fmt.Sprintf("∀ε>0 ∃δ>0: |x−a|<δ ⇒ |f(x)−f(a)|<ε, ∑ᵢ₌₁ⁿ xᵢ² ≤ %d·‖x‖₂, ∫₀^∞ e^(−%dt)dt, A∪B ⊆ ℝ²", g.IntN(9), g.IntN(9))
		},
		"block bars": bar("█", "░"),
		"tree": func() string {
			return "│   ├── " + g.noun() + ".go\n│   │   └── " + g.noun() + "_test.go"
		},
	}
}

func TestAccuracyDrawn(t *testing.T) {
	for _, s := range (generator{newRand(8)}).drawn() {
		exact := o200k.Count(s.text)
		off := 100 * float64(tokens.Estimate(s.text)-exact) / float64(exact)
		if t.Logf("%s: %+.1f %% of %d", s.name, off, exact); off < drawnLow || off > drawnHigh {
			t.Errorf("%s: off by %+.1f %% of %d tokens, want %d to %d", s.name, off, exact, drawnLow, drawnHigh)
		}
	}
}
