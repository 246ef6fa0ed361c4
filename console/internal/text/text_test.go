package text_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/agent-scratchpad/scratchpad/console/internal/text"
	"github.com/agent-scratchpad/scratchpad/internal/testing/hostile"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// brackets shows the runs of a text, with marks in brackets.
func brackets(shown string) string {
	var b strings.Builder
	for r := range text.Runs(shown) {
		if r.Mark {
			b.WriteString("[" + r.Label() + "]")
		} else {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func TestRuns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain\tand\nmore", "plain\tand\nmore"},
		{"a\r\nb", "a[U+000D]\nb"},
		{"\x00\x00\x00\x1b[31m", "[U+0000 ×3][U+001B][31m"},
		{"\u0085\u007f", "[U+0085][U+007F]"},
		{"pay \u202eemos\u202c", "pay [U+202E]emos[U+202C]"},
		{"a\u200bb\ufeff\u2060\u00ad", "a[U+200B]b[U+FEFF][U+2060][U+00AD]"},
		{"a\u2028b\u2029", "a[U+2028]b[U+2029]"},
		{"x\U000e0041\U000e007f", "x[U+E0041][U+E007F]"},
		{"\ue000\U0010fffd\ufffe\U0001ffff", "[U+E000][U+10FFFD][U+FFFE][U+1FFFF]"},
		{"\u3164\u115f\u034f\u2800", "[U+3164][U+115F][U+034F][U+2800]"},
		{"a\xff\xfeb\xe2\x80", "a[byte FF][byte FE]b[byte E2][byte 80]"},
		{"a\ufffdb", "a\ufffdb"},
		// Joiners and variation selectors where writing needs them, and where they hide.
		{"می\u200cخواهم 👩\u200d👩\u200d👧", "می\u200cخواهم 👩\u200d👩\u200d👧"},
		{"👩\u200d\u200d\u200c", "👩\u200d[U+200D][U+200C]"},
		{"ab\u200dc\u200c", "ab[U+200D]c[U+200C]"},
		{"❤\ufe0f 1\ufe0f\u20e3 葛\U000e0100", "❤\ufe0f 1\ufe0f\u20e3 葛\U000e0100"},
		{"a\ufe0f😀\ufe01\ufe0f\ufe0f", "a[U+FE0F]😀[U+FE01][U+FE0F ×2]"},
		{"a\U000e0100", "a[U+E0100]"},
		// Combining characters: those of a language, those that write over lines.
		{"e\u0301 กำ่ עִבְרִ֫ית", "e\u0301 กำ่ עִבְרִ֫ית"},
		{"z" + strings.Repeat("\u0334", 57), "z" + strings.Repeat("\u0334", 8) + "[U+0334 ×49]"},
		{"\u0301a\n\u0301", "[U+0301]a\n[U+0301]"},
	} {
		if got := brackets(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// Every character that the rule names is a mark between letters; letters,
// digits, punctuation and symbols of every script are plain.
func TestRunsEveryCharacter(t *testing.T) {
	testkit.SkipInShort(t)
	for c := rune(0); c <= unicode.MaxRune; c += testkit.Pick[rune](3, 1, 1) {
		if c >= 0xd800 && c < 0xe000 || c == 0x200c || c == 0x200d {
			continue
		}
		var must, mustNot bool
		switch {
		case c == '\t' || c == '\n':
			mustNot = true
		case unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Noncharacter_Code_Point) || c >= 0xe0000 && c < 0xe0100:
			must = true
		case c == 0x2800 || c == 0xfffc || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c):
		case unicode.In(c, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Zs):
			mustNot = true
		}
		for _, text := range []string{"x" + string(c) + "y"} {
			marked := strings.Contains(brackets(text), fmt.Sprintf("[U+%04X]", c))
			if must && !marked || mustNot && marked {
				t.Errorf("%U in %q: marked %v", c, text, marked)
			}
		}
	}
}

func TestHTML(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{string(text.HTML(`<a href="x" id='y'>&amp;`)), `&lt;a href=&#34;x&#34; id=&#39;y&#39;&gt;&amp;amp;`},
		{string(text.HTML("a\u202eb\x00")), `a<span class="u">U+202E</span>b<span class="u">U+0000</span>`},
		{string(text.Name("a\nb\t<")), `<bdi>a<span class="u">U+000A</span>b<span class="u">U+0009</span>&lt;</bdi>`},
		{text.Plain("a\nb\u200b<"), "a⟨U+000A⟩b⟨U+200B⟩<"},
	} {
		if c.got != c.want {
			t.Errorf("got %s\nwant %s", c.got, c.want)
		}
	}
}

func TestMarked(t *testing.T) {
	for _, c := range []struct {
		text    string
		at      int
		spans   [][2]int
		element text.Element
		want    string
	}{
		{"one two three", 0, [][2]int{{4, 7}}, text.Hit, "one <mark>two</mark> three"},
		{"one two", 10, [][2]int{{10, 13}, {14, 17}}, text.Deleted, "<del>one</del> <del>two</del>"},
		{"abcd", 0, [][2]int{{0, 3}, {1, 2}, {2, 9}}, text.Inserted, "<ins>abc</ins><ins>d</ins>"},
		{"ab", 0, [][2]int{{-5, 1}, {1, 1}, {2, 1}, {9, 12}}, text.Hit, "<mark>a</mark>b"},
		{"a€b", 0, [][2]int{{2, 3}}, text.Hit, "a<mark>€</mark>b"},
		{"<&>", 0, [][2]int{{1, 2}}, text.Hit, "&lt;<mark>&amp;</mark>&gt;"},
		{"\x00\x00\x00", 0, [][2]int{{1, 2}}, text.Hit, `<span class="u">U+0000</span><mark><span class="u">U+0000</span></mark><span class="u">U+0000</span>`},
		{"👩\u200d👧", 0, [][2]int{{4, 7}}, text.Hit, "👩<mark>\u200d</mark>👧"},
	} {
		if got := string(text.Marked(c.text, c.at, c.spans, c.element)); got != c.want {
			t.Errorf("%q %v:\n%s\nwant\n%s", c.text, c.spans, got, c.want)
		}
	}
}

// No hostile text gets an element of its own into the page, and every byte of it is
// there.
func TestHostile(t *testing.T) {
	testkit.SkipInShort(t)
	for _, h := range append(hostile.Texts(), hostile.Names()...) {
		check(t, h.Text, 1, min(20, len(h.Text)))
	}
}

// check parses what the functions make of a text: spans and elements of this package,
// and text that is the text again.
func check(t *testing.T, shown string, start, end int) {
	t.Helper()
	var joined, want strings.Builder
	for r := range text.Runs(shown) {
		joined.WriteString(r.Text)
		if r.Mark {
			want.WriteString(r.Label())
		} else {
			want.WriteString(r.Text)
		}
		if r.Text == "" || r.Mark == (r.Label() == r.Text) || !r.Mark && !utf8.ValidString(r.Text) {
			t.Fatalf("%.200q: run %.200q, mark %v", shown, r.Text, r.Mark)
		}
	}
	if joined.String() != shown {
		t.Fatalf("%.200q: the runs join to %.200q", shown, joined.String())
	}
	out := string(text.HTML(shown))
	if got := parse(t, out); got != want.String() {
		t.Fatalf("%.200q shows as %.200q, want %.200q", shown, got, want.String())
	}
	if len(out) > 30*len(shown) {
		t.Fatalf("%.200q: %d bytes become %d", shown, len(shown), len(out))
	}
	marked := string(text.Marked(shown, 0, [][2]int{{start, end}, {end, start}}, text.Hit))
	if !strings.Contains(marked, "×") && !strings.Contains(out, "×") && parse(t, marked) != want.String() {
		t.Fatalf("%.200q with a span from %d to %d shows as %.200q", shown, start, end, parse(t, marked))
	}
	parse(t, string(text.Name(shown)))
	for r := range text.Runs(text.Plain(shown)) {
		if r.Mark && !strings.ContainsAny(shown, r.Text) {
			t.Fatalf("%.200q: Plain leaves %q", shown, r.Text)
		}
	}
}

// parse returns the text of the markup. It fails the test for an element or an attribute
// that this package does not write.
func parse(t *testing.T, markup string) string {
	t.Helper()
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.WriteString(z.Token().Data)
		case html.StartTagToken, html.EndTagToken:
			token := z.Token()
			if !strings.Contains(" span bdi mark ins del ", " "+token.Data+" ") {
				t.Fatalf("an element %q in %.200s", token.Data, markup)
			}
			for _, a := range token.Attr {
				if a.Key != "title" && (a.Key != "class" || a.Val != "u") {
					t.Fatalf("an attribute %q in %.200s", a.Key, markup)
				}
			}
		default:
			t.Fatalf("%v in %.200s", kind, markup)
		}
	}
}
