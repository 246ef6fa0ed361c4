package search_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/search"
)

var background = context.Background()

// onePage returns all texts as one page.
func onePage(texts []search.Text) search.Pages {
	return func(context.Context, any) ([]search.Text, any, error) {
		return append([]search.Text{}, texts...), nil, nil
	}
}

// pagesOf returns the texts in pages of at most n.
func pagesOf(texts []search.Text, n int) search.Pages {
	return func(_ context.Context, from any) ([]search.Text, any, error) {
		at, _ := from.(int)
		if at+n >= len(texts) {
			return append([]search.Text{}, texts[at:]...), nil, nil
		}
		return append([]search.Text{}, texts[at:at+n]...), at + n, nil
	}
}

// checkShown checks what holds for every hit.
func checkShown(t rapid.TB, h search.Hit) {
	t.Helper()
	if n := utf8.RuneCountInString(h.Text); n > search.MaxText || strings.ContainsAny(h.Text, "\t\n\r") || !utf8.ValidString(h.Text) {
		t.Fatalf("the text of %s has %d characters: %q", h.Path, n, h.Text)
	}
	last := 0
	for _, m := range h.Marks {
		if m[0] < last || m[1] < m[0] || m[1] > len(h.Text) || !utf8.ValidString(h.Text[m[0]:m[1]]) {
			t.Fatalf("the marks %v of %q are not ranges in ascending order", h.Marks, h.Text)
		}
		last = m[1]
	}
}

// The line that is shown is the first with most of what is looked for, and a heading only if
// no other line says as much.
func TestShownLine(t *testing.T) {
	for _, c := range []struct {
		query, text, want string
	}{
		{"refund", "# refund\n\nno\na refund\nthe refund\n", "4: a refund"},
		{"refund deploy", "# refund deploy\n\nrefund\ndeploy refund\n", "4: deploy refund"},
		{"refund deploy", "# refund deploy\n\nrefund\ndeploy\n", "1: # refund deploy"},
		{"refund deploy", "refund " + strings.Repeat("x", 184) + " deployments of all", "1: refund " + strings.Repeat("x", 184) + " deployme"},
		{"refund deploy plan", "# plan\n\nrefund\nplan deploy refund\n", "4: plan deploy refund"},
	} {
		q, cause := search.Parse(c.query)
		if cause != "" {
			t.Fatal(cause)
		}
		r, err := search.Rank(t.Context(), q, search.Window{Limit: 10}, onePage([]search.Text{{Path: "a.md", Content: []byte(c.text)}}))
		if err != nil || len(r.Hits) != 1 || fmt.Sprintf("%d: %s", r.Hits[0].Line, r.Hits[0].Text) != c.want {
			t.Errorf("%q in %q: %+v, %v, want %s", c.query, c.text, r.Hits, err, c.want)
		}
	}
}

// A longer word may be banned or in a phrase, and a passage still matches by a shorter one.
func TestPrefixOfBanned(t *testing.T) {
	for _, query := range []string{"refund -refunding", `refund -"refunding now"`, `refund "refunding now"`} {
		for _, text := range []string{"refundings", "refunding", "refunding now", "refundings now, refunding now"} {
			checkOracle(t, query, []search.Text{{Path: "9000", Entry: 1, Content: []byte(text)}})
		}
	}
}

// A word finds its regular forms, and the word that it is a form of. Names and other words stay
// as they are.
func TestForms(t *testing.T) {
	for _, c := range []struct{ query, found, not string }{
		{"shops", "shop shop's Shops SHOP", "shoplifter sho workshop"}, {"shop", "shops shopping shopped", "shoe"}, {"shop's", "shop", "s"},
		{"retailers", "retailer", ""}, {"discounted", "discount discounts discounting", ""}, {"pricing", "price prices priced", "pricey"},
		{"price", "pricing", "prick"}, {"policy", "policies", "police"}, {"policies", "policy", "police"}, {"run", "runs running", "rung runner ran"},
		{"running", "run runs", "rung"}, {"matches", "match matched", "mat"}, {"agreed", "agree agrees", ""}, {"used", "use using uses", "us"},
		{"settings", "setting", "set"}, {"log", "logged logging logs", "logo"}, {"caching", "cache cached", ""}, {"boxes", "box", ""},
		{"status", "statuses", "statu"}, {"news", "", "new"}, {"https", "", "http"}, {"css", "", "cs"}, {"thing", "", "the"}, {"feed", "", "fee"},
		{"organization", "organizations", "organ"}, {"university", "universities", "universal"}, {"shed", "", "she"}, {"tomatoes", "tomato", ""},
		{"retry_limits", "", "limit"}, {"app.tests", "", "test"}, {"getItems", "", "item"}, {"HTTPS", "", "HTTP"}, {"ids", "", "id"}, {"v2s", "", "v2"},
		{"läuft's", "läuft", ""}, {"straßes", "", "straße"}, {`"the shops"`, "", "shop"}, {"a -shops", "a", "a shops"}, {"tests.", "test", ""},
		{"a OR b", "a b", "or"}, {"a | b", "a b", "|"}, {"OR", "or", "a"}, {"Portland OR", "portland or", "a"}, {`a -"b c"`, "a", ""},
	} {
		q, cause := search.Parse(c.query)
		if cause != "" {
			t.Fatal(cause)
		}
		for want, words := range []string{c.not, c.found} {
			for _, word := range strings.Fields(words) {
				if strings.HasPrefix(c.not, "a ") && want == 0 {
					word = c.not
				}
				r, err := search.Rank(t.Context(), q, search.Window{Limit: 1}, onePage([]search.Text{{Path: "9", Content: []byte("= " + word + " =")}}))
				if testkit.Must(t, err); r.Total != int64(want) {
					t.Errorf("%s finds %q %d times, want %d", c.query, word, r.Total, want)
				}
			}
		}
	}
}

// A word as it stands counts more than any number of its forms, in texts of the same length.
func TestFormsCountLess(t *testing.T) {
	for _, c := range [][2]string{{"settings", "setting"}, {"set", "sets"}, {"setting", "set"}, {"pricing", "prices"}, {"shops", "shop"}} {
		for _, times := range []int{1, 5, 50} {
			q, _ := search.Parse(c[0])
			around := strings.Repeat(" of other words", times)
			r, err := search.Rank(t.Context(), q, search.Window{Limit: 2}, onePage([]search.Text{
				{Path: "1", Content: []byte(strings.Repeat(c[1]+" ", times) + around)}, {Path: "2", Content: []byte(c[0] + around)}}))
			if testkit.Must(t, err); len(r.Hits) != 2 || r.Hits[0].Path != "2" {
				t.Errorf("%s is found behind %d times %s: %+v", c[0], times, c[1], r.Hits)
			}
		}
	}
}

// A letter of a longer name finds nothing by itself, and still counts.
func TestLetterOfAName(t *testing.T) {
	for query, want := range map[string]string{
		"D-0173": "D-0173, E-0173", "D-0173 D": "D-0173, D-0199, E-0173", "A/B": "A/B, B", "v1.2": "v1.2, v1.3", "d日": "日",
	} {
		q, _ := search.Parse(query)
		var texts []search.Text
		for i, text := range []string{"D-0199", "E-0173", "D-0173", "B", "A/B", "v1.3", "v1.2", "日", "2"} {
			texts = append(texts, search.Text{Path: strconv.Itoa(9000 + i), Content: []byte(text)})
		}
		r, err := search.Rank(t.Context(), q, search.Window{Limit: 10}, onePage(texts))
		var found []string
		for _, h := range r.Hits {
			found = append(found, h.Text)
		}
		if got := strings.Join(found, ", "); err != nil || got != want {
			t.Errorf("%s finds %s, %v, want %s", query, got, err, want)
		}
	}
}

// A passage whose path has a word does not count less because a form of the word is in its text.
func TestFormBesidePath(t *testing.T) {
	q, _ := search.Parse("shops owner")
	const text = "The owner comes on one day of each week, and sees to the staff of the "
	r, err := search.Rank(t.Context(), q, search.Window{Limit: 2}, onePage([]search.Text{
		{Path: "shops.md", Content: []byte("# Name\n\n" + text + "shop.\n\n# Other\n\n" + text + "firm.\n")}}))
	if testkit.Must(t, err); len(r.Hits) != 2 || r.Hits[0].Line != 3 {
		t.Errorf("the passage without a form of shops comes first: %+v", r.Hits)
	}
}

// A date finds the ways in which people write it, and no other date. A month of a year finds its
// days.
func TestDates(t *testing.T) {
	day := []string{"8 May 2023", "May 8th", "on 2023-05-08.", "2023/5/8", "8th of May, 2023", "MAY 8, 2023", "8-May-2023", "(08.05.2023)",
		"2023-05-08T10:00", "2023年5月8日", "the 8\nMay", "8 maY 2023"}
	other := []string{"May 2023", "9 May 2023", "8 June 2023", "May 8, 2022", "2022-05-08", "2023-08-05", "18 May", "May 18", "2023-05-080", "12023-05-08",
		"May 80", "05-08", "mayor 8", "8 of 5, 2023", "05.08.2023"}
	for query, want := range map[string][2][]string{
		"2023-05-08": {day, other}, "8 May 2023": {day, other}, "May 8th, 2023": {day, other}, "the 8th of May 2023?": {day, other},
		"8 may":    {append(day, "May 8, 2022", "2022-05-08"), []string{"9 May", "2023-08-05", "2023-05", "18 May"}},
		"May 2023": {[]string{"May 2023", "2023-05-31", "2023-05", "1 May 2023", "May 3rd, 2023"}, []string{"2023-06-05", "May 2022", "May 5", "2023-50"}},
		"2023-05":  {[]string{"May 2023", "2023-05-31"}, []string{"2023-06-05"}},
		"Sept 3":   {[]string{"3 September", "2020-09-03", "Sep. 3"}, []string{"3 Sepals", "2020-09-30"}},
	} {
		q, cause := search.Parse(query)
		if cause != "" {
			t.Fatal(cause)
		}
		var texts []search.Text
		for i, text := range slices.Concat(want[0], want[1]) {
			texts = append(texts, search.Text{Path: fmt.Sprint(i), Entry: 1, Content: []byte("ab " + text + " cd")})
		}
		for range 200 {
			texts = append(texts, search.Text{Path: "99", Entry: 1, Content: []byte("of another day in the year")})
		}
		r, err := search.Rank(t.Context(), q, search.Window{Limit: 50}, onePage(texts))
		testkit.Must(t, err)
		for _, h := range r.Hits[:min(len(want[0]), len(r.Hits))] { // other dates have only some of its words
			if i, _ := strconv.Atoi(h.Path); i >= len(want[0]) {
				t.Errorf("%s finds %s before some of %q", query, h.Text, want[0])
			}
		}
		if len(r.Hits) < len(want[0]) {
			t.Errorf("%s finds %d of %d: %+v", query, len(r.Hits), len(want[0]), r.Hits)
		}
	}
}

// If nothing is found, the result has the words that are most like those of the query.
func TestNear(t *testing.T) {
	texts := []search.Text{{Path: "1", Content: []byte("Prices in cents, cents. A scent; centre! ЦЕНЫ 価格 CamelCase " + strings.Repeat("x", 1<<17))}, {Path: "2", Content: []byte("centimes cants centimes")}}
	for query, want := range map[string]string{
		"cenrs": "[cents]", "centss": "[cents centimes centre]", "ecnts": "[cents]", "centavo": "[centimes cents centre]", "cints": "[cents cants]",
		"bents": "[cents]", "centz": "[cents centimes centre]", "цнны": "[цены]", "zebra": "[]", "価値": "[]", `"in cnets"`: "[cents]", `"cents cents cents"`: "[cants centimes centre]", "camlcase": "[camelcase]", "zebra bents": "[cents]", "cents -prices": "[cants centimes centre]",
	} {
		q, _ := search.Parse(query)
		r, err := search.Rank(t.Context(), q, search.Window{Limit: 1}, pagesOf(texts, 1))
		if testkit.Must(t, err); fmt.Sprint(r.Near) != want || r.Total != 0 {
			t.Errorf("%s: %d hits, near %v, want %s", query, r.Total, r.Near, want)
		}
	}
}

// A hit that only the path has shows the first heading of the file.
func TestHitOnPath(t *testing.T) {
	for name, want := range map[string]string{"certificates.md ---\nowner: ops\n---\nHello\n\n# Rotate it\n\nnow\n": "6: # Rotate it", "certificates.md plain\n": "1: plain", "certificates \n\nplain\n": "3: plain", "certificates.md ": "1: "} {
		path, text, _ := strings.Cut(name, " ")
		q, _ := search.Parse("certificates")
		r, err := search.Rank(t.Context(), q, search.Window{Limit: 1}, onePage([]search.Text{{Path: path, Content: []byte(text)}}))
		testkit.Must(t, err)
		if len(r.Hits) != 1 || fmt.Sprintf("%d: %s", r.Hits[0].Line, r.Hits[0].Text) != want {
			t.Errorf("%q shows %+v, want %s", name, r.Hits, want)
		}
	}
}

// Each section of a Markdown file is a passage, whatever blocks stand in it. What only looks
// like a heading begins no passage.
func TestSectionsOfMarkdown(t *testing.T) {
	after := "\n\n## Budget\n\nroom seven\n\n## Other\n\nnothing here\n\n## Third\n\nroom eight\n"
	for _, block := range []string{
		"- ```\n  foo\n  ```", "> ```\n> foo", "````\n```\n# room\n````", "~~~\n```\n# room\n~~~", "1. a\n\n   ```\n   # room\n   ```",
		"<!--\n# room\n-->", "<pre>\n\n# room\n</pre>", "<script>\n\n# room\n</script>", "text ```", "```a```", "- ```\n  # room",
	} {
		inside := strings.Count(block, "room")
		texts := []search.Text{{Path: "a.md", Content: []byte("## Install\n\n" + block + after)}}
		for query, want := range map[string]int64{"room": int64(2 + inside), "seven -nothing": 1, "eight -seven": 1} {
			q, cause := search.Parse(query)
			if cause != "" {
				t.Fatal(cause)
			}
			r, err := search.Rank(t.Context(), q, search.Window{Limit: 10}, onePage(texts))
			if err != nil || r.Total != want {
				t.Errorf("%q after %q: %d hits, %v, want %d", query, block, r.Total, err, want)
			}
		}
	}
	front := "---\n# room\nowner: ops\n---\n# Title\n\nroom\n"
	q, _ := search.Parse("room -title")
	if r, err := search.Rank(t.Context(), q, search.Window{Limit: 10}, onePage([]search.Text{{Path: "a.md", Content: []byte(front)}})); err != nil || r.Total != 1 || r.Hits[0].Line != 2 {
		t.Errorf("front matter: %+v, %v, want the comment in line 2 alone", r.Hits, err)
	}
}

// Of more passages than a search keeps, it finds the best, and the first of equal ones.
func TestBestOfMany(t *testing.T) {
	var text strings.Builder
	var want, got []int
	for i := range 30_000 {
		if i%1500 == 1499 {
			text.WriteString("needle ")
			want = append(want, 2*i+1)
		}
		text.WriteString("needle\n\n")
	}
	for i := range 50 - len(want) {
		want = append(want, 2*i+1)
	}
	q, _ := search.Parse("needle")
	r, err := search.Rank(background, q, search.Window{Limit: 50}, onePage([]search.Text{{Path: "f", Content: []byte(text.String())}}))
	testkit.Must(t, err)
	for _, h := range r.Hits {
		got = append(got, h.Line)
	}
	if !slices.Equal(got, want) || r.Total != 30_000 {
		t.Errorf("lines %v of %d, want %v", got, r.Total, want)
	}
}

// Of two words of a query with which a longer word begins, the longer one counts.
func TestLongerBeginning(t *testing.T) {
	for _, query := range []string{"abcd abcde", "abcde abcd"} {
		q, _ := search.Parse(query)
		r, err := search.Rank(background, q, search.Window{Limit: 1}, onePage([]search.Text{{Path: "f", Content: []byte("Abcdef")}}))
		testkit.Must(t, err)
		if got := fmt.Sprint(r.Hits[0].Marks); got != "[[0 5]]" {
			t.Errorf("%q marks %s, want abcde", query, got)
		}
	}
}

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 60, Long: 1500, Short: 100}.Set() // in -short rapid draws a fifth
	os.Exit(m.Run())
}

// Letters are found in either case, also where a library folds both.
func TestCase(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if other := unicode.SimpleFold(r); other != r && !unicode.IsMark(r) && !unicode.IsMark(other) {
			if a, b := search.Plain(string(r)), search.Plain(string(other)); a != b {
				t.Errorf("%U is %q, %U is %q", r, a, other, b)
			}
		}
	}
}

// A text whose syllables are in letters is joined without an allocation for each.
func TestJoinHangul(t *testing.T) {
	text := norm.NFD.String(strings.Repeat("한국어 각 ", 1000))
	if got, want := search.Plain(text), norm.NFC.String(text); got != want {
		t.Errorf("%.20q is %.20q, want %.20q", text, got, want)
	}
	if n := testing.AllocsPerRun(1, func() { search.Plain(text) }); n > 100 {
		t.Errorf("%v allocations", n)
	}
}
