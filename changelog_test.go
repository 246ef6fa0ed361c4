package scratchpad_test

import (
	"path"
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
