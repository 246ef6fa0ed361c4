package outline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/testing/golden"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline"
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

// What is listed of code, by its lines alone: those at the left margin that open
// something, and those at the next margin where the first has few.
func TestCode(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.py", "import os\n\n@cached\ndef one(a,\n        b):\n    if a:\n        pass\n\nif x:\n    pass\n\nclass Two:\n    def inner(self):\n        pass\n\nasync def three():\n    pass\n",
			"4 def one(a,\n12 class Two\n16 async def three()"},
		{"A.java", "package a;\n\n/** class No {} */\npublic final class A<T> {\n    private int x;\n\n    public int get(int a) {\n        if (a > 1) {\n            return 2;\n        }\n    }\n\n    A() {\n        x = 1;\n    }\n}\n",
			"4 public final class A<T>\n7   public int get(int a)\n13   A()"},
		{"a.c", "#include <x.h>\nstatic int\nopen_it(const char *s)\n{\n\treturn 1;\n}\n\nstruct a {\n\tint x;\n};\nint last(void)\n{\n}\n",
			"3 open_it(const char *s)\n8 struct a\n11 int last(void)"},
		{"a.css", "/* c { */\n.b {\n  d: e\n}\n\n@media print {\n  f { g: h }\n}\n\n#i {\n  j: k\n}\n", "2 .b\n6 @media print\n10 #i"},
		{"a.sql", "-- CREATE TABLE no (\nCREATE TABLE one (\n  id int\n);\nINSERT INTO one VALUES\n  (1);\nCREATE TABLE two (\n  id int\n);\n", "2 CREATE TABLE one\n5 INSERT INTO one VALUES\n7 CREATE TABLE two"},
	} {
		checkOutline(t, c.path, c.text, 600)
		_, got, _ := strings.Cut(outline.Text(c.path, c.text, 0), "\n")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.path, got, c.want)
		}
	}
}

// The values of environment variables may be secrets.
func TestEnvironmentHidesValues(t *testing.T) {
	const text = "# A comment\nTOKEN=hidden\nexport KEY=\"hidden\nhidden\"\nOTHER='hidden'\n\nOPEN=\"hidden\n"
	for _, path := range []string{".env", "prod.env", "a/.env.local"} {
		got := outline.Text(path, text, 0)
		if strings.Contains(got, "hidden") || !strings.Contains(got, "TOKEN=…") || !strings.Contains(got, "\n7 OPEN=…") {
			t.Errorf("the outline of %s is\n%s", path, got)
		}
	}
}

// A Go file with mistakes has the declarations that can be read, and one whose
// brackets nest too deep is read as other code.
func TestGoWithMistakes(t *testing.T) {
	got := outline.Text("a.go", "package a\n\nfunc One() {}\n\nfunc (\n\nfunc Two() {\n\treturn\n}\n", 0)
	if !strings.Contains(got, "3 func One()") {
		t.Errorf("a file with mistakes: %s", got)
	}
	got = outline.Text("a.go", "package a\n\nvar x = "+strings.Repeat("(", 5000)+"\n\nfunc Two() {\n\treturn\n}\n", 0)
	if !strings.Contains(got, "5 func Two()") {
		t.Errorf("a file that nests deep: %s", got)
	}
}
