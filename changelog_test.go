package scratchpad_test

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// CHANGELOG.md begins with what is not released. The section of the first release names every
// public package. A section is short enough to be read.
func TestChangelog(t *testing.T) {
	sections := strings.Split(testkit.ReadFile(t, "CHANGELOG.md"), "\n## ")
	if !strings.HasPrefix(sections[1], "Unreleased\n") {
		t.Errorf("the first section is %.20q, want Unreleased", sections[1])
	}
	first := sections[len(sections)-1]
	if !strings.HasPrefix(first, "0.1.0\n") {
		t.Fatalf("the last section is %.20q, want 0.1.0", first)
	}
	for _, section := range sections {
		if lines := strings.Count(section, "\n"); lines > 150 {
			t.Errorf("the section %.20q has %d lines, over 150", section, lines)
		}
	}
	for dir := range allowed {
		if dir == "." || strings.Contains("/"+dir+"/", "/internal/") || strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "deploy/") {
			continue
		}
		if !strings.Contains(first, "`"+dir+"`") {
			t.Errorf("the section of 0.1.0 does not name package %s (%s)", path.Base(dir), dir)
		}
	}
}

var unpublished = regexp.MustCompile(`(?i)(no version|nothing)\s+is\s+(published|released)|no\s+release\s+was|until\s+the\s+first\s+release`)

// CONTRIBUTING.md lists each page that says that nothing is published yet, and no other.
func TestUnpublishedIsListed(t *testing.T) {
	_, listed, _ := strings.Cut(testkit.ReadFile(t, "CONTRIBUTING.md"), "Before the first release, take out")
	listed, _, _ = strings.Cut(listed, "say that nothing is published yet")
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md"} {
		pages, _ := filepath.Glob(pattern)
		for _, page := range pages {
			is := strings.Contains(listed, "`"+filepath.ToSlash(page)+"`")
			if page != "CONTRIBUTING.md" && unpublished.MatchString(testkit.ReadFile(t, page)) != is {
				t.Errorf("%s is listed: %t, want %t", page, is, !is)
			}
		}
	}
}
