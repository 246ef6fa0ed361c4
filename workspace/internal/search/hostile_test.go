package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
)

// hostileTexts are texts that are not like others, of 1 MiB with the long proofs.
func hostileTexts() map[string]string {
	size := testkit.Pick(10<<10, 300<<10, 1<<20)
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size/len(s)*len(s)] }
	return map[string]string{
		"one word":  fill("a"),
		"one line":  fill("word "),
		"camelCase": fill("aB"),
		"marks":     "a" + fill("\u0301"),
		"ligatures": fill("ﷺ"),
		"hangul":    fill("\u1100\u1161"),
		"thai":      fill("ก"),
		"kana":      fill("ﾊﾞ"),
		"lines":     fill("\n"),
		"headings":  fill("# a\n"),
		"quotes":    fill("```\n"),
		"rules":     fill("a\n--\n"),
		"spaces":    fill(" "),
		"nul":       fill("\x00"),
		"languages": fill("price цена 価格 मूल्य ราคา τιμή سعر מחיר 가격 ár "),
		"dates":     fill("8 May 2023 2023-05-08 May 8th "),
		"may":       "may" + fill(" ") + "8",
		"forms":     fill("prices priced pricing price "),
		"phrases":   fill("a a b "),
	}
}

func hostileQueries() []string {
	runes := func(s string) string {
		return strings.Repeat(s, search.MaxQuery/utf8.RuneCountInString(s))
	}
	chain := ""
	for n := 4; len(chain)+n < search.MaxQuery; n++ {
		chain += strings.Repeat("a", n) + " "
	}
	return []string{runes("a"), runes("aB"), runes("a "), chain, runes("cacheing "), runes("be "), runes("ก"), runes("本"), runes("-a "), `"` + runes("a ")[:990] + `"`, `a -"a b a"`, "\u0301a", "2023-05-08", "May 2023", runes("8 May "), "ﷺ", runes("한")}
}

// No text and no query takes more than moments, and whatever is shown is short and whole.
func TestHostile(t *testing.T) {
	testkit.SkipInShort(t)
	for name, text := range hostileTexts() {
		for _, path := range []string{"f.md", "f.txt"} {
			for _, query := range hostileQueries() {
				q, cause := search.Parse(query)
				if cause != "" {
					continue
				}
				began := time.Now()
				r, err := search.Rank(t.Context(), q, search.Window{Limit: 50}, onePage([]search.Text{{Path: path, Content: []byte(text)}}))
				if took := time.Since(began); err != nil || took > 20*time.Second {
					t.Fatalf("%s, %.20q: %v after %v", name, query, err, took)
				}
				for _, h := range r.Hits {
					checkShown(t, h)
				}
			}
			for _, exact := range []string{"a", "\x00", " ", "word"} {
				p, _ := search.Exact(exact)
				r, err := search.Find(t.Context(), p, search.Window{Limit: 50}, onePage([]search.Text{{Path: path, Content: []byte(text)}}))
				testkit.Must(t, err)
				if want := linesWith(text, exact); r.Total != want {
					t.Fatalf("%s: %d lines with %q, want %d", name, r.Total, exact, want)
				}
				for _, h := range r.Hits {
					checkShown(t, h)
				}
			}
		}
	}
}

func linesWith(text, exact string) (n int64) {
	for line := range strings.Lines(text) {
		if strings.Contains(strings.TrimSuffix(line, "\n"), exact) {
			n++
		}
	}
	return n
}

// A context ends every search, also within one line that a slow expression reads.
func TestContextEnds(t *testing.T) {
	text := []search.Text{{Path: "f", Content: bytes.Repeat([]byte("a"), 4<<20)}}
	p, cause := search.Regexp(strings.Repeat("(a?){400}", 3) + "b")
	if cause != "" {
		t.Fatal(cause)
	}
	q, _ := search.Parse("a")
	for name, run := range map[string]func(context.Context) error{
		"regexp": func(ctx context.Context) error {
			_, err := search.Find(ctx, p, search.Window{Limit: 10}, onePage(text))
			return err
		},
		"words": func(ctx context.Context) error {
			_, err := search.Rank(ctx, q, search.Window{Limit: 10}, func(context.Context, any) ([]search.Text, any, error) { return slices.Clone(text), true, nil })
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		began := time.Now()
		err := run(ctx)
		cancel()
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
			t.Errorf("%s: %v after %v, want the end of the context", name, err, took)
		}
	}
}

// Expressions that would take too much are refused, with the reason.
func TestRegexp(t *testing.T) {
	for _, text := range []string{"(", strings.Repeat(`\pL{1000}`, 100), "a{1001}"} {
		if _, cause := search.Regexp(text); cause == "" {
			t.Errorf("Regexp(%.20q) works, want an error", text)
		}
	}
	p, _ := search.Regexp(`^\s*b(\d+)$`)
	r, err := search.Find(t.Context(), p, search.Window{Limit: 10}, onePage([]search.Text{{Path: "f", Content: []byte("a1\nb22\n  b3\r\nb4\nxb5")}}))
	if err != nil || r.Total != 2 || r.Hits[0].Line != 2 || r.Hits[1].Line != 4 || fmt.Sprint(r.Hits[0].Marks) != "[[0 3]]" {
		t.Errorf("Find = %+v, %v, want lines 2 and 4", r, err)
	}
}

// An error or a panic of a page is that of the search, and a text that is not what was
// written is found only if it matches.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	q, _ := search.Parse("word")
	texts := []search.Text{{Path: "f", Content: []byte("word"), Check: func() error { return broken }}, {Path: "g", Content: []byte("other"), Check: func() error { return errors.New("not asked for") }}}
	if _, err := search.Rank(t.Context(), q, search.Window{Limit: 10}, onePage(texts)); !errors.Is(err, broken) {
		t.Errorf("Rank = %v, want the error of the text", err)
	}
	if _, err := search.Rank(t.Context(), q, search.Window{Limit: 10}, func(context.Context, any) ([]search.Text, any, error) { return nil, nil, broken }); !errors.Is(err, broken) {
		t.Errorf("Rank = %v, want the error of the page", err)
	}
	p, _ := search.Exact("word")
	if r, err := search.Find(t.Context(), p, search.Window{Limit: 10}, onePage(texts)); !errors.Is(err, broken) {
		t.Errorf("Find = %+v, %v, want the error of the text", r, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic while counting is lost")
		}
	}()
	_, _ = search.Rank(t.Context(), q, search.Window{Limit: 10}, onePage([]search.Text{{Path: "f", Content: []byte("word"), Check: func() error { panic("bug") }}}))
}

// What does not fit between the two readings is read again, with the same result.
func TestReadAgain(t *testing.T) {
	texts := make([]search.Text, 310)
	passages := strings.Repeat(strings.Repeat("the plan of all is to deploy on a day ", 10)+"\n\n", 54)
	// The best passages are on every second page of three texts. Whichever worker counts a
	// page, the texts that both keep are not enough for 50 of those pages.
	for i := range texts {
		needles := "needle"
		if i%6 == 1 {
			needles = strings.Repeat("needle ", 20)
		}
		content := fmt.Appendf(nil, "%s%s number %d of %d\n", passages, needles, i, i%7)
		texts[i] = search.Text{Path: fmt.Sprintf("notes/%05d.txt", i), Content: content}
	}
	queries := []string{"needle 300", "the needle of all", "deploy needle"}
	for _, query := range queries[:testkit.Pick(1, 3, 3)] {
		q, _ := search.Parse(query)
		all, err := search.Rank(t.Context(), q, search.Window{Limit: 50}, onePage(texts))
		testkit.Must(t, err)
		reads := 0
		pages := pagesOf(texts, 3)
		again, err := search.Rank(t.Context(), q, search.Window{Limit: 50}, func(ctx context.Context, at any) ([]search.Text, any, error) {
			reads++
			return pages(ctx, at)
		})
		if err != nil || fmt.Sprint(all) != fmt.Sprint(again) || len(all.Hits) != 50 {
			t.Errorf("%s: in one page %+v\nin many %+v, %v", query, all, again, err)
		}
		if reads <= (len(texts)+2)/3 {
			t.Errorf("%s: %d pages were read, want some again", query, reads)
		}
	}
}

// Whatever the query and the text are, nothing breaks, and the oracle finds the same where
// the text has only letters that it knows.
func FuzzSearch(f *testing.F) {
	f.Add("budget", "# The budget\n\nis 5,000", true)
	f.Add(`"a phrase" -word`, "a  phrase, word", false)
	f.Add("ﾊﾞｶ 한글 ไทย", "バカ 한글 ไทย ﷺ\u0301", false)
	f.Add("a?b", strings.Repeat("aB", 300), true)
	f.Fuzz(func(t *testing.T, query, text string, markdown bool) {
		if len(query) > 4*search.MaxQuery || !utf8.ValidString(query) || !utf8.ValidString(text) {
			return
		}
		path := "f.txt"
		if markdown {
			path = "f.md"
		}
		texts := []search.Text{{Path: path, Content: []byte(text)}, {Path: path, Entry: 1, Content: []byte(text)}}
		if q, cause := search.Parse(query); cause == "" {
			r, err := search.Rank(t.Context(), q, search.Window{Limit: 50}, onePage(texts))
			testkit.Must(t, err)
			for _, h := range r.Hits {
				checkShown(t, h)
			}
		}
		for _, compile := range []func(string) (*search.Pattern, string){search.Exact, search.Regexp} {
			if p, cause := compile(query); cause == "" && query != "" {
				r, err := search.Find(t.Context(), p, search.Window{Limit: 50}, onePage(texts))
				testkit.Must(t, err)
				for _, h := range r.Hits {
					checkShown(t, h)
				}
			}
		}
	})
}
