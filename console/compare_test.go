package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A view of a table of differences: a line for each row. The cells have "|" between them.
// What is removed is in [-brackets-], what is added in {+braces+}, and "*" begins a row
// that j and k stop at.
func rowsOf(t *testing.T, page string) (rows []string) {
	t.Helper()
	doc := must(html.Parse(strings.NewReader(page)))(t)
	for n := range doc.Descendants() {
		if n.Data != "tr" || n.Parent.Data != "tbody" {
			continue
		}
		var cells []string
		for cell := range n.ChildNodes() {
			cells = append(cells, shown(cell))
		}
		row := strings.Join(cells, "|")
		if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "data-item" }) {
			row = "*" + row
		}
		rows = append(rows, row)
	}
	return rows
}

// shown returns the text of a node, with brackets around marks.
func shown(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(shown(c))
	}
	switch {
	case n.Data == "del":
		return "[-" + b.String() + "-]"
	case n.Data == "ins":
		return "{+" + b.String() + "+}"
	case n.Data == "span" && attr(n, "class") == "u":
		return "⟨" + b.String() + "⟩"
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	for path, versions := range map[string][]string{
		"plan.md":  {"one\ntwo\nthree\nfour\nfive\nsix\nship on Friday\nend\n", "one\ntwo\nthree\nfour\nfive\nsix\nship on Monday\nmore\nend\n", "other\n"},
		"ends.txt": {"a\nbig cat\nc\n", "a\r\nbig cat\nc\r\n", "a\nbig dog\nc"},
		"same.txt": {"x\ny\n", "z\n", "x\ny\n"},
		"dos.txt":  {"a\r\nb\r\n", "a\r\nb\r\nnew line\r\n"},
		"cut.txt":  {"a\nb", "a\nb\nc"},
		"none.txt": {"", "a\n", ""},
	} {
		for _, text := range versions {
			write(t, svc, "a", path, text)
		}
	}
	for _, c := range []struct{ query, want string }{
		{"plan.md?diff=1..2", "Show 3 equal lines\n4|4|four\n5|5|five\n6|6|six\n*7||Removed: ship on [-Friday-]\n|7|Added: ship on {+Monday+}\n|8|Added: more\n8|9|end"},
		{"plan.md?diff=2..1", "Show 3 equal lines\n4|4|four\n5|5|five\n6|6|six\n*7||Removed: ship on [-Monday-]\n8||Removed: more\n|7|Added: ship on {+Friday+}\n9|8|end"},
		{"plan.md?diff=1..2&as=split", "Show 3 equal lines\n4|four|4|four\n5|five|5|five\n6|six|6|six\n*7|Removed: ship on [-Friday-]|7|Added: ship on {+Monday+}\n||8|Added: more\n8|end|9|end"},
		{"plan.md?diff=1..2&context=all", "1|1|one\n2|2|two\n3|3|three\n4|4|four\n5|5|five\n6|6|six\n*7||Removed: ship on [-Friday-]\n|7|Added: ship on {+Monday+}\n|8|Added: more\n8|9|end"},
		{"plan.md?diff=2..3&context=all", "*1||Removed: one\n2||Removed: two\n3||Removed: three\n4||Removed: four\n5||Removed: five\n6||Removed: six\n7||Removed: ship on Monday\n8||Removed: more\n9||Removed: end\n|1|Added: other"},
		{"plan.md?view=compare&a=1&b=2&as=split&context=all", "1|one|1|one\n2|two|2|two\n3|three|3|three\n4|four|4|four\n5|five|5|five\n6|six|6|six\n*7|Removed: ship on [-Friday-]|7|Added: ship on {+Monday+}\n||8|Added: more\n8|end|9|end"},
		{"ends.txt?diff=1..2", "*1||Removed: a⟨LF⟩\n|1|Added: a⟨CRLF⟩\n2|2|big cat\n*3||Removed: c⟨LF⟩\n|3|Added: c⟨CRLF⟩"},
		{"ends.txt?diff=1..3", "1|1|a\n*2||Removed: big [-cat-]\n3||Removed: c⟨LF⟩\n|2|Added: big {+dog+}\n|3|Added: c⟨no newline at the end⟩"},
		{"dos.txt?diff=1..2&context=all", "1|1|a\n2|2|b\n*|3|Added: new line"},
		{"cut.txt?diff=1..2", "1|1|a\n*2||Removed: b⟨no newline at the end⟩\n|2|Added: b⟨LF⟩\n|3|Added: c⟨no newline at the end⟩"},
		{"same.txt?diff=1..3", "Show 2 equal lines"},
		{"same.txt?diff=2..2&context=all", "1|1|z"},
		{"none.txt?diff=1..3", ""},
		{"none.txt?diff=1..2&as=split", "*||1|Added: a"},
	} {
		status, page := b.get("/a/a/files/" + c.query)
		if got := strings.Join(rowsOf(t, page), "\n"); status != http.StatusOK || got != c.want {
			t.Errorf("%s: %d\n%s\nwant\n%s", c.query, status, got, c.want)
		}
	}
}

// The page says what is compared, and leads to other comparisons.
func TestCompareLinks(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	for i := range 12 {
		write(t, svc, "a", "n.txt", strings.Repeat("line\n", 20)+fmt.Sprintf("number %d\n", i+1))
	}
	for _, c := range []struct {
		query  string
		status int
		want   []string
		not    []string
	}{
		{"n.txt?diff=5..7&as=split", 200, []string{
			"Version 5 to 7 of <bdi>n.txt</bdi>", `href="?diff=4..5&amp;as=split"`, `href="?diff=7..8&amp;as=split"`, `href="?diff=5..7">Unified`,
			`<input type="hidden" name="as" value="split">`, `href="?diff=5..7&amp;as=split&amp;context=all"`, `href="/a/a/files/n.txt"`, `<a href="?v=5">Version 5</a>`,
			`href="?diff=5..7&amp;as=split&amp;context=all#A1">Show 17 equal lines`, `id="A21" href="?v=5&amp;view=source#L21"`, `id="B21" href="?v=7&amp;view=source#L21"`,
		}, []string{"the newest"}},
		{"n.txt?diff=3..12", 200, []string{"the newest"}, []string{"Older change", "Newer change"}},
		{"n.txt?diff=12..11", 200, []string{`href="?diff=10..11">Older change`}, []string{"Newer change"}},
		{"n.txt?diff=5..6", 200, []string{`<section class="stack" id="differences" aria-label="Differences">`}, nil},
		{"n.txt?diff=5..5", 200, []string{"The two versions are equal"}, nil},
		{"n.txt?diff=1..12", 404, []string{"Version 1 is not kept. Versions 3 to 12 are.", `<option value="3">`, `name="view" value="compare"`}, []string{"<tbody>", "There is nothing at this address"}},
		{"n.txt?diff=12..13", 404, []string{"Version 13 is not kept. Versions 3 to 12 are."}, []string{"<tbody>"}},
		{"gone.txt?diff=1..2", 404, nil, nil},
		{"n.txt?diff=a..b", 404, []string{"There is nothing at this address"}, nil},
		{"n.txt?diff=5..6&as=<b>&context=-2", 200, nil, []string{"<b>"}},
	} {
		status, page := b.get("/a/a/files/" + c.query)
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %q", c.query, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(page, not) {
				t.Errorf("%s has %q", c.query, not)
			}
		}
		if status != c.status {
			t.Errorf("%s: status %d, want %d", c.query, status, c.status)
		}
		if t.Failed() {
			t.Log(page)
			t.FailNow()
		}
	}
}

// The pages of a long comparison together have each row once, forwards and backwards, and
// none has too much.
func TestCompareWindows(t *testing.T) {
	testkit.SkipUnlessLong(t)
	svc, b := visited(t, newService(t))
	text := func(n, width int, word string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d is %s %s\n", i, strings.Repeat("x", width), word)
		}
		return b.String()
	}
	write(t, svc, "a", "many.txt", text(1100, 0, "old"))
	write(t, svc, "a", "many.txt", text(1100, 0, "new"))
	write(t, svc, "a", "wide.txt", text(110, 4000, "old"))
	write(t, svc, "a", "wide.txt", text(110, 4000, "new"))
	write(t, svc, "a", "one.txt", strings.Repeat("word, ", 80_000)+"old"+strings.Repeat(" word", 100_000))
	write(t, svc, "a", "one.txt", strings.Repeat("word, ", 80_000)+"new"+strings.Repeat(" word", 100_000))
	for _, c := range []struct {
		query       string
		rows, pages int
	}{
		{"many.txt?diff=1..2", 2200, 3},
		{"wide.txt?diff=1..2&as=split", 110, 3},
		{"one.txt?diff=1..2", 2, 1},
	} {
		var rows, back []string
		pages, last := 0, ""
		for next := "/a/a/files/" + c.query; next != ""; pages++ {
			page := pageWith(t, b, next)
			rows, last, next = append(rows, rowsOf(t, page)...), next, linkOf(next, page, "Next rows")
		}
		for next := last; next != ""; {
			page := pageWith(t, b, next)
			back, next = append(rowsOf(t, page), back...), linkOf(next, page, "Earlier rows")
		}
		if len(rows) != c.rows || pages != c.pages || !slices.Equal(rows, back) {
			t.Errorf("%s: %d rows on %d pages, back %d, want %d on %d", c.query, len(rows), pages, len(back), c.rows, c.pages)
		}
		if unique := slices.Compact(slices.Sorted(slices.Values(numbers(rows)))); len(unique) != len(rows) {
			t.Errorf("%s: %d of %d rows are there more than once", c.query, len(rows)-len(unique), len(rows))
		}
	}
	if page := pageWith(t, b, "/a/a/files/one.txt?diff=1..2"); !strings.Contains(page, "<ins>new</ins>") || !strings.Contains(page, "479,200 bytes before") || len(page) > 10_000 {
		t.Error("of a long line, what differs is not shown")
	}
}

// numbers returns the rows without their texts.
func numbers(rows []string) (short []string) {
	for _, r := range rows {
		short = append(short, r[:min(len(r), strings.Index(r, "line ")+10)])
	}
	return short
}

func pageWith(t *testing.T, b *browser, address string) string {
	t.Helper()
	status, page := b.get(address)
	if status != http.StatusOK || len(page) > 1<<20 {
		t.Fatalf("%s: status %d, %d bytes", address, status, len(page))
	}
	return page
}

// linkOf returns the address of a link on a page, or "".
func linkOf(page, text, name string) string {
	before, _, found := strings.Cut(text, `">`+name+`</a>`)
	if !found {
		return ""
	}
	path, _, _ := strings.Cut(page, "?")
	return path + strings.ReplaceAll(before[strings.LastIndex(before, `href="`)+6:], "&amp;", "&")
}

// No hostile text becomes markup.
func TestCompareHostile(t *testing.T) {
	testkit.SkipInShort(t)
	svc, b := visited(t, newService(t))
	for _, h := range sample() {
		content := strings.ToValidUTF8(h.Text, "?")
		write(t, svc, "a", h.Name, content+"\n")
		middle := []rune(content)
		write(t, svc, "a", h.Name, string(slices.Insert(middle, len(middle)/2, []rune(" MIDDLE ")...))+"\n")
		for _, as := range []string{"unified", "split"} {
			checkHostile(t, h.Name, pageWith(t, b, "/a/a/files/"+h.Name+"?diff=1..2&context=all&as="+as))
		}
	}
}

// A gap in a long text leads to the page that has its lines.
func TestGapsOfALongText(t *testing.T) {
	svc, b := visited(t, newService(t))
	lines := strings.Split(strings.Repeat("x\n", 3000), "\n")
	write(t, svc, "a", "f", strings.Join(lines, "\n"))
	lines[9], lines[1999] = "y\nz", "y"
	write(t, svc, "a", "f", strings.Join(lines, "\n"))
	gap := regexp.MustCompile(`href="([^"#]*)#(A\d+)">Show`)
	for _, layout := range []string{"", "&as=split"} {
		_, page := b.get("/a/a/files/f?diff=1..2" + layout)
		links := gap.FindAllStringSubmatch(page, -1)
		if len(links) != 3 {
			t.Errorf("the gaps lead to %q, want three", links)
		}
		for _, link := range links {
			if _, page := b.get("/a/a/files/f" + html.UnescapeString(link[1])); !strings.Contains(page, `id="`+link[2]+`"`) {
				t.Errorf("%s has no line %s", link[1], link[2])
			}
		}
	}
}
