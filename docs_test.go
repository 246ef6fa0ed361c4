package scratchpad_test

import (
	"cmp"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
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

var subject = regexp.MustCompile(`^(Package|Command) \w+ `)

// packageList has a line for each package: its folder and the first sentence of its comment.
func packageList(t *testing.T) string {
	t.Helper()
	says := map[string]string{}
	for _, name := range goFiles(t) {
		if folder := path.Dir(name); folder != "." && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
			testkit.Must(t, err)
			says[folder] = cmp.Or(says[folder], new(doc.Package).Synopsis(f.Doc.Text()))
		}
	}
	var list strings.Builder
	for _, folder := range slices.Sorted(maps.Keys(says)) {
		if says[folder] == "" {
			t.Errorf("no file of package %s has a comment that says what it is", folder)
		}
		said := strings.TrimRight(subject.ReplaceAllString(says[folder], ""), ".:")
		fmt.Fprintf(&list, "%-32s %s\n", folder, strings.NewReplacer("[", "", "]", "").Replace(said))
	}
	return list.String()
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
