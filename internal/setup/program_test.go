package setup

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A program is found by its build, wherever that stands in the file.
func TestIsOurs(t *testing.T) {
	ours := strings.Join([]string{infoBegin, module, "/cmd/scratchpad\nmod\t"}, "")
	const part = 1 << 20
	for _, c := range []struct {
		before int
		text   string
		want   bool
	}{
		{0, ours, true}, {part - 5, ours, true}, {part, ours, true}, {2*part - len(ours) + 1, ours, true}, {3*part - 1, ours, true},
		{0, infoBegin + "example.com/other\nmod\t" + module + "/cmd/scratchpad", false},
		{0, module + "/cmd/scratchpad", false}, {part, ours[:len(ours)-8], false}, {0, "", false},
	} {
		name := filepath.Join(t.TempDir(), "program")
		content := append(bytes.Repeat([]byte{'x'}, c.before), c.text...)
		testkit.Must(t, os.WriteFile(name, content, 0o700))
		if got := isOurs(name); got != c.want {
			t.Errorf("%d bytes and %q: %v, want %v", c.before, c.text, got, c.want)
		}
	}
	if self, err := os.Executable(); err != nil || isOurs(self) {
		t.Errorf("the program of the test is one of ours, %v", err)
	}
}
