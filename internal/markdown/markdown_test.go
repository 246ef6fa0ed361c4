package markdown_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/agent-scratchpad/scratchpad/internal/markdown"
)

// headings returns the number of the line and the level of each heading.
func headings(content string) (all []string) {
	var r markdown.Reader
	rest, n := []byte(content), 1
	for len(rest) > 0 {
		l := r.Next(rest)
		if l.Kind == markdown.Heading {
			all = append(all, fmt.Sprintf("%d:%d", n, l.Level))
		}
		n += bytes.Count(rest[:l.Size], []byte("\n"))
		rest = rest[l.Size:]
	}
	return all
}

// What looks like a heading and is none, in each kind of block, and what is one after it.
func TestHeadings(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"number signs", "# a\n## b ##\n###### c\n####### no\n#no\n#\n \t\n   ## d\n    # no\n", "1:1 2:2 3:6 6:1 8:2"},
		{"underlined", "a\n=\n\nb\n ----  \n\nc\n    ---\n\nd\n= =\n", "1:1 4:2"},
		{"underlined lines", "a\nb\n---\n# c\n", "4:1"},
		{"CRLF", "# a\r\n```\r\n# no\r\n```\r\nb\r\n===\r\n", "1:1 5:1"},
		{"byte order mark", "\uFEFF# a\nb\n", "1:1"},
		{"fence", "```go\n# no\n```\n# a\n", "4:1"},
		{"longer fence", "````\n```\n# no\n````\n# a\n", "5:1"},
		{"other fence", "~~~\n```\n# no\n~~~ \n# a\n", "5:1"},
		{"fence with words does not close", "```\n``` no\n# no\n`````\n# a\n", "5:1"},
		{"indented fence", "   ```\n# no\n    ```\n# no\n   ```\n# a\n", "6:1"},
		{"code within a line", "```a```\n# a\n``` `\n# b\n", "2:1 4:1"},
		{"fence without end", "```\n# no\n", ""},
		{"fence in an item", "## Install\n\n- ```\n  foo\n  ```\n\n## Budget\n", "1:2 7:2"},
		{"fence in a number", "10. a\n\n    ```\n    # no\n    ```\n## b\n", "6:2"},
		{"fence of an item that ends", "- ```\n  # no\n# a\n", "3:1"},
		{"fence of items in items", "- a\n  - b\n    ```\n    # no\n  # c\n", "5:1"},
		{"fence in a quotation", "> ```\n> # no\n> ```\n# a\n", "4:1"},
		{"fence of a quotation that ends", "> ```\n# a\n```\n# no\n", "2:1"},
		{"fence with tabs", "-\t```\n\t# no\n\t```\n# a\n", "4:1"},
		{"heading in a quotation", "> # no\n> a\n> ===\n# b\n", "4:1"},
		{"heading in an item", "- # no\n\n  ## a\n", "3:2"},
		{"underlined in an item", "- a\n  ===\n- b\n---\n# c\n", "5:1"},
		{"lazy lines", "> a\n===\n\n- b\nc\n---\n", ""},
		{"comment", "<!--\n# no\n\n# no\n--> # no\n# a\n", "6:1"},
		{"short comment", "<!-- a -->\n# b\n", "2:1"},
		{"comment in an item", "- <!--\n  # no\n# a\n", "3:1"},
		{"pre", "<pre>\n# no\n\n# no\n</pre>\n# a\n", "6:1"},
		{"PRE with attributes", "<PRE class=x>\n\n# no\n</Pre>\n# a\n", "5:1"},
		{"script", "<script type=\"module\">\n\n# no\n</script>\n# a\n", "5:1"},
		{"style", "<style\n>\n\n# no\n</style>\n# a\n", "6:1"},
		{"prefix is another element", "<press>\n\n# a\n", "3:1"},
		{"div", "<div>\n# no\n\n# a\n</div>\n", "4:1"},
		{"details", "a\n<details open>\n<summary>b</summary>\n# no\n\n# a\n", "6:1"},
		{"any element alone", "<x-y a=\"b\">\n# no\n\n<x-y> c\n# a\n", "5:1"},
		{"instruction", "<?php\n\n# no\n?>\n# a\n", "5:1"},
		{"declaration", "<!DOCTYPE a\n# no\n>\n# a\n", "4:1"},
		{"CDATA", "<![CDATA[\n\n# no\n]]>\n# a\n", "5:1"},
		{"YAML", "---\n# no\n\nowner: ops\ntags:\n- a\n---\n# a\n", "8:1"},
		{"YAML to dots", "---\ntitle: x\n...\n# a\n", "4:1"},
		{"TOML", "+++\n# no\n[a]\nb = [\n\"c\",\n]\n+++\n# a\n", "8:1"},
		{"YAML with CRLF", "\uFEFF---\r\n# no\r\na: b\r\n---\r\n# a\r\n", "5:1"},
		{"rule and not front matter", "---\n\n# a\n\nb: c\n\n---\n", "3:1"},
		{"slides", "---\n# a\n---\n# b\n", "2:1 4:1"},
		{"front matter without end", "---\na: b\n# c\n", "3:1"},
		{"front matter later", "# a\n---\nb: c\n# d\n---\n", "1:1 4:1"},
	} {
		if got := strings.Join(headings(c.content), " "); got != c.want {
			t.Errorf("%s: %q has the headings %s, want %s", c.name, c.content, got, c.want)
		}
	}
}

// goldmarkHeadings returns what headings does, by another reader. It knows the headings that
// a Reader does not tell: in quotations, in the line of a list mark, of several lines.
func goldmarkHeadings(content string) (all []string) {
	source := []byte(content)
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindBlockquote {
			return ast.WalkSkipChildren, nil
		}
		h, ok := n.(*ast.Heading)
		if !ok || !entering || h.Lines().Len() != 1 {
			return ast.WalkContinue, nil
		}
		at := h.Lines().At(0).Start
		begin := bytes.LastIndexByte(source[:at], '\n') + 1
		before := strings.TrimLeft(string(source[begin:at]), " \t")
		underlined := !strings.HasPrefix(before, "#")
		if before != "" && underlined || underlined && h.Parent() != doc {
			return ast.WalkContinue, nil
		}
		all = append(all, fmt.Sprintf("%d:%d", 1+bytes.Count(source[:at], []byte("\n")), h.Level))
		return ast.WalkContinue, nil
	})
	if err != nil {
		panic(err)
	}
	return all
}

// Whatever blocks stand in whatever order, the headings are those of goldmark. The texts are
// the same each time: in one of ten thousand goldmark differs from CommonMark, at lists
// without content.
func TestHeadingsAreThoseOfGoldmark(t *testing.T) {
	before := []string{"- ", "* ", "-", "1. ", "2) ", "10. ", "> ", ">", " ", "  ", "   ", "    "}
	lines := []string{"a", "a", "# b", "# b", "## c", "===", "---", "-", "```", "````", "~~~", "```x", "", "", "***", "\\", "<!--", "-->", "<!-- a -->", "<pre>", "</pre>", "<div>",
		"</div>", "<b>", "<b> a", "</b>", "<script>", "</script>", "<?", "?>", "<!A", ">", "<table class=a>", "<br/>"}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 2000 {
		content := "a\n\n"
		for range 1 + r.IntN(12) {
			for range r.IntN(4) {
				content += before[r.IntN(len(before))]
			}
			content += lines[r.IntN(len(lines))] + "\n"
		}
		got, want := headings(content), goldmarkHeadings(content)
		if !slices.Equal(got, want) {
			t.Errorf("%q has the headings %v, by goldmark %v", content, got, want)
		}
		found += len(want)
	}
	if found < 200 {
		t.Errorf("only %d headings: the texts prove little", found)
	}
}
