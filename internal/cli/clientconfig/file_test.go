package clientconfig

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
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
			p, err := Change{File: file, edit: func([]byte) ([]byte, []string, error) { return []byte("ours"), []string{""}, nil }}.Preview()
			testkit.Must(t, err)
			write(t, file, c.theirs)
			err = p.Write()
			if !errors.Is(err, store.ErrConflict) || testkit.ReadFile(t, file) != c.theirs {
				t.Errorf("Write = %v, want a conflict; the file holds %q, want %q", err, testkit.ReadFile(t, file), c.theirs)
			}
		})
	}
}

func TestUsualFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the home folder is set as on Unix")
	}
	t.Setenv("HOME", "/h")
	for _, c := range []struct{ client, system, appData, codex, want string }{
		{"claude-desktop", "darwin", "", "", "/h/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", "/a", "", "/a/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", "", "", "/h/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"claude-desktop", "linux", "", "", "/h/.config/Claude/claude_desktop_config.json"},
		{"cursor", "linux", "", "", "/h/.cursor/mcp.json"},
		{"windsurf", "linux", "", "", "/h/.codeium/windsurf/mcp_config.json"},
		{"codex", "linux", "", "", "/h/.codex/config.toml"},
		{"codex", "linux", "", "/c", "/c/config.toml"},
		{"vscode", "linux", "", "", "/h/.config/Code/User/mcp.json"},
		{"vscode", "windows", "/a", "", "/a/Code/User/mcp.json"},
		{"claude-code", "linux", "", "", "/h/.claude.json"},
		{"opencode", "linux", "", "", "/h/.config/opencode/opencode.json"},
		{"zed", "linux", "", "", "/h/.config/zed/settings.json"},
		{"zed", "windows", "/a", "", "/a/Zed/settings.json"},
		{"gemini-cli", "darwin", "", "", "/h/.gemini/settings.json"},
	} {
		t.Setenv("XDG_CONFIG_HOME", "")
		t.Setenv("CLAUDE_CONFIG_DIR", "")
		t.Setenv("APPDATA", c.appData)
		t.Setenv("CODEX_HOME", c.codex)
		client, ok := Find(c.client)
		if !ok {
			t.Fatalf("there is no client %s", c.client)
		}
		if got, err := expand(client.file, c.system); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v, want %s", c, got, err, c.want)
		}
	}
}
