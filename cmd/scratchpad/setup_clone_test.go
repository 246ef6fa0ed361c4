package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// cloneOf returns an account with nothing to install, and a program of somebody else that
// makes a file when it starts.
func cloneOf(t *testing.T) (a *account, evil, made string) {
	t.Helper()
	a = newAccount(t)
	a.path = filepath.Dir(a.program)
	evil, made = filepath.Join(a.project, "evil"), filepath.Join(a.home, "made")
	testkit.Must(t, os.WriteFile(evil, []byte("#!/bin/sh\n: >"+made+"\n"), 0o755))
	return a, evil, made
}

// In a cloned repository an entry that setup did not write is shown. Nothing of it is
// started, kept or made a hook of, whatever the command line says.
func TestSetupStartsNothingOfAProject(t *testing.T) {
	t.Parallel()
	a, evil, made := cloneOf(t)
	own := `"command": "` + a.program + `", "args": ["mcp", "--agent", "shop", "--max-read-tokens", "20000"]`
	const theirs = `, "args": ["mcp", "--db", "theirs.db", "--agent", "shop", "--max-read-tokens", "20000"]}`
	for i, entry := range []string{
		`{"command": "` + evil + `", "args": ["mcp"]}`,
		`{"command": "` + a.program + `"` + theirs,
		`{"command": "` + a.program + `", "args": ["mcp", "--agent", "$(` + evil + `)"]}`,
		`{` + own + `, "env": {"SCRATCHPAD_DB": "theirs-not-shown.db"}}`,
		`{"type": "stdio", ` + own + `, "envFile": "./.env"}`,
		`{"type": "http", "url": "https://memory.example.com/mcp"}`,
		`"a text"`,
	} {
		files := []string{a.install(t, "claude-code", `{"mcpServers": {"scratchpad": `+entry+`}}`), a.install(t, "vscode", `{"servers": {"scratchpad": `+entry+`}}`)}
		before := a.tree(t)
		lines := [][]string{{"--yes"}, {"--yes", "--agent", "mine"}, {"--yes", "--db", filepath.Join(a.home, "mine.db")}}
		if i > 0 {
			lines = lines[:1]
		}
		for _, args := range lines {
			o := a.run(t, append([]string{"setup", "--client", "claude-code", "--client", "vscode"}, args...)...)
			o.must(t, 4, files[0]+" has a server scratchpad that setup did not write", files[1]+" has a server", "remove that one and run setup again")
			if shown := `"--agent","$(`; strings.Contains(entry, "$(") != strings.Contains(o.err, shown) || strings.Contains(o.err, "theirs-not-shown") {
				t.Errorf("%s is shown as %s", entry, o.err)
			}
		}
		a.mustBe(t, before, entry)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the foreign program was started")
	}
}

// The other clients are set up, and the client too once the entry is gone or is just what
// setup writes. What comes into the entry afterwards, as by git pull, is foreign again.
func TestSetupAfterForeignEntry(t *testing.T) {
	t.Parallel()
	a, evil, _ := cloneOf(t)
	file := a.install(t, "claude-code", `{"mcpServers": {"scratchpad": {}}}`)
	a.run(t, "setup", "--yes", "--client", "claude-code", "--client", "cursor").must(t, 4, "Cursor: the server starts", "Claude Code: ")
	var printed clientConfig
	testkit.Must(t, json.Unmarshal([]byte(a.run(t, "client-config", "claude-code", "--json").out), &printed))
	text := printed.Snippet
	testkit.Must(t, os.WriteFile(file, []byte(text), 0o644))
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 0, "Claude Code: the server starts")
	hook := testkit.ReadFile(t, filepath.Join(a.project, ".claude", "settings.local.json"))
	for _, change := range [][2]string{{`"args": [`, `"env": {"A": "1"}, "args": [`}, {`"mcp", `, `"mcp", "--db", "x.db", `}, {a.program, evil}} {
		testkit.Must(t, os.WriteFile(file, []byte(strings.Replace(text, change[0], change[1], 1)), 0o644))
		changed := testkit.ReadFile(t, file)
		a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 4, "setup did not write")
		if changed == text || testkit.ReadFile(t, file) != changed || testkit.ReadFile(t, filepath.Join(a.project, ".claude", "settings.local.json")) != hook {
			t.Errorf("the changed entry %s is now %s", changed, testkit.ReadFile(t, file))
		}
	}
	testkit.Must(t, os.WriteFile(file, []byte(strings.Replace(text, "{", "{\n  \"mine\": 1,", 1)), 0o644))
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 0, "Nothing was to be changed.")
}

// A link in a repository that leads out of the folder is not followed. The hooks of one user
// are not reached by any link.
func TestSetupFollowsNoLinkOutOfTheProject(t *testing.T) {
	for _, c := range []struct{ name, link, to, client string }{
		{"File", ".mcp.json", "../outside/settings.json", "claude-code"},
		{"Nowhere", ".mcp.json", "../outside/none.json", "claude-code"},
		{"Folder", ".vscode", "../outside", "vscode"},
		{"FileInFolder", ".vscode/mcp.json", "../../outside/settings.json", "vscode"},
		{"UsersSettings", ".claude/settings.local.json", "../../outside/settings.json", "claude-code"},
		{"HookNowhere", ".claude/settings.local.json", "../../outside/none.json", "claude-code"},
		{"SharedSettings", ".claude/settings.local.json", "settings.json", "claude-code"},
		{"HookFolderInside", ".claude", "inside", "claude-code"},
		{"TwoLinks", ".mcp.json", "inside/away/settings.json", "claude-code"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, _, _ := cloneOf(t)
			outside, inside, link := filepath.Join(a.home, "outside"), filepath.Join(a.project, "inside"), filepath.Join(a.project, c.link)
			testkit.Must(t, errors.Join(os.Mkdir(outside, 0o755), os.Mkdir(inside, 0o755), os.MkdirAll(filepath.Dir(link), 0o755)))
			for _, name := range []string{filepath.Join(outside, "settings.json"), filepath.Join(filepath.Dir(link), "settings.json")} {
				testkit.Must(t, os.WriteFile(name, []byte("{}\n"), 0o644))
			}
			testkit.Must(t, errors.Join(os.Symlink(outside, filepath.Join(inside, "away")), os.Symlink(c.to, link)))
			before := a.tree(t)
			a.run(t, "setup", "--yes", "--client", c.client).must(t, 2, link, "link", "remove")
			after := a.tree(t)
			for name, what := range after {
				if (strings.HasPrefix(name, outside) || strings.HasSuffix(name, "/settings.json")) && before[name] != what {
					t.Errorf("%s has changed", name)
				}
			}
		})
	}
	a, _, _ := cloneOf(t)
	testkit.Must(t, errors.Join(os.Mkdir(filepath.Join(a.project, "config"), 0o755), os.Symlink("config/mcp.json", filepath.Join(a.project, ".mcp.json")),
		os.WriteFile(filepath.Join(a.project, "config", "mcp.json"), []byte("{}"), 0o644)))
	before := a.tree(t)
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 0, "Claude Code: the server starts")
	a.run(t, "setup", "--undo").must(t, 0)
	a.mustBe(t, before, "--undo")
}
