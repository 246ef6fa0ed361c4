package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// TestReadBoundIsExact reads texts in many languages and forms with a bound, and counts the body.
// It is never over the bound, and never under nine tenths of the bound less the next line.
func TestReadBoundIsExact(t *testing.T) {
	kinds := hostileKinds()
	maps.Copy(kinds, textKinds(t))
	maps.Copy(kinds, languageKinds())
	names := slices.Sorted(maps.Keys(kinds))
	ws := newWorkspace(t, workspace.Options{CountTokens: o200k.Count})
	check := func(t rapid.TB, name, text string, most int) {
		_, err := ws.WriteFile(context.Background(), "f", []byte(text), workspace.WriteOptions{})
		testkit.Must(t, err)
		r, err := ws.ReadFile(context.Background(), "f", workspace.ReadOptions{MaxTokens: most})
		testkit.Must(t, err)
		got := o200k.Count(string(r.Content))
		if got > most {
			t.Fatalf("%s: with a bound of %d tokens, the body has %d", name, most, got)
		}
		if !r.Truncated {
			return
		}
		rest := text[len(r.Content):]
		next := rest
		if i := strings.IndexByte(rest, '\n'); i >= 0 && r.CutBytes == 0 {
			next = rest[:i+1]
		} else if r.CutBytes > 0 {
			next = string([]rune(rest)[:1])
		}
		if low := most*9/10 - o200k.Count(next); got < low {
			t.Fatalf("%s: with a bound of %d tokens, the body has %d, and the next line %d", name, most, got, o200k.Count(next))
		}
	}
	for i, name := range names {
		if i%4 == 0 && !testing.Short() || i%16 == 0 || testkit.Long() {
			r := rand.New(rand.NewPCG(2, 0))
			check(t, name, strings.Join(drawLines(r, 1000, kinds[name]), "\n"), 2000)
			check(t, name, strings.Join(drawLines(r, 600, kinds[name]), " "), 1000)
		}
	}
	testkit.ScaleChecks(t, testkit.Pick(8, 8, 20), 1)
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		name := pick(names...).Draw(t, "text")
		text := drawText(t, r, kinds[name], kinds[pick(names...).Draw(t, "other")])
		check(t, name, strings.Join(text, pick("\n", "\n", "\n\n", "\r\n", "\n   \n/", " ", "").Draw(t, "end")),
			pick(1, 10, 100, 1000, 5000).Draw(t, "bound"))
	})
}

// TestReadBoundOfOneWord reads a word of a megabyte with a bound: a tokenizer alone would need
// minutes.
func TestReadBoundOfOneWord(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{CountTokens: o200k.Count})
	size := 1_000_000
	if testing.Short() {
		size = 100_000
	}
	parts := []string{"a", "ລາວ", "\n", "=", " ", "\u4e2d", "ab1"}
	for i, part := range parts[:testkit.Pick(3, 3, 7)] {
		text := bytes.Repeat([]byte(part), size/len(part))
		write(t, ws, "f", string(text))
		for _, most := range []int{1, 100, 20_000} {
			r := read(t, ws, "f", workspace.ReadOptions{MaxTokens: most})
			if got := o200k.Count(string(r.Content[:min(len(r.Content), 4000)])); got > most {
				t.Errorf("%q: the first bytes have %d tokens, the bound is %d", part, got, most)
			}
		}
		half := len(text) / len(part) / 2 * len(part)
		write(t, ws, "f", string(text[:half])+"\n"+string(text[half:]))
		read(t, ws, "f", workspace.ReadOptions{Since: int64(2*i + 1), MaxTokens: 100})
	}
}

// TestSearchBoundIsExact searches texts in many languages, and counts the lines as they are sent,
// after paths of an older version or of another memory. They are never over the bound with the totals,
// and never under nine tenths of the bound less the next line.
func TestSearchBoundIsExact(t *testing.T) {
	kinds := languageKinds()
	for i, name := range slices.Sorted(maps.Keys(kinds)) {
		if i%2 != 0 && !testkit.Long() {
			continue
		}
		ws := newWorkspace(t, workspace.Options{CountTokens: o200k.Count, KeepDeleted: time.Hour})
		for j, line := range drawLines(rand.New(rand.NewPCG(2, 0)), 60, kinds[name]) {
			path := fmt.Sprintf("notes/a-long-name/%d", j)
			write(t, ws, path, "needle "+line)
			if j%3 > 0 {
				remove(t, ws, path)
			}
		}
		lines := func(most int) (all []string, r workspace.SearchResult) {
			r, err := ws.Search(t.Context(), "needle", workspace.SearchOptions{History: true, Limit: 50, MaxTokens: most, Under: "~/"})
			testkit.Must(t, err)
			for _, h := range r.Hits {
				all = append(all, string(h.AppendLine([]byte("~/"))))
			}
			return all, r
		}
		every, _ := lines(-1)
		for _, most := range []int{40, 100, 600} {
			got, r := lines(most)
			record := fmt.Sprintf(`{"count":%d,"total":%d,"has_more":true,"cut":"600 tokens"}`, len(got), r.Total)
			n := o200k.Count(record + "\n" + strings.Join(got, "\n"))
			if n > most {
				t.Errorf("%s: with a bound of %d tokens, the answer has %d", name, most, n)
			}
			if low := most*9/10 - o200k.Count(every[min(len(got), len(every)-1)]); r.Cut > 0 && n < low {
				t.Errorf("%s: with a bound of %d tokens, the answer has %d", name, most, n)
			}
		}
	}
}
