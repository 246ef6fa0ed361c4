package markdown_test

import (
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/agent-scratchpad/scratchpad/console/internal/markdown"
	"github.com/agent-scratchpad/scratchpad/internal/testing/hostile"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// attributes are the elements and attributes that Render writes.
var attributes = map[string]string{
	"a": "href rel title class role", "blockquote": "", "br": "", "code": "", "del": "", "div": "class role aria-label tabindex", "em": "",
	"h2": "id", "h3": "id", "h4": "id", "h5": "id", "h6": "id", "hr": "", "li": "id", "ol": "start", "p": "class", "pre": "",
	"span": "class title role aria-label", "strong": "", "sup": "id", "table": "", "tbody": "", "td": "align", "th": "align", "thead": "", "tr": "", "ul": "",
}

// values are what the attributes may hold; a title and the path of a link are free.
var values = map[string]*regexp.Regexp{
	"class":      regexp.MustCompile(`^(u|md-scroll|md-task|md-image|md-nolink|md-meta|footnotes|footnote-ref|footnote-backref)$`),
	"role":       regexp.MustCompile(`^(group|img|doc-noteref|doc-backlink|doc-endnotes)$`),
	"aria-label": regexp.MustCompile(`^(to do|done|Front matter|(?:Table|Code) \d+)$`),
	"align":      regexp.MustCompile(`^(left|center|right)$`),
	"tabindex":   regexp.MustCompile(`^0$`),
	"rel":        regexp.MustCompile(`^noopener noreferrer nofollow$`),
	"id":         regexp.MustCompile(`^md-([\p{L}\p{N}_-]*|fn:\d+|fnref\d*:\d+)$`),
	"start":      regexp.MustCompile(`^\d{1,9}$`),
	"title":      regexp.MustCompile(`(?s)^.*$`),
	"href":       regexp.MustCompile(`(?s)^(https?://[^/]|[/?#]([^/]|$))[^\\]*$`),
}

// safe parses the result as a browser does and fails the test for all that is not in
// the lists.
func safe(t *testing.T, source string, out template.HTML) {
	t.Helper()
	document, err := html.Parse(strings.NewReader("<!DOCTYPE html><body><main>" + string(out) + "</main>"))
	if err != nil {
		t.Fatalf("%.300q: %v", source, err)
	}
	ids := map[string]bool{}
	for n := range document.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.ElementNode && n.Namespace != "" {
			t.Fatalf("%.300q: a node %v %q", source, n.Type, n.Data)
		}
		if n.Type != html.ElementNode || slices.Contains([]string{"html", "head", "body", "main"}, n.Data) && n.Attr == nil {
			continue
		}
		allowed, known := attributes[n.Data]
		if !known {
			t.Fatalf("%.300q: an element %q in %.500s", source, n.Data, out)
		}
		for _, a := range n.Attr {
			if !slices.Contains(strings.Fields(allowed), a.Key) || !values[a.Key].MatchString(a.Val) {
				t.Fatalf("%.300q: the attribute %s=%q of %q in %.500s", source, a.Key, a.Val, n.Data, out)
			}
			if a.Key == "id" && ids[a.Val] {
				t.Fatalf("%.300q: the id %q twice", source, a.Val)
			}
			ids[a.Val] = ids[a.Val] || a.Key == "id"
			if a.Key == "href" {
				safeAddress(t, source, a.Val)
			}
		}
	}
}

func safeAddress(t *testing.T, source, href string) {
	t.Helper()
	u, err := url.Parse(href)
	if err != nil || u.User != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" ||
		strings.ContainsFunc(href, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		t.Fatalf("%.300q: the address %q: %v", source, href, err)
	}
}

// A hostile text gives an error or what the lists allow, whatever the caller makes of
// relative addresses.
func TestHostile(t *testing.T) {
	testkit.SkipInShort(t)
	refused := 0
	for _, h := range hostile.All() {
		sources := []string{h.Text, "[" + h.Text + "](" + h.Text + ")", "> - " + h.Text, "# " + h.Text, "|" + h.Text + "|\n|-|\n|" + h.Text + "|", "![a]: " + h.Text}
		for _, source := range sources[:testkit.Pick(2, 6, 6)] {
			out, err := markdown.Render([]byte(source), func(dest string) (string, bool) { return dest, true })
			if err != nil && !errors.Is(err, markdown.ErrTooComplex) {
				t.Fatalf("%s: %v", h.Name, err)
			}
			if err != nil {
				refused++
				t.Logf("%s: %v", h.Name, err)
			}
			safe(t, source, out)
		}
	}
	if refused > 60 {
		t.Errorf("%d texts are refused", refused)
	}
}

// bombs are texts that cost a parser more than their length, each made of n parts.
var bombs = []struct {
	name string
	make func(n int) string
}{
	{"quotes", func(n int) string { return strings.Repeat(">", n) + "x" }},
	{"quotes with spaces", func(n int) string { return strings.Repeat("> ", n/4) + "x\n" + strings.Repeat("y\n", n/4) }},
	{"footnotes", func(n int) string {
		return strings.Repeat("[^a]", n/8) + "\n\n" + strings.Repeat("[^b]:\n\n", n/16) + "[^a]: x\n"
	}},
	{"footnotes of many names", func(n int) string {
		var refs, notes strings.Builder
		for i := range n / 20 {
			fmt.Fprintf(&refs, "[^%d]", i)
			fmt.Fprintf(&notes, "[^%d]: x\n", n/20-i)
		}
		return refs.String() + "\n\n" + notes.String()
	}},
	{"brackets", func(n int) string { return strings.Repeat("[", n) }},
	{"links in links", func(n int) string { return strings.Repeat("[", n/4) + strings.Repeat("](x)", n/4) }},
	{"open links", func(n int) string { return strings.Repeat("[a](<b", n/6) }},
	{"open addresses", func(n int) string { return strings.Repeat("[a](", n/4) }},
	{"open references", func(n int) string { return strings.Repeat("[a][", n/4) }},
	{"stars", func(n int) string { return strings.Repeat("*", n) }},
	{"stars of two lengths", func(n int) string { return strings.Repeat("*a **a ", n/7) + strings.Repeat("a* a** ", n/7) }},
	{"stars and underscores", func(n int) string { return strings.Repeat("*a_ ", n/4) }},
	{"tildes", func(n int) string { return strings.Repeat("~~a ", n/4) + strings.Repeat("a~~ ", n/4) }},
	{"stars in links", func(n int) string { return strings.Repeat("*[*a](b) ", n/9) }},
	{"backticks", func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n; i++ {
			b.WriteString("e" + strings.Repeat("`", i))
		}
		return b.String()
	}},
	{"open code", func(n int) string { return strings.Repeat("`a ``b ", n/7) }},
	{"open angles", func(n int) string { return strings.Repeat("<a:", n/3) }},
	{"open mail", func(n int) string { return strings.Repeat("a@", n/2) }},
	{"bare addresses", func(n int) string { return strings.Repeat(" http://a", n/9) }},
	{"address and brackets", func(n int) string { return "http://a" + strings.Repeat(")", n) }},
	{"entities", func(n int) string { return strings.Repeat("&", n/2) + strings.Repeat("&#x", n/6) }},
	{"backslashes", func(n int) string { return strings.Repeat("\\", n) }},
	{"lists", func(n int) string { return strings.Repeat("- ", n/2) + "x" }},
	{"deep lists and blank lines", func(n int) string {
		return strings.Repeat("- ", min(n/4, 5000)) + "x\n" + strings.Repeat("\n", n/2) + "y"
	}},
	{"indented lists", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + "* a\n")
		}
		return b.String()
	}},
	{"numbers", func(n int) string { return strings.Repeat("1) ", n/3) }},
	{"many definitions", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "[a%d]: b\n", i)
		}
		return b.String()
	}},
	{"open definitions", func(n int) string { return strings.Repeat("[a\n", n/3) }},
	{"definitions with open titles", func(n int) string { return strings.Repeat("[a]: b \"\n", n/9) }},
	{"a long reference", func(n int) string {
		return "[a]: https://example.com/" + strings.Repeat("b", 4000) + " '" + strings.Repeat("c", n/2) + "'\n\n" + strings.Repeat("[a] ", n/8)
	}},
	{"a wide table", func(n int) string {
		return strings.Repeat("|a", n/8) + "|\n" + strings.Repeat("|-", n/8) + "|\n" + strings.Repeat("|\n", n/4)
	}},
	{"delimiter rows", func(n int) string { return strings.Repeat("|-|-|\n", n/6) }},
	{"pipes in code", func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", n/7) }},
	{"headings", func(n int) string { return strings.Repeat("# a\n", n/4) }},
	{"underlines", func(n int) string { return strings.Repeat("a\n", n/2) + "===" }},
	{"fences", func(n int) string { return strings.Repeat("```\n", n/4) }},
	{"marks", func(n int) string { return strings.Repeat("\x00a", n/2) }},
	{"carriage returns", func(n int) string { return strings.Repeat("\r", n) }},
	{"tabs", func(n int) string { return strings.Repeat("\t", n) + "x" }},
	{"tabs in quotes", func(n int) string { return strings.Repeat(">\t", n/2) }},
	{"html", func(n int) string { return strings.Repeat("<div>", n/5) }},
}

// Every bomb ends, with a result that the lists allow or with ErrTooComplex. The test has no
// clock: one that took minutes would be stopped by the time limit of go test.
// SCRATCHPAD_TEST=full tries texts of the longest size.
func TestBombs(t *testing.T) {
	testkit.SkipInShort(t)
	size := testkit.Pick(2<<10, 32<<10, markdown.MaxInput*9/10)
	for _, bomb := range bombs {
		source := bomb.make(size)
		out, err := markdown.Render([]byte(source), below)
		if err != nil && !errors.Is(err, markdown.ErrTooComplex) || strings.Contains(fmt.Sprint(err), "runtime error") {
			t.Errorf("%s: %v", bomb.name, err)
		}
		if len(out) > 8<<20 {
			t.Errorf("%s: %d bytes", bomb.name, len(out))
		}
		if len(out) < 4<<20 {
			safe(t, bomb.name, out)
		}
	}
}

// The bounds refuse no document that somebody wrote to be read, at the length of the limit
// either.
func TestHonest(t *testing.T) {
	testkit.SkipInShort(t)
	for _, file := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"} {
		source := testkit.ReadFile(t, filepath.Join("..", "..", "..", file))
		long := strings.Repeat(source+"\n\n", markdown.MaxInput/(len(source)+2))
		for _, s := range []string{source, long} {
			if out, err := markdown.Render([]byte(s), below); err != nil || len(out) < len(s)/2 {
				t.Errorf("%s, %d bytes: %d, %v", file, len(s), len(out), err)
			} else if len(s) < 100_000 {
				safe(t, file, out)
			}
		}
	}
}
