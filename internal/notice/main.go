// Command notice prints the file NOTICE: the licences of everything that is linked into
// scratchpad, for all systems that it is released for.
//
//	go run ./internal/notice >NOTICE
//
// The output depends only on go.mod and on the licence of Go. A licence that the
// table in licence.go does not know is an error. google/go-licenses looks at one system,
// leaves out the standard library and files that are named NOTICE, and asks the network.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const program = "github.com/agent-scratchpad/scratchpad/cmd/scratchpad"

// systems are those that scratchpad is released for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	golang, err := goModule()
	if err != nil {
		return err
	}
	var texts []text
	for _, m := range append([]module{golang}, modules...) {
		found, err := m.texts()
		if err != nil {
			return err
		}
		texts = append(texts, found...)
	}
	return write(out, texts)
}

// A module is linked into the program, with the folders of its linked packages.
type module struct {
	Name string // path and version
	Path string
	Dir  string
	Dirs map[string]bool // of packages
}

// goModule is the standard library and the runtime, which every program links.
func goModule() (module, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	dir := strings.TrimSpace(string(root))
	return module{Name: "the Go standard library and runtime", Path: "std", Dir: dir}, err
}

// linked returns the modules that the program links on any system, by path.
func linked() ([]module, error) {
	modules := map[string]module{}
	for _, system := range systems {
		if err := addLinked(modules, system); err != nil {
			return nil, fmt.Errorf("packages for %s: %w", system, err)
		}
	}
	return slices.SortedFunc(maps.Values(modules), func(a, b module) int { return strings.Compare(a.Name, b.Name) }),
		nil
}

func addLinked(modules map[string]module, system string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module", program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
	cmd.Stderr = os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return err
	}
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var pkg struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if pkg.Module == nil || pkg.Module.Main { // the standard library, or this module
			continue
		}
		name := pkg.Module.Path + " " + pkg.Module.Version
		if _, known := modules[name]; !known {
			modules[name] = module{Name: name, Path: pkg.Module.Path, Dir: pkg.Module.Dir, Dirs: map[string]bool{}}
		}
		modules[name].Dirs[pkg.Dir] = true
	}
}

// write writes the list of texts, then each different text once.
func write(out io.Writer, texts []text) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, `This file is made by: go run ./internal/notice >NOTICE

Scratchpad itself is under the MIT licence, in the file LICENSE. The scratchpad
binary also contains the third-party software in this list. The full texts of the
licences follow the list.

`)
	var order []string
	users := map[string][]string{}
	for _, t := range texts {
		fmt.Fprintf(w, "%s: %s (%s)\n", t.module, strings.Join(t.licences, ", "), t.file)
		if users[t.content] == nil {
			order = append(order, t.content)
		}
		users[t.content] = append(users[t.content], t.module+", "+t.file)
	}
	for _, content := range order {
		fmt.Fprintf(w, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(users[content], "\n"), content)
	}
	return w.Flush()
}

// folders are the folders between that of a module and those of its linked packages.
func (m module) folders() []string {
	folders := map[string]bool{m.Dir: true}
	for dir := range m.Dirs {
		for ; len(dir) > len(m.Dir); dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(folders))
}
