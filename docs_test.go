package scratchpad_test

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/golden"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// docs/design.md lists every package with the first sentence of its comment.
func TestPackagesAreListed(t *testing.T) {
	const name = "docs/design.md"
	before, rest, ok := strings.Cut(testkit.ReadFile(t, name), "\n## The packages\n\n```\n")
	_, after, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("docs/design.md has no list under the heading The packages")
	}
	golden.Check(t, name, before+"\n## The packages\n\n```\n"+packageList(t)+"```\n"+after)
}

// packageList has a line for each package: its folder and what its comment says.
func packageList(t *testing.T) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(".", func(folder string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case folder != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasOwnModule(folder)):
			return fs.SkipDir
		}
		if synopsis := synopsisOf(t, folder); synopsis != "" && folder != "." {
			fmt.Fprintf(&list, "%-32s %s\n", filepath.ToSlash(folder), synopsis)
		}
		return nil
	})
	testkit.Must(t, err)
	return list.String()
}

var subject = regexp.MustCompile(`^(Package|Command) \w+ `)

// synopsisOf returns the first sentence of a package's comment without its subject, "" if the
// folder has no package that is not a test.
func synopsisOf(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	testkit.Must(t, err)
	found := false
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		found = true
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		testkit.Must(t, err)
		if f.Doc != nil {
			said := subject.ReplaceAllString(new(doc.Package).Synopsis(f.Doc.Text()), "")
			return strings.NewReplacer("[", "", "]", "").Replace(strings.TrimRight(said, ".:"))
		}
	}
	if found {
		t.Errorf("no file of package %s has a comment that says what it is", folder)
	}
	return ""
}

var quotedFile = regexp.MustCompile("`([A-Za-z0-9_./-]+\\.(?:go|sql|md|txtar|yaml))`")

// Documents for developers name files that exist. A name without a folder is that of a file in
// any folder.
func TestNamedFilesExist(t *testing.T) {
	bases := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		bases[filepath.Base(name)] = true
		return err
	})
	testkit.Must(t, err)
	for _, document := range []string{"CONTRIBUTING.md", "docs/design.md"} {
		for _, found := range quotedFile.FindAllStringSubmatch(testkit.ReadFile(t, document), -1) {
			name := found[1]
			if _, err := os.Stat(name); err != nil && (strings.Contains(name, "/") || !bases[name]) {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
	}
}
