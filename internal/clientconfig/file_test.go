package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
			_, err := editFile(file, 0o644, func([]byte) ([]byte, error) {
				write(t, file, c.theirs)
				return []byte("ours"), nil
			})
			if !errors.Is(err, ErrChanged) || testkit.ReadFile(t, file) != c.theirs {
				t.Errorf("editFile = %v, want a conflict; the file holds %q, want %q", err, testkit.ReadFile(t, file), c.theirs)
			}
		})
	}
}

// The value of a variable is in the file and nowhere else, and no other user can read
// it there.
func TestWriteKey(t *testing.T) {
	const key = "sk-not-to-be-seen"
	client, _ := Find("claude-desktop")
	file := filepath.Join(t.TempDir(), "new folder", "client.json")
	server := client.PassVariable(testServer, "A_KEY", key)
	r, err := client.Write(file, "scratchpad", server)
	testkit.Must(t, err)
	if want := (Result{File: file, Changed: []string{"scratchpad: added to mcpServers"}}); !cmp.Equal(r, want) {
		t.Errorf("a new file: %+v, want %+v", r, want)
	}
	if text := testkit.ReadFile(t, file); !strings.Contains(text, key) || strings.Contains(client.Snippet("scratchpad", server.Redacted()), key) {
		t.Errorf("the key is not in the file, or in the redacted entry: %s", text)
	}
	testkit.Must(t, os.Chmod(file, 0o644))
	server.Env = map[string]string{"A_KEY": "sk-another"}
	r, err = client.Write(file, "scratchpad", server)
	testkit.Must(t, err)
	if runtime.GOOS == "windows" {
		return
	}
	if !r.Private || !cmp.Equal(r.Changed, []string{"scratchpad: env A_KEY is set"}) {
		t.Errorf("another key: %+v", r)
	}
	for _, name := range []string{r.File, r.Backup} {
		info, err := os.Stat(name)
		testkit.Must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", name, info.Mode())
		}
	}
}

// A line break in the file's name makes no line in an error.
func TestNameOnOneLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a\nb.json")
	if os.WriteFile(file, []byte("{"), 0o600) != nil {
		t.Skip("no such names here")
	}
	client, _ := Find("cursor")
	if _, err := client.Write(file, "scratchpad", testServer); !errors.Is(err, ErrInvalid) || strings.Contains(err.Error(), "\n") {
		t.Errorf("Write = %v, want %v on one line", err, ErrInvalid)
	}
}
