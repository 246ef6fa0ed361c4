package evidence

import (
	"encoding/json"
	"fmt"
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

// Each planted string stands in its message.
func TestEvidenceSessions(t *testing.T) {
	s := makeSession(1, 200)
	for _, p := range s.planted {
		m := s.msgs[p.at]
		text := []string{m.Text}
		for _, a := range m.Arguments {
			var arguments map[string]any
			testkit.Must(t, json.Unmarshal(a, &arguments))
			text = append(text, fmt.Sprint(arguments))
		}
		if !survives(text, p.text) {
			t.Errorf("message %d has no %s %q: %q", p.at, p.kind, p.text, text)
		}
	}
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

// A shareCount counts the strings that survived, by kind; "" stands for all.
type shareCount struct{ kept, of map[string]int }

func measure(t *testing.T, first, seeds uint64, maxTokens int) shareCount {
	c := shareCount{make(map[string]int), make(map[string]int)}
	for seed := first; seed < first+seeds; seed++ {
		s := makeSession(seed, 200)
		evidence := carried(s.msgs, maxTokens)
		if n := tokens.Estimate(Render(evidence)); n > maxTokens {
			t.Errorf("seed %d: %d tokens, budget %d", seed, n, maxTokens)
		}
		for _, p := range ideal(s, maxTokens) {
			kept := 0
			if survives(evidence, p.text) {
				kept = 1
			}
			if p.kind == "path" || p.kind == "command" || p.kind == "hash" || p.kind == "number" {
				c.kept[""], c.of[""] = c.kept[""]+kept, c.of[""]+1
			}
			c.kept[p.kind], c.of[p.kind] = c.kept[p.kind]+kept, c.of[p.kind]+1
		}
	}
	return c
}

func (c shareCount) percent(kind string) float64 {
	return 100 * float64(c.kept[kind]) / float64(max(c.of[kind], 1))
}

// Strings that fit the budget survive five summaries by a summariser that keeps
// nothing. The extraction was tuned on the first seeds.
func TestEvidenceShare(t *testing.T) {
	testkit.SkipInShort(t)
	for _, test := range []struct {
		seed  uint64
		least [4]float64
	}{{1000, [4]float64{90, 90, 90, 90}}, {9000, [4]float64{88, 90, 90, 90}}} {
		for i, budget := range []int{200, 400, 800, 2000} {
			if budget != 400 && !testkit.Long() {
				continue
			}
			c := measure(t, test.seed, testkit.Pick[uint64](2, 20, 20), budget)
			line := fmt.Sprintf("seeds from %d, %d tokens: %.1f %% of %d", test.seed, budget, c.percent(""), c.of[""])
			for _, kind := range []string{"path", "command", "hash", "number", "identifier"} {
				line += fmt.Sprintf(", %s %.1f %% of %d", kind, c.percent(kind), c.of[kind])
			}
			t.Log(line)
			if c.percent("") < test.least[i] {
				t.Errorf("under %g %%", test.least[i])
			}
		}
	}
}

func isLetterOrDigit(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }
