package outline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/golden"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
	"github.com/google/go-cmp/cmp"
)

// TestKinds compares the outline of each file in testdata/texts with the one in
// testdata/outlines.
func TestKinds(t *testing.T) {
	files, err := os.ReadDir("testdata/texts")
	testkit.Must(t, err)
	for _, file := range files {
		name := file.Name()
		t.Run(name, func(t *testing.T) {
			text := testkit.ReadFile(t, filepath.Join("testdata/texts", name))
			for _, most := range []int{40, 100, 600} {
				checkOutline(t, name, text, most)
			}
			got := outline.Text(name, text, 0) + "\n"
			golden.Check(t, filepath.Join("testdata/outlines", name), got)
			if strings.Contains(text, "\r") {
				return
			}
			_, want, _ := strings.Cut(got, "\n")
			_, got, _ = strings.Cut(outline.Text(name, strings.ReplaceAll(text, "\n", "\r\n"), 0)+"\n", "\n")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("with carriage returns: -want +got:\n%s", diff)
			}
		})
	}
}

// A text is shown as samples if its lines are very long.
func TestLongLines(t *testing.T) {
	minified := outline.Text("min.js", strings.Repeat("var a=1;f(a);", 20000), 0)
	prose := outline.Text("long.txt", "Title\n\n"+strings.Repeat("It is said. ", 5000)+"\n", 0)
	for _, c := range []struct{ text, want string }{
		{minified, "Code, 1 line, 260000 bytes\nvery long lines: samples from all over the text\n"},
		{minified, "1 at byte 43332: "},
		{prose, "Text, 3 lines, 60008 bytes\nvery long lines: samples from all over the text\n1 at byte 0: Title"},
		{prose, "\n3 at byte 5000: "},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%q is not in\n%s", c.want, c.text)
		}
	}
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
