// Command typecheck checks the types of packages and of their tests for other systems:
//
//	go run ./internal/typecheck -systems linux/arm64,darwin/arm64 ./...
//
// It compiles nothing, and takes a tenth of the time of go build and go vet. It finds what is
// missing or has another type on those systems. Of packages outside of the main module it
// checks the declarations alone. A function without a body that is nowhere is found only by
// go build, because that links.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

func main() {
	systems := flag.String("systems", runtime.GOOS+"/"+runtime.GOARCH, "the systems to check for, with commas between them")
	flag.Parse()
	failed := false
	for system := range strings.SplitSeq(*systems, ",") {
		n, err := check(".", system, flag.Args()...)
		if err != nil {
			fmt.Fprintf(os.Stderr, "typecheck: %s:\n%v\n", system, err)
			failed = true
			continue
		}
		fmt.Printf("%s: %d packages\n", system, n)
	}
	if failed {
		os.Exit(1)
	}
}

// A listed package is what go list says of it. Its tests are packages too.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string // from imports to import paths, where they differ
	Module          *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

// own reports whether the package is of the main module.
func (p listed) own() bool { return p.Module != nil && p.Module.Main }

// check checks packages for a system, such as darwin/arm64. It returns how many packages of the
// main module it has checked. The error has all that is wrong, one problem a line.
func check(dir, system string, patterns ...string) (n int, err error) {
	all, err := list(dir, system, patterns)
	if err != nil {
		return 0, err
	}
	_, arch, _ := strings.Cut(system, "/")
	c := checker{files: token.NewFileSet(), sizes: types.SizesFor("gc", arch), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	if c.sizes == nil {
		return 0, fmt.Errorf("there is no system %q", system)
	}
	for _, p := range all { // in an order in which imports come before those who import them
		if _, known := c.done[p.ImportPath]; known || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		if err := c.check(p); err != nil {
			return 0, err
		}
		if p.own() {
			n++
		}
	}
	return n, errors.Join(c.problems...)
}

// list asks the Go tool for packages, their tests, and all that they import.
func list(dir, system string, patterns []string) (all []listed, err error) {
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", append([]string{"list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module,Error"}, patterns...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &said)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if p.Error != nil {
			return nil, fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		all = append(all, p)
	}
}

// A checker has the packages that are checked already, by import path.
type checker struct {
	files    *token.FileSet
	sizes    types.Sizes
	done     map[string]*types.Package
	problems []error
}

func (c *checker) check(p listed) error {
	files, err := c.parse(p)
	if err != nil {
		return err
	}
	config := types.Config{
		Importer: imports{c, p}, Sizes: c.sizes, IgnoreFuncBodies: !p.own(),
		Error: func(err error) { c.problems = append(c.problems, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	c.done[p.ImportPath], _ = config.Check(path, c.files, files, nil) // Error has had the error
	return nil
}

// parse parses the files of a package, all at once.
func (c *checker) parse(p listed) ([]*ast.File, error) {
	files, errs := make([]*ast.File, len(p.GoFiles)), make([]error, len(p.GoFiles))
	var parsing sync.WaitGroup
	for i, name := range p.GoFiles {
		parsing.Go(func() {
			files[i], errs[i] = parser.ParseFile(c.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		})
	}
	parsing.Wait()
	return files, errors.Join(errs...)
}

// imports are the packages that a package imports.
type imports struct {
	c *checker
	p listed
}

// Import implements [types.Importer].
func (i imports) Import(path string) (*types.Package, error) {
	if to, ok := i.p.ImportMap[path]; ok {
		path = to
	}
	if found := i.c.done[path]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("go list does not tell of %s", path)
}
