package scratchpad_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
