package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func write(t *testing.T, file, content string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(file, []byte(content), 0o600))
}

// A file that another program has made or changed meanwhile stays.
func TestFileChangedMeanwhile(t *testing.T) {
	for _, c := range []struct{ name, before, theirs string }{
		{"New", "none", "{}"}, {"NewEmpty", "none", ""}, {"Changed", "{}", "{\"a\": 1}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "mcp.json")
			if c.before != "none" {
				write(t, file, c.before)
			}
			_, err := editFile(file, func([]byte) ([]byte, error) {
				write(t, file, c.theirs)
				return []byte("ours"), nil
			})
			if !errors.Is(err, ErrChanged) || testkit.ReadFile(t, file) != c.theirs {
				t.Errorf("editFile = %v, want a conflict; the file holds %q, want %q", err, testkit.ReadFile(t, file), c.theirs)
			}
		})
	}
}

// A line break in the file's name makes no line in an error.
func TestNameOnOneLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a\nb.json")
	if os.WriteFile(file, []byte("{"), 0o600) != nil {
		t.Skip("no such names here")
	}
	client, _ := Find("cursor")
	if _, err := client.AddServer(file, "scratchpad", testServer).Write(); !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), "\n") {
		t.Errorf("Write = %v, want %v on one line", err, ErrInvalid)
	}
}
