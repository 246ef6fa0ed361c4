package evidence

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

// survives reports whether an exact string stands in the evidence, alone or
// between marks in a longer string.
func survives(evidence []string, text string) bool {
	return slices.ContainsFunc(evidence, func(e string) bool {
		for i := 0; i < len(e); i++ {
			at := strings.Index(e[i:], text)
			if at < 0 {
				return false
			}
			i += at
			end := i + len(text)
			if (i == 0 || !isLetterOrDigit(e[i-1])) && (end == len(e) || !isLetterOrDigit(e[end])) {
				return true
			}
		}
		return false
	})
}

// ideal returns the newest planted strings that fit the budget.
func ideal(s *session, maxTokens int) []planted {
	var lines []string
	var fits []planted
	seen := make(map[string]bool)
	for _, p := range slices.Backward(s.planted) {
		switch {
		case seen[p.text]:
		case survives(lines, p.text):
			fits = append(fits, p)
		case tokens.Estimate(Render(append(lines, p.text))) > maxTokens:
			return fits
		default:
			lines = append(lines, p.text)
			fits = append(fits, p)
		}
		seen[p.text] = true
	}
	return fits
}

// carried returns the evidence after five summaries, each of a fifth of the
// messages.
func carried(msgs []Message, maxTokens int) []string {
	var evidence []string
	for part := range slices.Chunk(msgs, (len(msgs)+4)/5) {
		evidence = gather(part, evidence, maxTokens)
	}
	return evidence
}

// Strings that fit the budget survive five summaries by a summariser that keeps
// nothing. The extraction was tuned on the first seeds.
func TestEvidenceShare(t *testing.T) {
	testkit.SkipInShort(t)
	const budget, least = 400, 90 // percent
	for _, first := range []uint64{1000, 9000} {
		kept, of := map[string]int{}, map[string]int{}
		for seed := first; seed < first+testkit.Pick[uint64](2, 20, 20); seed++ {
			s := makeSession(seed, 200)
			evidence := carried(s.msgs, budget)
			if n := tokens.Estimate(Render(evidence)); n > budget {
				t.Errorf("seed %d: %d tokens, budget %d", seed, n, budget)
			}
			for _, p := range ideal(s, budget) {
				of[p.kind]++
				if survives(evidence, p.text) {
					kept[p.kind]++
				}
			}
		}
		allKept, all := 0, 0
		for _, kind := range []string{"path", "command", "hash", "number"} {
			t.Logf("seeds from %d, %s: %.1f %% of %d", first, kind, 100*float64(kept[kind])/float64(of[kind]), of[kind])
			allKept, all = allKept+kept[kind], all+of[kind]
		}
		share := 100 * float64(allKept) / float64(all)
		if t.Logf("seeds from %d: %.1f %%", first, share); share < least {
			t.Errorf("%.1f %% survive, want %d", share, least)
		}
	}
}

func isLetterOrDigit(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }
