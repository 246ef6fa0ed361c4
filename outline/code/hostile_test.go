package code_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline/code"
)

// checkOutline reports what is not true of every outline.
func checkOutline(t *testing.T, l *code.Language, text string) {
	t.Helper()
	_, defs := l.Outline(text)
	last, lines := 1, 1+strings.Count(text, "\n")
	for _, d := range defs {
		if d.Line < last || d.Line > lines || d.End > lines || d.End > 0 && d.End < d.Line {
			t.Errorf("%s: line %d to %d after line %d of %d: %q", l.Name, d.Line, d.End, last, lines, d.Text)
		}
		last = d.Line
		if d.Brief < 0 || d.Brief > len(d.Text) || len(d.Text) > 500 || d.Indent < 0 || d.Indent > 48 || d.Rank < 0 {
			t.Errorf("%s: %+v", l.Name, d)
		}
	}
}

// Texts that are made to be hard for a reader are read by all of them.
func TestHostileTexts(t *testing.T) {
	size := testkit.Pick(1<<11, 1<<14, 1<<17)
	for _, unit := range []string{
		"#", "\"", "'", "`", "(", "[", "{", "<", "<a ", "/", "([/", "/*", "\n", "f(\n", "int f()\n", "<<A\n", "<<A <<B\n", "\"\"\"", "r#\"", "${`", "`${", "\\", "漢",
		"func f()\n", "class a:\n", "class a {\n", "template<", "@a", "@a\n", "@a(", "#[a", "typedef struct {", "*", "insert into a(b)\n", "\x00", "\x01", "static ", "enum enum ",
		"[[a]]", "__attribute__((a)) ", "a(b) ", "a < b;", "#if\n", "#define a\\\n", "$a$", "function f(){}", "(function(){", "}", "}\n", "x=/[", "E'", "copy a from stdin;\n",
		"\n=a", "=head1 a\n", "create function a begin\n", "operator", "::a", "extern \"C\" {\n", "  a\n", "def a(\n", "describe a do\n ", "?><?", "public: ", "({", "impl<", "func() ", "var a\n",
	} {
		for _, l := range code.Languages() {
			checkOutline(t, &l, strings.Repeat(unit, size/len(unit)))
		}
	}
}

func FuzzOutline(f *testing.F) {
	files, err := filepath.Glob("testdata/*[^e]")
	testkit.Must(f, err)
	for _, file := range files {
		if l := code.Find(strings.TrimSuffix(file, ".txt")); l != nil {
			f.Add(file, testkit.ReadFile(f, file))
		}
	}
	f.Add(".c", "<)\n#define 0(0)\n{0") // a directive in a header
	f.Add(".cpp", strings.Repeat("0", 39)+" operator")
	f.Add(".cpp", strings.Repeat("a ", 196)+"__attribute__ ((b)) c(d) {")
	f.Fuzz(func(t *testing.T, file, text string) {
		if l := code.Find(strings.TrimSuffix(file, ".txt")); l != nil {
			checkOutline(t, l, text)
		}
		if len(text) < 200 {
			for _, l := range code.Languages() {
				checkOutline(t, &l, text)
			}
		}
	})
}
