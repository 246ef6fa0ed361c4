package scratchpad_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const maxFunction = 60 // lines

// maxPackage returns how many lines and files a package may have, tests aside.
func maxPackage(dir string) (lines, files int) {
	switch dir {
	case "cmd/scratchpad":
		return 6000, 60
	case "workspace/storetest": // all of it are tests
		return 7000, 40
	}
	return 4000, 40
}

// Packages and functions stay small enough to be read.
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
	large := []byte("package p\n" + strings.Repeat("\n", 3999))
	if got := overLimits(t, map[string][]byte{"p/a.go": large, "p/b_test.go": large}); len(got) != 0 {
		t.Errorf("a package of 4000 lines: %q", got)
	}
	if got := overLimits(t, map[string][]byte{"p/a.go": large, "p/b.go": []byte("package p\n")}); len(got) != 1 {
		t.Errorf("a package of 4001 lines: %q", got)
	}
	many := map[string][]byte{}
	for i := range 41 {
		many[fmt.Sprintf("p/%d.go", i)] = []byte("package p\n")
	}
	if got := overLimits(t, many); len(got) != 1 {
		t.Errorf("a package of 41 files: %q", got)
	}
}

// overLimits says which packages and functions are too large.
func overLimits(t *testing.T, sources map[string][]byte) (problems []string) {
	t.Helper()
	lines, files := map[string]int{}, map[string]int{}
	for name, source := range sources {
		if !strings.HasSuffix(name, "_test.go") {
			lines[path.Dir(name)] += bytes.Count(source, []byte("\n"))
			files[path.Dir(name)]++
		}
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
	for dir := range lines {
		if l, f := maxPackage(dir); lines[dir] > l || files[dir] > f {
			problems = append(problems, fmt.Sprintf("%s has %d lines in %d files, limits %d and %d", dir, lines[dir], files[dir], l, f))
		}
	}
	return problems
}
