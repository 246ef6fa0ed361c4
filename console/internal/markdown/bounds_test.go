package markdown_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console/internal/markdown"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
