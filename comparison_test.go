package scratchpad_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var (
	compareDate  = regexp.MustCompile(`(?m)^As of \d{1,2} [A-Z][a-z]+ 20\d\d\.`)
	compareCodes = regexp.MustCompile(`\(([A-Z]\d?(?:, [A-Z]\d?)*)\)`)
)

// docs/compare.md has a date. Each cell of its tables of products has a source, and each source is
// in its list with a version.
func TestComparisonHasSources(t *testing.T) {
	for _, problem := range comparisonProblems(testkit.ReadFile(t, "docs/compare.md")) {
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
