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
	text, err := os.ReadFile(name)
	testkit.Must(t, err)
	before, rest, ok := strings.Cut(string(text), "\n## The packages\n\n```\n")
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
		text, err := os.ReadFile(document)
		testkit.Must(t, err)
		for _, found := range quotedFile.FindAllStringSubmatch(string(text), -1) {
			name := found[1]
			if _, err := os.Stat(name); err != nil && (strings.Contains(name, "/") || !bases[name]) {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
	}
}

var (
	compareDate  = regexp.MustCompile(`(?m)^As of \d{1,2} [A-Z][a-z]+ 20\d\d\.`)
	compareCodes = regexp.MustCompile(`\(([A-Z]\d?(?:, [A-Z]\d?)*)\)`)
)

// docs/compare.md has a date. Each cell of its tables of products has a source, and each source is
// in its list with a version.
func TestComparisonHasSources(t *testing.T) {
	text, err := os.ReadFile("docs/compare.md")
	testkit.Must(t, err)
	for _, problem := range comparisonProblems(string(text)) {
		t.Error(problem)
	}
}

// The check must be able to fail.
func TestComparisonFindsWhatHasNoSource(t *testing.T) {
	const page = "As of 1 May 2026.\n\nIt is fast (A).\n\n| product | a | b |\n|---|---|---|\n| x | yes (A1) | |\n\n" +
		"## Sources\n\n| code | read | version |\n|---|---|---|\n| A, A1 | a page | 1.0 |\n"
	for _, c := range []struct {
		before, after string
		want          int
	}{
		{"", "", 0},
		{"1 May 2026", "today", 1},
		{"yes (A1)", "yes", 1},
		{"yes (A1)", "yes (A1, B)", 1},
		{"(A).", "(A, B).", 1},
		{"| 1.0 |", "| |", 1},
	} {
		if got := comparisonProblems(strings.Replace(page, c.before, c.after, 1)); len(got) != c.want {
			t.Errorf("%q in place of %q: %q, want %d problems", c.after, c.before, got, c.want)
		}
	}
}

// comparisonProblems says what is missing in a page that compares products.
func comparisonProblems(page string) (problems []string) {
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if !compareDate.MatchString(page) {
		problem("docs/compare.md does not say of which day it is")
	}
	page, list, _ := strings.Cut(page, "\n## Sources\n")
	known := map[string]bool{}
	for line := range strings.Lines(list) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 {
			continue
		}
		if strings.TrimSpace(cells[3]) == "" {
			problem("the source %s has no version", cells[1])
		}
		for _, code := range strings.Split(cells[1], ",") {
			known[strings.TrimSpace(code)] = true
		}
	}
	for _, found := range compareCodes.FindAllStringSubmatch(page, -1) {
		for _, code := range strings.Split(found[1], ", ") {
			if !known[code] {
				problem("%s is not in the list of sources", found[0])
			}
		}
	}
	products := false
	for line := range strings.Lines(page) {
		products = strings.HasPrefix(line, "| product |") || products && strings.HasPrefix(line, "|")
		if !products || strings.HasPrefix(line, "| product |") || strings.HasPrefix(line, "|---") {
			continue
		}
		for _, cell := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")[1:] {
			if strings.TrimSpace(cell) != "" && !compareCodes.MatchString(cell) {
				problem("%q has no source, in %s", strings.TrimSpace(cell), line)
			}
		}
	}
	return problems
}
