package scratchpad_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const (
	maxFunction = 60  // lines
	maxFile     = 500 // lines
	maxLine     = 120 // columns, four for a tab
)

// Functions, files and lines stay small enough to be read. A package may be as long as its one
// noun needs. A test may have more lines and wider ones, and a raw text too.
func TestLimits(t *testing.T) {
	sources := map[string][]byte{}
	for _, name := range goFiles(t) {
		sources[name] = []byte(testkit.ReadFile(t, name))
	}
	for _, problem := range overLimits(t, sources) {
		t.Error(problem)
	}
}

// The check must be able to fail.
func TestLimitsFindWhatIsTooLong(t *testing.T) {
	long := "package p\n\nfunc F() {\n" + strings.Repeat("\tprintln()\n", 58) + "}\n"
	longer := strings.Replace(long, "{\n", "{\n\tprintln()\n", 1)
	if got := overLimits(t, map[string][]byte{"p/a.go": []byte(long), "p/b_test.go": []byte(longer)}); len(got) != 1 {
		t.Errorf("a function of 61 lines: %q", got)
	}
	wide := "package p\n\n\t" + strings.Repeat("/", 117) + "\n"
	raw := "package p\n\nconst c = `" + strings.Repeat("x", 120) + "`\n"
	many := "package p\n" + strings.Repeat("\n", 500)
	sources := map[string][]byte{"p/a.go": []byte(wide), "p/a_test.go": []byte(wide), "p/b.go": []byte(raw), "p/c.go": []byte(many)}
	if got := overLimits(t, sources); len(got) != 2 {
		t.Errorf("a line of 121 columns and a file of 501 lines: %q", got)
	}
}

// overLimits says which functions, files and lines are too long.
func overLimits(t *testing.T, sources map[string][]byte) (problems []string) {
	t.Helper()
	for name, source := range sources {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(source), "\n"), "\n")
		ofTests := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/testing/")
		if len(lines) > maxFile && !ofTests {
			problems = append(problems, fmt.Sprintf("%s has %d lines, limit %d", name, len(lines), maxFile))
		}
		for i, line := range lines {
			n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if n > maxLine && !ofTests && !inRawText(set, f, i+1) {
				problems = append(problems, fmt.Sprintf("%s:%d has %d columns, limit %d", name, i+1, n, maxLine))
			}
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > maxFunction {
				problems = append(problems, fmt.Sprintf("%s: %s has %d lines, limit %d", name, fn.Name.Name, n, maxFunction))
			}
		}
	}
	return problems
}

// inRawText reports whether a raw string, or the tag of a field, stands on a line.
func inRawText(set *token.FileSet, f *ast.File, line int) (is bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(lit.Value, "`") {
			is = is || set.Position(lit.Pos()).Line <= line && line <= set.Position(lit.End()).Line
		}
		return !is
	})
	return is
}
