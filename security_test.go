package scratchpad_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Each test that SECURITY.md names is there.
func TestSecurityNamesTests(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	testkit.Must(t, err)
	named := regexp.MustCompile("`([a-z0-9_/]+)\\.(Test\\w+)`").FindAllSubmatch(text, -1)
	if len(named) < 20 {
		t.Errorf("SECURITY.md names %d tests", len(named))
	}
	for _, n := range named {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(string(n[1])), "*_test.go"))
		testkit.Must(t, err)
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			testkit.Must(t, err)
			found = found || regexp.MustCompile(`(?m)^func `+string(n[2])+`\(`).Match(source)
		}
		if !found {
			t.Errorf("SECURITY.md names %s in %s, and there is no such test", n[2], n[1])
		}
	}
}
