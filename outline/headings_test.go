package outline_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
)

var (
	atx   = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]|$)`)
	fence = regexp.MustCompile("^[ \t]*(```+|~~~+)")
)

// markdownHeadings finds headings with number signs, in its own way: it splits
// the text at its fences.
func markdownHeadings(content string) []int {
	var found []int
	inside := ""
	for i, l := range strings.Split(content, "\n") {
		if m := fence.FindStringSubmatch(l); m != nil {
			switch {
			case inside == "":
				inside = m[1]
			case strings.HasPrefix(m[1], inside) && strings.TrimSpace(l) == m[1]:
				inside = ""
			}
			continue
		}
		if inside == "" && atx.MatchString(l) {
			found = append(found, i+1)
		}
	}
	return found
}

func TestMarkdownHeadings(t *testing.T) {
	root := testkit.GoRoot(t)
	files, headings := 0, 0
	for _, from := range testkit.Pick([]string{filepath.Join(root, "doc"), ".."}, []string{root, ".."}, []string{root, ".."}) {
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".md") || strings.Contains(path, "testdata/texts") {
				return err
			}
			content := testkit.ReadFile(t, path)
			got := outlined(path, content)
			var lines []int
			for n, text := range got {
				if heading.MatchString(text) {
					lines = append(lines, n)
				}
			}
			slices.Sort(lines)
			want := markdownHeadings(content)
			setext := len(lines) - len(want)
			lines = slices.DeleteFunc(lines, func(n int) bool { return setext > 0 && !slices.Contains(want, n) && underlined(content, n) })
			if !slices.Equal(lines, want) {
				t.Errorf("%s: headings at %d, want %d", path, lines, want)
			}
			files++
			headings += len(want)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 5 || headings < 50 {
		t.Errorf("%d headings in %d files: too few to prove anything", headings, files)
	}
	t.Logf("%d files, %d headings", files, headings)
}

var heading = regexp.MustCompile(`^\d+(-\d+)? #{1,6}( |\n|$)`)

func underlined(content string, n int) bool {
	lines := strings.Split(content, "\n")
	below := strings.TrimSpace(lines[n])
	return below != "" && (strings.Trim(below, "=") == "" || strings.Trim(below, "-") == "")
}

// What only looks like a heading is not listed, and the heading after it is.
func TestOutlineListsHeadingsAlone(t *testing.T) {
	for _, block := range []string{
		"---\n# hidden\nowner: ops\n---\n", "+++\n# hidden\nowner = \"ops\"\n+++\n", "<!--\n# hidden\n-->\n", "<!-- a\n\n# hidden\n\nb -->\n",
		"<pre>\n# hidden\n\n# hidden\n</pre>\n", "<script>\n\n# hidden\n</script>\n", "<STYLE>\n\n# hidden\n</style>\n", "<div>\n# hidden\n</div>\n\n",
		"```\n# hidden\n```\n", "- ```\n  # hidden\n  ```\n", "> ```\n> # hidden\n", "1. a\n\n   ~~~~\n   ~~~\n   # hidden\n   ~~~~\n", "> # hidden\n",
		"a\n\n    # hidden\n    b\n\n", "\t# hidden\n\n", "- a\n\n      # hidden\n\n",
	} {
		text := block + "# Shown\n\ntext\n"
		if strings.HasPrefix(block, "-") && strings.Contains(block, "```") {
			text = "a\n\n" + text
		}
		got := outline.Text("a.md", text, 0)
		if !strings.Contains(got, " # Shown\n") || regexp.MustCompile(`(?m)^\d+(-\d+)? # hidden`).MatchString(got) {
			t.Errorf("the outline of %q is\n%s\nwant the heading # Shown and no other", text, got)
		}
	}
	if got := outline.Text("a.md", "Title\n=====\n\ntext\n\nPart\n----\n\nmore\n", 0); !strings.Contains(got, "\n1-9 # Title\n") || !strings.Contains(got, "\n6-9 ## Part\n") {
		t.Errorf("headings that are underlined: %s", got)
	}
}
