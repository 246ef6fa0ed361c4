package code_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/outline/code"
)

// files returns the files of a folder of the Go distribution whose names have one
// of the ends.
func files(t *testing.T, dir string, ends ...string) []string {
	var found []string
	err := filepath.WalkDir(filepath.Join(testkit.GoRoot(t), dir), func(path string, d fs.DirEntry, err error) error {
		for _, end := range ends {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, end) {
				found = append(found, path)
			}
		}
		return err
	})
	testkit.Must(t, err)
	return found
}

// Every declaration that go/parser sees is there, with its line, and no other. All files of
// the distribution: SCRATCHPAD_TEST=full go test ./outline/code -run TestGoDeclarations
func TestGoDeclarations(t *testing.T) {
	dirs := []string{"src/net/http", "src/go/parser", "src/runtime", "src/strings", "src/cmd/gofmt", "src/syscall", "src/internal/types/testdata/check"}
	switch {
	case testkit.Full():
		dirs = []string{"src", "test"}
	case testkit.Long():
		dirs = append(dirs, "src/cmd/go", "src/go", "test")
	}
	n := 0
	for _, dir := range dirs {
		for _, file := range files(t, dir, ".go") {
			content := testkit.ReadFile(t, file)
			want := declarations(content)
			if len(want) == 0 { // it does not parse, or is comments
				continue
			}
			_, defs := code.Find(file).Outline(content)
			got := map[int]string{}
			for _, d := range defs {
				got[d.Line] += d.Text + "\n"
				if want[d.Line] == nil {
					t.Errorf("%s:%d: nothing is declared at %q", file, d.Line, d.Text)
				}
			}
			for line, names := range want {
				for _, name := range names {
					if !strings.Contains(got[line], name) {
						t.Errorf("%s:%d: %s is not in %q", file, line, name, got[line])
					}
				}
			}
			n++
		}
	}
	t.Logf("%d files", n)
}

// declarations returns the names declared at the top of a Go file, by line; none
// where it does not parse.
func declarations(content string) map[int][]string {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", content, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	found := map[int][]string{}
	note := func(pos token.Pos, name string) {
		if name != "_" {
			line := set.PositionFor(pos, false).Line
			found[line] = append(found[line], name)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			note(d.Pos(), "func")
			if d.Name.Name != "_" {
				note(d.Pos(), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				pos := spec.Pos()
				if !d.Lparen.IsValid() {
					pos = d.Pos()
				}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					note(pos, spec.Name.Name)
				case *ast.ValueSpec:
					note(pos, spec.Names[0].Name)
				}
			}
		}
	}
	return found
}

// Of definitions of other languages whose lines cannot be mistaken, such as
// "def name(" in the first column, at least 98 % are there.
func TestDefinitionsOfTheGoDistribution(t *testing.T) {
	for _, c := range []struct {
		dir, end, sure string
		least          int
	}{
		{"src", ".s", `(?m)^TEXT\s+([^\s,(]+)`, 1000},
		{"src", ".c", `(?m)^([a-z]\w+)\([^;{}]*\)\n\{`, 100},
		{"src", ".h", `(?m)^(?:extern|void|int|char) [\w *]*?(\w+)\([^(){};]*\);`, 20},
		{"src", ".js", `(?m)^(?:async )?function (\w+)\(`, 10},
		{"src", ".py", `(?m)^(?: {4})?(?:def|class) (\w+)`, 20},
		{"src", ".sh", `(?m)^(\w+) ?\(\) ?\{`, 1},
		{"src", ".bash", `(?m)^(\w+) ?\(\) ?\{`, 1},
		{"src", ".pl", `(?m)^sub (\w+)`, 1},
	} {
		sure := regexp.MustCompile(c.sure)
		all, found := 0, 0
		for _, file := range files(t, c.dir, c.end) {
			content := testkit.ReadFile(t, file)
			if !utf8.ValidString(content) {
				continue
			}
			_, defs := code.Find(file).Outline(content)
			got := map[int]string{}
			for _, d := range defs { // one may begin above the line with its name
				for line := d.Line; line < d.Line+3; line++ {
					got[line] += d.Text
				}
			}
			for _, m := range sure.FindAllStringSubmatchIndex(content, -1) {
				if notNames[content[m[2]:m[3]]] {
					continue
				}
				all++
				if line := 1 + strings.Count(content[:m[2]], "\n"); strings.Contains(got[line], content[m[2]:m[3]]) {
					found++
				} else if testing.Verbose() {
					t.Logf("%s:%d: %s", file, line, content[m[0]:m[1]])
				}
			}
		}
		t.Logf("%s: %d of %d", c.end, found, all)
		if all < c.least || found*100 < all*98 {
			t.Errorf("%s: %d of %d found, want 98 %% of at least %d", c.end, found, all, c.least)
		}
	}
}

var notNames = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true}
