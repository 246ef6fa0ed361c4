package clientconfig

import (
	"path/filepath"
	"testing"
)

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
