package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// If something in place of the lock file cannot be opened, the error names it. No link
// is followed.
func TestLockLeft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows waits for a name to become free")
	}
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	for name, leave := range map[string]func(lock string) error{
		"folder": func(lock string) error { return os.Mkdir(lock, 0o755) },
		"link":   func(lock string) error { return os.Symlink(target, lock) },
	} {
		lock := filepath.Join(dir, "."+name+".scratchpad-lock")
		testkit.Must(t, leave(lock))
		if _, err := Lock(filepath.Join(dir, name)); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), lock) {
			t.Errorf("%s: %v, want an error that names %s", name, err, lock)
		}
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

func TestUsualFile(t *testing.T) {
	for _, c := range []struct {
		client string
		places places
		want   string
	}{
		{"claude-desktop", places{system: "darwin", home: "/h"}, "/h/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", places{system: "windows", home: "/h", appData: "/a"}, "/a/Claude/claude_desktop_config.json"},
		{"claude-desktop", places{system: "windows", home: "/h"}, "/h/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"claude-desktop", places{system: "linux", home: "/h"}, "/h/.config/Claude/claude_desktop_config.json"},
		{"cursor", places{home: "/h"}, "/h/.cursor/mcp.json"},
		{"windsurf", places{home: "/h"}, "/h/.codeium/windsurf/mcp_config.json"},
		{"codex", places{home: "/h"}, "/h/.codex/config.toml"},
		{"codex", places{home: "/h", codex: "/c"}, "/c/config.toml"},
		{"vscode", places{home: "/h"}, ".vscode/mcp.json"},
		{"claude-code", places{home: "/h"}, ".mcp.json"},
	} {
		client, ok := Find(c.client)
		if !ok {
			t.Fatalf("there is no client %s", c.client)
		}
		if got := filepath.ToSlash(client.file(c.places)); got != c.want {
			t.Errorf("%s on %+v: %s, want %s", c.client, c.places, got, c.want)
		}
	}
}
