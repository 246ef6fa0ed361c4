package scratchpad_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const maxFunction = 60 // lines

// Functions stay small enough to be read. A package may be as long as its one noun needs.
func TestLimits(t *testing.T) {
	sources := map[string][]byte{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasOwnModule(name)):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		sources[filepath.ToSlash(name)], err = os.ReadFile(name)
		return err
	})
	if err != nil || len(sources) == 0 {
		t.Fatalf("reading the module: %v, %d files", err, len(sources))
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
}

// overLimits says which functions are too long.
func overLimits(t *testing.T, sources map[string][]byte) (problems []string) {
	t.Helper()
	for name, source := range sources {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
		if err != nil {
			problems = append(problems, err.Error())
			continue
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
