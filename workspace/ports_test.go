package workspace_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Every name of package store has an alias, but for those that only a backend needs, and
// those that workspace describes itself.
func TestPortsHaveEveryName(t *testing.T) {
	files, err := filepath.Glob("store/*.go")
	testkit.Must(t, err)
	ports := exported(t, "ports.go")
	names := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "timer.go" { // only authors of a store need a timer
			continue
		}
		for _, name := range exported(t, file) {
			names++
			if !slices.Contains(ports, name) && name != "Retained" {
				t.Errorf("%s: %s has no alias in ports.go", file, name)
			}
		}
	}
	if names < 100 {
		t.Errorf("package store has %d names, which cannot be all", names)
	}
}

// exported returns the names that a file declares, methods aside.
func exported(t *testing.T, file string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	testkit.Must(t, err)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return !ast.IsExported(n) })
}
