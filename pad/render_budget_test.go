package pad_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/pad"
	"github.com/agent-scratchpad/scratchpad/tokens"
)

func length(text string) int { return len(text) }

// ticking returns a pad whose clock advances one second at each call.
func ticking(t testing.TB) *pad.Pad {
	now := time.Unix(0, 0)
	p, _ := newPad(t, pad.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	return p
}

func TestRenderBudget(t *testing.T) {
	p := ticking(t)
	d := strings.Repeat("4", 60)
	put(t, p, "a", "11")
	put(t, p, "b", "22")
	put(t, p, "c", "33")
	put(t, p, "d", d)
	put(t, p, "a", "99") // updated last
	p.Get("b")           // an access is no update
	for _, c := range []struct {
		max          int
		header, want string
	}{
		{0, "", "a: 99\nb: 22\nc: 33\nd: " + d},
		{-1, "", ""},
		{81, "", "a: 99\nb: 22\nc: 33\nd: " + d},
		{80, "", "a: 99\nc: 33\nd: " + d}, // b is the oldest
		{75, "", "a: 99\nc: 33\nd: " + d},
		{74, "", "a: 99\nd: " + d},
		{69, "", "a: 99\nd: " + d},
		{68, "", "a: 99\n[3 entries left out]"}, // d fits alone, so what is older goes first
		{62, "", "a: 99\nb: 22\nc: 33\n[1 entry left out]"},
		{36, "", "a: 99\nb: 22\nc: 33\n[1 entry left out]"},
		{35, "", "a: 99\nb: 22\nc: 33"},
		{17, "", "a: 99\nb: 22\nc: 33"},
		{16, "", "a: 99\nc: 33"},
		{11, "", "a: 99\nc: 33"},
		{10, "", "a: 99"},
		{5, "", "a: 99"},
		{4, "", ""},
		{19, "H", "H\na: 99\nb: 22\nc: 33"},
		{18, "H", "H\na: 99\nc: 33"},
		{7, "H", "H\na: 99"},
		{6, "H", "H"},
		{1, "H", "H"},
		{1, "HH", ""},
	} {
		o := pad.RenderOptions{MaxTokens: c.max, CountTokens: length, Header: c.header}
		if got := p.Render(o); got != c.want {
			t.Errorf("max %d, header %q:\ngot  %q\nwant %q", c.max, c.header, got, c.want)
		}
	}
}

// If no entry fits, the most recently updated one is cut.
func TestRenderCut(t *testing.T) {
	p := ticking(t)
	put(t, p, "old", strings.Repeat("o", 500))
	put(t, p, "new", strings.Repeat("aé<\n", 200))
	for name, f := range formats {
		for max := range 700 {
			got := p.Render(pad.RenderOptions{Format: f, MaxTokens: max + 1, CountTokens: length})
			if len(got) > max+1 || !utf8.ValidString(got) {
				t.Fatalf("%s, max %d: %d bytes, %q", name, max+1, len(got), got)
			}
			if max > 100 && max < 500 && (!strings.Contains(got, "… [cut]") || len(got) < max*9/10) {
				t.Fatalf("%s, max %d: %d bytes, want nearly as many, cut: %q", name, max+1, len(got), got)
			}
			if max > 130 && max < 500 && f != pad.JSON && !strings.Contains(got, "1 entry left out") {
				t.Fatalf("%s, max %d: want a last line: %q", name, max+1, got)
			}
		}
	}
	for max, want := range map[int]string{
		12: "", 13: "", 14: "new: … [cut]", 15: "new: a… [cut]", 16: "new: a… [cut]", 17: "new: aé… [cut]",
	} {
		if got := p.Render(pad.RenderOptions{MaxTokens: max, CountTokens: length}); got != want {
			t.Errorf("max %d = %q, want %q", max, got, want)
		}
	}
}

// If the counter says that the whole text fits, nothing is left out, even if the counts
// of its parts add up to more.
func TestRenderWholeFits(t *testing.T) {
	p := ticking(t)
	for i := range 200 {
		put(t, p, fmt.Sprint("key", i), strings.Repeat("word ", i%7))
	}
	for name, count := range map[string]func(string) int{
		"estimate": tokens.Estimate, "rounded": func(s string) int { return (len(s) + 3) / 4 }, "overhead": func(s string) int { return len(s) + 100 },
	} {
		for _, f := range formats {
			o := pad.RenderOptions{Format: f, Header: "H"}
			whole := p.Render(o)
			o.MaxTokens, o.CountTokens = count(whole), count
			if got := p.Render(o); got != whole {
				t.Errorf("%s: a budget that fits left something out", name)
			}
			o.MaxTokens--
			if got := p.Render(o); got == whole || name != "overhead" && len(got) < len(whole)*9/10 {
				t.Errorf("%s: a budget of one less gives %d bytes of %d", name, len(got), len(whole))
			}
		}
	}
}

// The counter gets a small multiple of the bytes of the text, even if its counts do not
// add up or make no sense.
func TestRenderCountingIsLinear(t *testing.T) {
	testkit.SkipInShort(t)
	many := ticking(t)
	for i := range 100 {
		put(t, many, fmt.Sprint("key", i), strings.Repeat("some text ", i%40))
	}
	one := ticking(t)
	put(t, one, "key", strings.Repeat("some text ", 1500))
	giant := many.Fork() // the entry that is left out last holds most of the text
	put(t, giant, "giant", strings.Repeat("some text ", 3000))
	random := uint32(1)
	counters := map[string]struct {
		count func(string) int
		most  int // times the text
	}{
		"length":     {length, 3},
		"estimate":   {tokens.Estimate, 3},
		"quadratic":  {func(s string) int { return len(s) * len(s) / 1000 }, 8},
		"root":       {func(s string) int { return int(math.Sqrt(float64(len(s)))) }, 8},
		"huge":       {func(string) int { return math.MaxInt }, 8},
		"negative":   {func(string) int { return math.MinInt }, 8},
		"zero":       {func(string) int { return 0 }, 8},
		"whole only": {func(s string) int { return max(0, len(s)-1500) * 1000 }, 8},
		"random": {func(s string) int {
			random = random*1664525 + 1013904223
			return int(random>>8) % (len(s) + 1)
		}, 8},
	}
	for padName, p := range map[string]*pad.Pad{"many": many, "one": one, "giant": giant} {
		for name, c := range counters {
			for _, f := range formats {
				whole := len(p.Render(pad.RenderOptions{Format: f}))
				counted := 0
				for _, budget := range []int{1, 100, 1500, whole / 2, whole - 1} {
					counted, random = 0, 1 // the same numbers in each order of the maps
					o := pad.RenderOptions{Format: f, MaxTokens: budget, CountTokens: func(s string) int { counted += len(s); return c.count(s) }}
					got := p.Render(o)
					if counted > c.most*whole+1000 {
						t.Errorf("%s, %s, format %d, budget %d: counted %d bytes of %d, %.1f times", padName, name, f, budget, counted, whole, float64(counted)/float64(whole))
					}
					if n := c.count(got); name != "random" && n > budget && got != "" {
						t.Errorf("%s, %s, budget %d: the result counts %d", padName, name, budget, n)
					}
					if f == pad.JSON && got != "" && !json.Valid([]byte(got)) {
						t.Errorf("%s, %s, budget %d: not JSON: %.80q", padName, name, budget, got)
					}
				}
			}
		}
	}
}
