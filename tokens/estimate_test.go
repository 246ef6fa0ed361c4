package tokens_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/tokens"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

// The promise of the package comment, in percent of the exact count.
const (
	promisedLow, promisedHigh = -5, 15
	otherLow, otherHigh       = -15, 40
)

func TestAccuracy(t *testing.T) {
	for _, s := range corpus(t) {
		exact := o200k.Count(s.text)
		off := 100 * float64(tokens.Estimate(s.text)-exact) / float64(exact)
		low, high := float64(promisedLow), float64(promisedHigh)
		if s.class == "other" {
			low, high = otherLow, otherHigh
		}
		if off < low || off > high {
			t.Errorf("%s/%s: off by %+.1f %% of %d tokens, want %+.0f to %+.0f", s.class, s.name, off, exact, low, high)
		}
		t.Logf("%s/%s: %+.1f %% of %d", s.class, s.name, off, exact)
	}
}

// Callers compare the costs of small texts, so these must be near too.
func TestAccuracySmall(t *testing.T) {
	g := generator{newRand(7)}
	var texts []string
	for range 200 {
		texts = append(texts,
			fmt.Sprintf(`{"path":"notes/%s.md","version":%d,"bytes":%d}`, g.noun(), g.IntN(90), g.IntN(40_000)),
			fmt.Sprintf(`{"ok": %t, "error": {"code": "not_found", "message": "no %s %d"}}`, g.IntN(2) == 0, g.noun(), g.IntN(999)),
			fmt.Sprintf(`[{"op":"equal","count":%d},{"op":"remove","lines":[%q]}]`, g.IntN(50), g.sentence()),
			g.sentence(),
			g.noun(),
			g.person()+" changed the "+g.noun()+" of the "+g.noun()+".",
			g.time().Format("2006-01-02 15:04:05"),
		)
	}
	texts = append(texts, "a", "I", "Hello", "Hello, world!", "# Plan", "TODO", "ok", "yes.", "\n", " ", "x = 1", "func main() {}", "你好", "今天天气很好。", "1", "2024", "{}", "[]")
	for _, text := range texts {
		exact, got := o200k.Count(text), tokens.Estimate(text)
		if off := math.Abs(float64(got - exact)); off > max(3, float64(exact)/4) {
			t.Errorf("Estimate(%q) = %d, exactly %d", text, got, exact)
		}
	}
}

func TestEstimateEdges(t *testing.T) {
	tests := []struct {
		name     string
		text     string
		min, max int
	}{
		{"empty", "", 0, 0},
		{"one letter", "a", 1, 1},
		{"nul", "\x00", 1, 1},
		{"not UTF-8", "\xff\xfe\xfd\xfc", 4, 5},
		{"not UTF-8 in a word", "caf\xc3 au lait", 4, 6},
		{"cut rune", "\xe4\xb8", 2, 3},
		{"special token", "<|endoftext|>", 4, 10},
		{"1 MiB of a", strings.Repeat("a", 1<<20), 1 << 16, 1 << 20},
		{"1 MiB of blanks", strings.Repeat(" ", 1<<20), 1 << 12, 1 << 16},
		{"1 MiB of dashes", strings.Repeat("-", 1<<20), 1 << 13, 1 << 18},
		{"1 MiB of digits", strings.Repeat("7", 1<<20), 1 << 18, 1 << 19},
		{"1 MiB of 龘", strings.Repeat("龘", 1<<20/3), 1 << 18, 1 << 20},
		{"1 MiB of bad bytes", strings.Repeat("\x80", 1<<20), 1 << 20, 1<<20 + 1<<17},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tokens.Estimate(tt.text); got < tt.min || got > tt.max {
				t.Errorf("Estimate = %d, want %d to %d", got, tt.min, tt.max)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Repeat(anyText().Draw(t, "text"), rapid.IntRange(0, 20).Draw(t, "times"))
		n := tokens.EstimateBytes(text)
		for _, most := range []int{rapid.IntRange(-2, 2*n+2).Draw(t, "most"), n - 1, n, n + 1, 0, math.MinInt, math.MaxInt} {
			if got := tokens.Within(text, most); got != (n <= most) {
				t.Fatalf("%d tokens are within %d: %v", n, most, got)
			}
		}
	})
}

// Joining two texts may merge or split the pieces at the seam, no more.
func TestEstimateJoined(t *testing.T) {
	const seam = 4
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyText().Draw(t, "a"), anyText().Draw(t, "b")
		ea, eb := tokens.EstimateBytes(a), tokens.Estimate(string(b))
		joined := tokens.EstimateBytes(slices.Concat(a, b))
		if joined > ea+eb+seam {
			t.Fatalf("joined %d, apart %d + %d", joined, ea, eb)
		}
		if joined < max(ea, eb)-seam {
			t.Fatalf("joined %d, less than of a part: %d, %d", joined, ea, eb)
		}
		if again := tokens.Estimate(string(a)); again != ea {
			t.Fatalf("Estimate = %d, EstimateBytes = %d", again, ea)
		}
		if len(a) > 0 && (ea < 1 || ea > 4*len(a)+1) {
			t.Fatalf("%d tokens for %d bytes", ea, len(a))
		}
	})
}

// anyText draws random bytes, random runes, and text-like mixtures.
func anyText() *rapid.Generator[[]byte] {
	toBytes := func(s string) []byte { return []byte(s) }
	word := rapid.SampledFrom([]string{"user", "Name", "HTTP", " ", "  ", "\n", "\t", "_", "{\"", "\": ", "42", "中文", "，", "é", "ж", "🙂", "\xff", "\xc3", "aaaaaaaaaaaaaaaaaaaaaaaaa", "----"})
	return rapid.OneOf(
		rapid.SliceOfN(rapid.Byte(), 0, 200),
		rapid.Map(rapid.String(), toBytes),
		rapid.Map(rapid.SliceOfN(word, 0, 40), func(w []string) []byte { return []byte(strings.Join(w, "")) }),
	)
}

func FuzzEstimate(f *testing.F) {
	f.Add([]byte("Hello, 世界\n\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := tokens.EstimateBytes(b); (n == 0) != (len(b) == 0) || n != tokens.Estimate(string(b)) {
			t.Fatalf("EstimateBytes = %d, Estimate = %d for %d bytes", n, tokens.Estimate(string(b)), len(b))
		}
	})
}

func ExampleEstimate() {
	fmt.Println(tokens.Estimate("The quick brown fox jumps over the lazy dog."))
	// Output: 11
}

// Scripts with few readers cost from a fifth of a token to two tokens a letter.
func TestAccuracyOfScripts(t *testing.T) {
	for name, text := range map[string]string{
		"Lao":      "ສະບາຍດີ ຂ້ອຍຊື່ວ່າ ສົມຊາຍ ຂ້ອຍມາຈາກວຽງຈັນ ປະເທດລາວ. ",
		"Thai":     "สวัสดีครับ ผมชื่อสมชาย มาจากกรุงเทพ ประเทศไทย ",
		"Khmer":    "សួស្តី ខ្ញុំឈ្មោះ សុខា មកពីប្រទេសកម្ពុជា។ ",
		"Burmese":  "မင်္ဂလာပါ ကျွန်တော် မြန်မာနိုင်ငံမှ လာပါသည်။ ",
		"Armenian": "Բարեւ, ես Հայաստանից եմ և ապրում եմ Երևանում։ ",
		"Georgian": "გამარჯობა, მე საქართველოდან ვარ და ვცხოვრობ თბილისში. ",
		"Tamil":    "வணக்கம், நான் சென்னையிலிருந்து வருகிறேன். ",
	} {
		text = strings.Repeat(text, 20)
		exact := o200k.Count(text)
		if off := 100 * (tokens.Estimate(text) - exact) / exact; off < -15 || off > 40 {
			t.Errorf("%s: off by %+d %% of %d tokens, want -15 to +40", name, off, exact)
		}
	}
}
