package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// older puts an older setup, which worked for one project, into a project: the entries with an
// agent, the hook, and what its journal says of them. The projects are repositories.
func (a *account) older(t *testing.T, project, agent string, args string) {
	t.Helper()
	dir := filepath.Join(a.home, project)
	entry := `{"scratchpad": {"command": "` + a.program + `", "args": ["mcp", ` + args + `"--agent", "` + agent + `"]}}`
	var journal struct {
		Files []map[string]any `json:"files"`
	}
	file := filepath.Join(a.home, ".local/share/scratchpad/setup.json")
	if text, err := os.ReadFile(file); err == nil {
		testkit.Must(t, json.Unmarshal(text, &journal))
	}
	for name, text := range map[string]string{
		".mcp.json": `{"mcpServers": ` + entry + `}`, ".vscode/mcp.json": `{"servers": ` + entry + `}`,
		".claude/settings.local.json": `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "` + a.program + ` brief --mark claude-code --agent ` + agent + `"}]}]}}`,
	} {
		name = filepath.Join(dir, name)
		testkit.Must(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)))
		client := "claude-code"
		if strings.Contains(name, ".vscode") {
			client = "vscode"
		}
		journal.Files = append(journal.Files, map[string]any{"file": name, "client": client, "hook": strings.Contains(name, ".claude/"), "left": []byte(text)})
	}
	makeRepositories(t, dir)
	text, err := json.Marshal(journal)
	testkit.Must(t, err)
	testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	writeFile(t, file, string(text))
	writeFile(t, filepath.Join(a.project, "note"), "a note of "+project)
	db := filepath.Join(a.home, ".local/share/scratchpad/scratchpad.db")
	a.run(t, "files", "write", project+".md", "note", "--agent", agent, "--db", db).must(t, 0)
	if agent != project {
		return // an older version recorded one folder of an agent
	}
	store, err := sqlite.Open(t.Context(), db, sqlite.Options{})
	testkit.Must(t, err)
	_, err = store.System(t.Context()).Put("project/local/"+agent, []byte(`{"folder":"`+dir+`"}`), 0)
	testkit.Must(t, errors.Join(err, store.Close()))
}

// reads returns what a server for a client reads in a folder.
func (a *account) reads(t *testing.T, client, file, dir, path string) string {
	t.Helper()
	s := readEntry(t, client, file)
	for i := range s.Args {
		s.Args[i] = strings.ReplaceAll(s.Args[i], "${workspaceFolder}", dir)
	}
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Env, cmd.Dir = a.environment(), dir
	session, err := mcp.NewClient(&mcp.Implementation{Name: client}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	defer session.Close()
	got, _ := call(t, session, "read_file", map[string]any{"path": path})
	return strings.Join(got, "\n")
}

// An account that an older setup has set up loses no memory, and ends with the user's own entries
// alone. What somebody else has changed stays, and is named.
func TestSetupAfterOlder(t *testing.T) {
	t.Parallel()
	a, evil, _ := cloneOf(t)
	for project, agent := range map[string]string{"shop": "shop", "mono": "team", "lib": "team", "gone": "gone", "all": "default"} {
		a.older(t, project, agent, "")
	}
	changed := filepath.Join(a.home, "lib", ".mcp.json")
	writeFile(t, changed, strings.Replace(testkit.ReadFile(t, changed), a.program, evil, 1))
	testkit.Must(t, os.RemoveAll(filepath.Join(a.home, "gone")))
	a.run(t, "setup", "--yes").must(t, 0, "Claude Code: the server starts", "VS Code: the server starts", changed+": left as it is, because somebody else")
	for _, project := range []string{"shop", "mono", "lib", "all"} {
		dir := filepath.Join(a.home, project)
		for client, file := range map[string]string{"claude-code": ".claude.json", "vscode": ".config/Code/User/mcp.json"} {
			if got := a.reads(t, client, filepath.Join(a.home, file), dir, project+".md"); !strings.Contains(got, "a note of "+project) {
				t.Errorf("%s in %s reads %s", client, project, got)
			}
		}
		for _, name := range []string{".mcp.json", ".vscode/mcp.json", ".claude/settings.local.json"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != (filepath.Join(dir, name) == changed) {
				t.Errorf("%s in %s: %v", name, project, err)
			}
		}
	}
	if got := a.reads(t, "claude-code", filepath.Join(a.home, ".claude.json"), a.home, "shop.md"); strings.Contains(got, "a note") {
		t.Errorf("outside of the projects there is %s", got)
	}
	a.run(t, "setup", "--yes").must(t, 0, "Nothing was to be changed.")
	a.run(t, "setup", "--undo", "--yes").must(t, 0)
	if o := a.run(t, "files", "cat", "shop.md", "--agent", "shop"); o.out != "a note of shop" {
		t.Errorf("after --undo the memory is %q, %s", o.out, o.err)
	}
}

// The user says which database all projects have, if an older entry had one of its own.
func TestSetupAfterOlderDatabases(t *testing.T) {
	t.Parallel()
	a, _, _ := cloneOf(t)
	db := filepath.Join(a.home, ".local/share/scratchpad/scratchpad.db")
	a.older(t, "shop", "shop", `"--db", "`+db+`", `)
	before := contents(t, a.home)
	a.run(t, "setup", "--yes", "--client", "vscode").must(t, 1, "has a database or a tenant of its own", "--db FILE")
	a.mustBe(t, before, "an error")
	a.run(t, "setup", "--yes", "--client", "vscode", "--db", db).must(t, 0, "VS Code: the server starts")
	if got := readEntry(t, "vscode", filepath.Join(a.home, ".config/Code/User/mcp.json")).Args; !strings.HasPrefix(strings.Join(got, " "), "mcp --db "+db+" --project ${workspaceFolder}") {
		t.Errorf("the entry has %q", got)
	}
	if name := filepath.Join(a.project, ".mcp.json"); contents(t, a.home)[name] != before[name] {
		t.Error("the entry of a client that was not named is gone")
	}
	a.older(t, "mono", "mono", "")
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 1, "has a database or a tenant of its own", "--db FILE")
	a.run(t, "setup", "--yes", "--client", "claude-code", "--db", db).must(t, 0, "Claude Code: the server starts")

	// The file for a team takes the place of an older entry, whose memory stays.
	a.older(t, "lib", "team", "")
	a.project = filepath.Join(a.home, "lib")
	a.run(t, "setup", "--yes", "--share").must(t, 0, `args was ["mcp","--agent","team"], is ["mcp","--project","."`)
	a.run(t, "files", "ls").must(t, 0, "lib.md")
}

// fakeClaude writes its file as Claude Code does: the entry with more in it, and notes of its own.
const fakeClaude = `#!/bin/sh
echo "$PWD $*" >>"$HOME/claude.log"
[ -z "$FAIL" ] || { echo no such luck >&2; exit 1; }
case "$2" in
remove) echo '{"runs": 2, "mcpServers": {}}' >"$HOME/.claude.json" ;;
add) [ ! -e "$HOME/.claude.json" ] || ! grep -q scratchpad "$HOME/.claude.json" || exit 1
	shift 6; c=$1; shift
	for a; do l="$l, \"$a\""; done
	echo '{"runs": 1, "mcpServers": {"scratchpad": {"type": "stdio", "command": "'"$c"'", "args": ['"${l#, }"'], "env": {}}}}' >"$HOME/.claude.json" ;;
esac
`

// Where the command of Claude Code is on the PATH, it edits its file, because a session that runs
// writes the file too. Its words are those of a user.
func TestSetupByClaude(t *testing.T) {
	t.Parallel()
	a, _, _ := cloneOf(t)
	file, log := filepath.Join(a.home, ".claude.json"), filepath.Join(a.home, "claude.log")
	testkit.Must(t, os.WriteFile(filepath.Join(a.path, "claude"), []byte(fakeClaude), 0o755))
	a.path += ":/bin:/usr/bin"
	a.variables = []string{"FAIL=1"}
	a.older(t, "shop", "shop", "")
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 1, "claude mcp add: exit status 1; it says: no such luck", "client-config claude-code")
	if _, err := os.Stat(filepath.Join(a.home, "shop", ".mcp.json")); err != nil {
		t.Errorf("the entry of the older setup is gone: %v", err)
	}
	a.run(t, "setup", "--undo", "--yes").must(t, 0)
	testkit.Must(t, os.Remove(log))
	before := contents(t, a.home)
	a.variables = nil
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 0, "Claude Code: the server starts")
	if said := testkit.ReadFile(t, log); !strings.HasSuffix(said, " mcp add -s user scratchpad -- "+a.program+" mcp --project . --max-read-tokens 20000\n") || strings.HasPrefix(said, a.project) {
		t.Errorf("claude ran as %s", said)
	}
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 0, "Nothing was to be changed.")
	a.run(t, "setup", "--yes", "--client", "claude-code", "--tenant", "acme").must(t, 0, "scratchpad: args was", "Claude Code: the server starts")
	a.variables = []string{"FAIL=1"}
	a.run(t, "setup", "--yes", "--client", "claude-code", "--tenant", "shop").must(t, 1, "claude mcp remove: exit status 1")
	a.variables = nil
	a.run(t, "setup", "--yes", "--client", "claude-code", "--tenant", "shop").must(t, 0, "Claude Code: the server starts")
	a.run(t, "setup", "--undo", "--yes").must(t, 0, file+"\n  removed")
	testkit.Must(t, os.Remove(log))
	a.mustBe(t, before, "--undo")

	// What Claude Code has written since stays.
	a.run(t, "setup", "--yes", "--client", "claude-code").must(t, 0)
	writeFile(t, file, strings.Replace(testkit.ReadFile(t, file), "1", "7", 1))
	a.run(t, "setup", "--undo", "--yes").must(t, 0, "taken out by claude mcp remove")
	if got := testkit.ReadFile(t, file); !strings.HasSuffix(testkit.ReadFile(t, log), " mcp remove -s user scratchpad\n") || strings.Contains(got, "scratchpad") {
		t.Errorf("after --undo there is %s", got)
	}
}

// An entry stays setup's own if an edit of it is killed before the client's file has changed.
func TestSetupKilled(t *testing.T) {
	t.Parallel()
	a, _, _ := cloneOf(t)
	file, claude := filepath.Join(a.home, ".claude.json"), filepath.Join(a.path, "claude")
	setup := []string{"setup", "--yes", "--client", "claude-code"}
	before := contents(t, a.home)
	a.run(t, setup...).must(t, 0)
	a.variables = []string{"TMPDIR=" + t.TempDir()}
	killed := func(agent string) {
		t.Helper()
		have := testkit.ReadFile(t, file)
		testkit.Must(t, os.WriteFile(claude, []byte("#!/bin/sh\nkill -9 $PPID\n"), 0o755))
		a.run(t, append(setup, "--agent", agent)...).must(t, -1)
		if testkit.Must(t, os.Remove(claude)); testkit.ReadFile(t, file) != have {
			t.Errorf("the file has changed to %s", testkit.ReadFile(t, file))
		}
	}
	killed("one")
	a.run(t, setup...).must(t, 0, "scratchpad: args was", "Claude Code: the server starts")
	killed("two")
	a.run(t, "setup", "--undo", "--yes").must(t, 0, file+"\n  removed")
	a.mustBe(t, before, "--undo")
}

// Setup names what hides its server, and says how to remove it. It also says what a client wants of
// the user.
func TestSetupNotes(t *testing.T) {
	t.Parallel()
	a, _, _ := cloneOf(t)
	a.install(t, "claude-code", `{"projects": {"`+a.project+`": {"mcpServers": {"scratchpad": {"command": "x"}}}, "/other": {}}}`)
	writeFile(t, filepath.Join(a.project, ".mcp.json"), `{"mcpServers": {"scratchpad": {"command": "x"}}}`)
	a.install(t, "codex", "[[hooks.SessionStart]]\nmatcher = 'startup'\n[hooks.state.x]\ntrusted_hash = 'y'\n")
	a.install(t, "windsurf", "")
	a.install(t, "cursor", "")
	sub, local := filepath.Join(a.project, "sub"), filepath.Join(a.project, ".claude", "settings.local.json")
	testkit.Must(t, errors.Join(os.Mkdir(sub, 0o755), os.Mkdir(filepath.Dir(local), 0o755)))
	writeFile(t, local, `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "/opt/scratchpad brief --mark claude-code --agent a"}]}]}}`)
	makeRepositories(t, a.project)
	top := a.project
	a.project = sub
	before := contents(t, a.home)
	o := a.run(t, "setup", "--yes")
	o.must(t, 0, "has a server scratchpad of its own", "cd "+top+" && claude mcp remove -s local scratchpad", "cd "+top+" && claude mcp remove -s project scratchpad",
		"scratchpad setup --client cursor --project "+top, local+" has a hook of an older setup",
		"autoMemoryEnabled", "type /hooks in Codex", ".codex/config.toml has hooks already", "[[hooks.SessionStart.hooks]]", "Windsurf: Put this into "+a.home+"/.codeium")
	if after := contents(t, a.home); after[filepath.Join(top, ".mcp.json")] != before[filepath.Join(top, ".mcp.json")] || after[filepath.Join(a.home, ".codex", "hooks.json")] != "" {
		t.Error("setup has changed an entry that it did not write, or has made a second file with hooks")
	}
	writeFile(t, filepath.Join(a.home, ".claude", "settings.json"), strings.Replace(testkit.ReadFile(t, filepath.Join(a.home, ".claude", "settings.json")), "{", `{"autoMemoryEnabled": false,`, 1))
	if o := a.run(t, "setup", "--dry-run"); strings.Contains(o.out, "autoMemoryEnabled") {
		t.Errorf("its own memory is off, and setup says %s", o.out)
	}
}
