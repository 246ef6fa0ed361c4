package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
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

// sharing are the command lines that write a file of a project.
var sharing = map[string][]string{".mcp.json": {"setup", "--share"}, ".cursor/mcp.json": {"setup", "--client", "cursor", "--project", "."}}

// An entry that setup did not write is shown, in the user's own file and in that of a cloned
// repository. Nothing of it is started, kept or made a hook of, whatever the command line says.
func TestSetupStartsNothingOfAProject(t *testing.T) {
	t.Parallel()
	a, evil, made := cloneOf(t)
	own := `"command": "` + a.program + `", "args": ["mcp", "--project", ".", "--max-read-tokens", "20000"]`
	const theirs = `, "args": ["mcp", "--db", "theirs.db", "--project", ".", "--max-read-tokens", "20000"]}`
	for i, entry := range []string{
		`{"command": "` + evil + `", "args": ["mcp"]}`,
		`{"command": "` + a.program + `"` + theirs,
		`{"command": "` + a.program + `", "args": ["mcp", "--agent", "$(` + evil + `)"]}`,
		`{` + own + `, "env": {"SCRATCHPAD_DB": "theirs-not-shown.db"}}`,
		`{"type": "stdio", ` + own + `, "envFile": "./.env"}`,
		`{"type": "http", "url": "https://memory.example.com/mcp"}`,
		`"a text"`,
	} {
		text := `{"mcpServers": {"scratchpad": ` + entry + `}}`
		files := map[string][]string{a.install(t, "claude-code", text): {"setup", "--client", "claude-code"}}
		for name, args := range sharing {
			name = filepath.Join(a.project, name)
			testkit.Must(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)))
			files[name] = args
		}
		before := contents(t, a.home)
		for file, args := range files {
			for _, more := range [][]string{nil, {"--agent", "mine"}, {"--tenant", "mine"}}[:max(1, 3-2*i)] {
				o := a.run(t, slices.Concat(args, []string{"--yes", "--dry-run"}, more)...)
				o.must(t, 4, file+" has a server scratchpad that setup did not write", "remove that one", "and run setup again")
				if how := "that one with claude mcp remove -s user scratchpad,"; strings.Contains(o.err, how) != (args[1] == "--client" && args[2] == "claude-code") {
					t.Errorf("%s: setup says %s", file, o.err)
				}
				if shown := `"--agent","$(`; strings.Contains(entry, "$(") != strings.Contains(o.err, shown) || strings.Contains(o.err, "theirs-not-shown") {
					t.Errorf("%s is shown as %s", entry, o.err)
				}
			}
			if !strings.Contains(file, ".cursor") { // whose own file is written
				a.run(t, append(args, "--yes")...).must(t, 4)
			}
		}
		a.mustBe(t, before, entry)
		a.run(t, "setup", "--yes", "--client", "cursor", "--project", ".").must(t, 4, "Cursor: the server starts")
		a.run(t, "setup", "--yes", "--undo").must(t, 0)
		if contents(t, a.home)[filepath.Join(a.project, ".cursor/mcp.json")] != before[filepath.Join(a.project, ".cursor/mcp.json")] {
			t.Errorf("the file of the project has changed, %s", entry)
		}
	}
	testkit.Must(t, os.Remove(filepath.Join(a.project, ".cursor/mcp.json")))
	a.run(t, "setup", "--yes", "--client", "cursor", "--project", ".").must(t, 0, "Restart Cursor in "+a.project+", and say", "in "+a.project+":\n  scratchpad files cat START.md\n")
	if _, err := os.Stat(made); err == nil {
		t.Error("the foreign program was started")
	}
}

// The client is set up once the entry is gone or is just what setup writes. What comes into the
// entry of a project afterwards, as by git pull, is foreign again. Undo leaves it.
func TestSetupAfterForeignEntry(t *testing.T) {
	t.Parallel()
	a, evil, _ := cloneOf(t)
	own := a.install(t, "claude-code", `{"mcpServers": {"scratchpad": {}}}`)
	a.run(t, "setup", "--yes", "--client", "claude-code", "--client", "cursor").must(t, 4, "Cursor: the server starts", "Claude Code: ")
	a.install(t, "codex", "[mcp_servers.scratchpad]\ncommand = 'x'\n")
	a.run(t, "setup", "--yes", "--client", "codex").must(t, 4, "remove that one with codex mcp remove scratchpad, and run setup again")
	var printed clientConfig
	testkit.Must(t, json.Unmarshal([]byte(a.run(t, "client-config", "claude-code", "--json").out), &printed))
	testkit.Must(t, os.WriteFile(own, []byte(printed.Snippet), 0o644))
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 0, "Claude Code: the server starts")

	file := filepath.Join(a.project, ".mcp.json")
	a.run(t, "setup", "--yes", "--share").must(t, 0, "Each colleague approves the server once")
	text := testkit.ReadFile(t, file)
	if strings.Contains(text, a.home) || !strings.Contains(text, `"command": "scratchpad",`) || !strings.Contains(text, `["mcp", "--project", ".", `) {
		t.Errorf("a team gets %s", text)
	}
	named := filepath.Join(a.home, "named") // by the user
	testkit.Must(t, os.Symlink(a.project, named))
	a.run(t, "setup", "--yes", "--share", "--project", named).must(t, 0, "Nothing was to be changed")
	for _, change := range [][2]string{{`"args": [`, `"env": {"A": "1"}, "args": [`}, {`"mcp", `, `"mcp", "--db", "x.db", `}, {`"scratchpad",`, `"` + evil + `",`}} {
		changed := strings.Replace(text, change[0], change[1], 1)
		testkit.Must(t, os.WriteFile(file, []byte(changed), 0o644))
		a.run(t, "setup", "--yes", "--share").must(t, 4, "setup did not write")
		if changed == text || testkit.ReadFile(t, file) != changed {
			t.Errorf("the changed entry %s is now %s", changed, testkit.ReadFile(t, file))
		}
	}
	a.run(t, "setup", "--yes", "--undo").must(t, 0, "somebody else has changed the entry")
	if !strings.Contains(testkit.ReadFile(t, file), evil) {
		t.Error("undo has edited the changed entry")
	}
}

// No link is followed in a project, and none in place of the user's own file.
func TestSetupFollowsNoLinkOutOfTheProject(t *testing.T) {
	cursor := []string{"--client", "cursor", "--project", "."}
	claude := []string{"--client", "claude-code"}
	for _, c := range []struct {
		name, link, to string
		args           []string
	}{
		{"File", "shop/.mcp.json", "../outside/settings.json", []string{"--share"}},
		{"Nowhere", "shop/.mcp.json", "../outside/none.json", []string{"--share"}},
		{"TwoLinks", "shop/.mcp.json", "inside/away/settings.json", []string{"--share"}},
		{"Folder", "shop/.cursor", "../outside", cursor},
		{"FileInFolder", "shop/.cursor/mcp.json", "../../outside/settings.json", cursor},
		{"Own", ".cursor/mcp.json", "../outside/settings.json", cursor[:2]},
		{"OwnNowhere", ".claude.json", "outside/none.json", claude},
		{"Hook", ".claude/settings.json", "../outside/settings.json", claude},
		{"HookNowhere", ".claude/settings.json", "../outside/none.json", claude},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, _, _ := cloneOf(t)
			outside, inside, link := filepath.Join(a.home, "outside"), filepath.Join(a.project, "inside"), filepath.Join(a.home, c.link)
			testkit.Must(t, errors.Join(os.Mkdir(outside, 0o755), os.Mkdir(inside, 0o755), os.MkdirAll(filepath.Dir(link), 0o755)))
			testkit.Must(t, os.WriteFile(filepath.Join(outside, "settings.json"), []byte("{}\n"), 0o644))
			testkit.Must(t, errors.Join(os.Symlink(outside, filepath.Join(inside, "away")), os.Symlink(c.to, link)))
			before := contents(t, a.home)
			a.run(t, append([]string{"setup", "--yes"}, c.args...)...).must(t, 2, link+" is a link, which is not followed; remove")
			after := contents(t, a.home)
			for name, what := range after {
				if strings.HasPrefix(name, outside) && before[name] != what {
					t.Errorf("%s has changed", name)
				}
			}
		})
	}
}
