package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/setup"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// account is a fresh user account: a home folder, and a PATH that leads to nothing.
type account struct {
	home, project string
	path          string   // $PATH
	variables     []string // more of them
	program       string   // that runs
}

func newAccount(t *testing.T) *account {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("an account is made as on Unix")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	a := &account{home: filepath.Join(root, "me"), path: filepath.Join(root, "nothing"), program: filepath.Join(root, "download", "scratchpad")}
	a.project = filepath.Join(a.home, "shop")
	testkit.Must(t, errors.Join(os.MkdirAll(a.project, 0o755), os.Mkdir(filepath.Dir(a.program), 0o755)))
	if os.Link(os.Args[0], a.program) != nil {
		program, err := programInMemory()
		testkit.Must(t, errors.Join(err, os.Link(program, a.program)))
	}
	return a
}

// programInMemory returns a copy of the test binary beside the temporary folders, for where those are
// in another file system.
var programInMemory = sync.OnceValues(func() (name string, err error) {
	dir, err := os.MkdirTemp("", "program")
	name = filepath.Join(dir, "scratchpad")
	text, err2 := os.ReadFile(os.Args[0])
	return name, errors.Join(err, err2, os.WriteFile(name, text, 0o755))
})

func (a *account) environment() []string {
	return append([]string{runVariable + "=1", noRaceWait, "HOME=" + a.home, "PATH=" + a.path}, a.variables...)
}

// run runs the command in the folder of the project.
func (a *account) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return runProgram(t, a.program, a.project, a.environment(), args...)
}

// install makes what is there of a client after its installation, and its file if a text
// is given. It returns the file.
func (a *account) install(t *testing.T, client, text string) string {
	t.Helper()
	file := map[string]string{
		"claude-code": ".claude.json", "claude-desktop": ".config/Claude/claude_desktop_config.json", "cursor": ".cursor/mcp.json",
		"vscode": ".config/Code/User/mcp.json", "windsurf": ".codeium/windsurf/mcp_config.json", "codex": ".codex/config.toml",
		"gemini-cli": ".gemini/settings.json", "opencode": ".config/opencode/opencode.json", "zed": ".config/zed/settings.json",
	}[client]
	sign := filepath.Dir(file)
	if client == "claude-code" {
		sign = ".claude"
	}
	testkit.Must(t, os.MkdirAll(filepath.Join(a.home, sign), 0o755))
	file = filepath.Join(a.home, file)
	if text != "" {
		testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		testkit.Must(t, os.WriteFile(file, []byte(text), 0o640))
	}
	return file
}

// mustBe compares the files. Folders that setup has made stay.
func (a *account) mustBe(t *testing.T, want map[string]string, after string) {
	t.Helper()
	if diff := cmp.Diff(withoutFolders(want), withoutFolders(contents(t, a.home))); diff != "" {
		t.Errorf("after %s the account differs (-want +got):\n%s", after, diff)
	}
}

func withoutFolders(all map[string]string) map[string]string {
	files := maps.Clone(all)
	maps.DeleteFunc(files, func(_, mode string) bool { return mode[0] == 'd' })
	return files
}

// program is where setup puts the program of an account without a PATH.
func (a *account) installed() string { return filepath.Join(a.home, ".local", "bin", "scratchpad") }

// servers are what a user may have in the files of the clients.
var otherServers = map[string]string{
	"claude-code":    "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n",
	"claude-desktop": "{\n\t// mine\n\t\"theme\": \"dark\",\n}",
	"cursor":         "{\"mcpServers\": {}}",
	"vscode":         "{\r\n  \"inputs\": []\r\n}\r\n",
	"gemini-cli":     "{\"ui\":{\"theme\":\"Ayu\"}}",
	"opencode":       "{\"$schema\": \"https://opencode.ai/config.json\"}\n",
	"zed":            "// mine\n{\n  \"vim_mode\": true,\n}\n",
	"codex":          "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = 'y'\n# the end",
}

// A look changes nothing, and neither does a run without a yes. A run with a yes sets up
// every client. A second one changes nothing. Undo leaves the account as it was.
func TestUndoPutsEveryFileBack(t *testing.T) {
	for name, clients := range map[string]map[string]string{"None": {}, "One": {"claude-code": ""}, "All": otherServers} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAccount(t)
			var files []string
			for _, client := range clientconfig.Names() {
				if text, installed := clients[client]; installed {
					files = append(files, a.install(t, client, text))
				}
			}
			before := contents(t, a.home)
			a.run(t, "setup", "--dry-run").must(t, 0, append(files, "Program: "+a.installed(), "Nothing was changed.")...)
			a.run(t, "setup").must(t, 2, append(files, "no terminal to ask on; give --yes")...)
			a.mustBe(t, before, "--dry-run, and no answer")

			o := a.run(t, "setup", "--yes")
			o.must(t, 0, append(files, "Try this first")...)
			for _, client := range clientconfig.Names() {
				c, _ := clientconfig.Find(client)
				if _, installed := clients[client]; installed != strings.Contains(o.out, c.Title+": the server starts and has ") {
					t.Errorf("%s is installed: %v; setup says\n%s", client, installed, o.out)
				}
			}
			for _, file := range files {
				if !strings.Contains(testkit.ReadFile(t, file), a.installed()) {
					t.Errorf("%s does not start %s", file, a.installed())
				}
			}
			done := contents(t, a.home)
			download := a.program
			a.program = a.installed()
			a.run(t, "setup").must(t, 0, "Nothing was to be changed.") // the installed one, with nothing to ask
			a.run(t, "setup", "--undo", "--dry-run").must(t, 0, append(files, a.installed())...)
			a.mustBe(t, done, "a second setup, and --undo --dry-run")
			a.run(t, "setup", "--undo").must(t, 2, append(files, "needs a yes")...)
			a.mustBe(t, done, "--undo, and no answer")
			a.run(t, "setup", "--undo", "--yes").must(t, 0, append(files, a.installed())...)
			a.mustBe(t, before, "--undo")
			a.program = download
			a.run(t, "setup", "--undo").must(t, 0, "Nothing is left of setup.")
		})
	}
}

// A file that is not valid stays as it is and is named. The others are set up. A server that
// does not start is an error that says what it said.
func TestSetupBroken(t *testing.T) {
	a := newAccount(t)
	broken := []string{a.install(t, "cursor", "{\"mcpServers\": {\n"), a.install(t, "codex", "[mcp_servers\n")}
	good := a.install(t, "opencode", "{}")
	before := contents(t, a.home)
	o := a.run(t, "setup", "--yes", "--json")
	o.must(t, 2, "Cursor: edit "+broken[0]+": it is not valid JSON", "Codex: edit "+broken[1]+": it is not valid TOML")
	var r setup.Plan
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || len(r.Clients) != 3 || r.Clients[0].Error == "" {
		t.Errorf("--json: %v, %+v", err, r)
	}
	after := contents(t, a.home)
	for _, file := range broken {
		if after[file] != before[file] {
			t.Errorf("%s has changed", file)
		}
	}
	if !strings.Contains(testkit.ReadFile(t, good), "scratchpad") {
		t.Errorf("%s was not set up", good)
	}
	writeFile(t, good, "{")
	const left = ": it is not valid JSON"
	a.run(t, "setup", "--undo").must(t, 2, good+"\n  edit "+good+left, a.installed()+"\n  to be removed")
	a.run(t, "setup", "--undo", "--yes").must(t, 2, "edit "+good+left)
	writeFile(t, good, "{}")
	a.run(t, "setup", "--undo", "--yes").must(t, 0)
	a.mustBe(t, before, "--undo")
	o = a.run(t, "setup", "--yes", "--client", "zed", "--summarizer", "anthropic")
	o.must(t, 1, "Zed: start "+a.installed()+" as Zed does", "ANTHROPIC_API_KEY")
}

// A file that somebody has edited since keeps that edit, and a memory that is in use stays.
func TestSetupUndoAfterEdits(t *testing.T) {
	a := newAccount(t)
	cursor, codex, claude := a.install(t, "cursor", "{\"mcpServers\": {\"a\": {}}}"), a.install(t, "codex", ""), a.install(t, "claude-code", "")
	testkit.Must(t, os.Chmod(cursor, 0o600))
	a.run(t, "setup", "--yes").must(t, 0)
	// An older version, whose undo removes a file that has not existed, can read the journal.
	journal := strings.Join(strings.Fields(testkit.ReadFile(t, filepath.Join(a.home, ".local/share/scratchpad/setup.json"))), "")
	if !strings.Contains(journal, `"existed":true,"mode":384}`) {
		t.Errorf("the journal is %s", journal)
	}
	a.run(t, "logs", "append", "day", "a note", "--agent", "shop").must(t, 0)
	edit := func(file, old, new string) {
		t.Helper()
		text := testkit.ReadFile(t, file)
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %q: %s", file, old, text)
		}
		testkit.Must(t, os.WriteFile(file, []byte(strings.Replace(text, old, new, 1)), 0o600))
	}
	// Setup edits a file that another has edited between.
	edit(claude, "\"mcpServers\"", "\"mine\": 1, \"mcpServers\"")
	a.run(t, "setup", "--yes", "--agent", "other").must(t, 0, "scratchpad: args was")
	edit(cursor, "{\"mcpServers\"", "{\"theme\": \"dark\", \"mcpServers\"")
	edit(codex, "[mcp_servers", "model = 'x'\n[mcp_servers")
	const said = "\n  edited by another since, so only the entry of this program was taken out"
	a.run(t, "setup", "--undo", "--dry-run").must(t, 0, cursor+"\n  edited by another since, so only the entry of this program is to be taken out", codex,
		filepath.Join(a.home, ".claude", "settings.json")+"\n  to be removed", a.installed()+"\n  to be removed")
	a.run(t, "setup", "--undo", "--yes").must(t, 0, cursor+said, codex+said, claude+said)
	a.run(t, "logs", "cat", "day", "--agent", "shop").must(t, 0, "a note")
	for file, want := range map[string]string{
		cursor: "{\"theme\": \"dark\", \"mcpServers\": {\"a\": {} }}", codex: "model = 'x'\n", claude: "{\n  \"mine\": 1\n}\n",
	} {
		if diff := cmp.Diff(want, testkit.ReadFile(t, file)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	if _, err := os.Stat(filepath.Join(a.home, ".claude", "settings.json")); err == nil {
		t.Error("the file of the hook is still there")
	}
}

// Setups at once work, or say that another is running. Undo takes all of them back.
func TestSetupAtOnce(t *testing.T) {
	a := newAccount(t)
	clients := []string{"claude-code", "cursor", "vscode", "codex"}
	for _, client := range clients {
		a.install(t, client, "")
	}
	before := contents(t, a.home)
	a.path = filepath.Dir(a.program) // there is nothing to install
	var wg sync.WaitGroup
	for _, client := range clients {
		wg.Go(func() {
			o := a.run(t, "setup", "--yes", "--client", client)
			for ; strings.Contains(o.err, "another setup is running"); o = a.run(t, "setup", "--yes", "--client", client) {
			}
			if o.code != 0 {
				t.Errorf("%s: exit code %d, %s", client, o.code, o.err)
			}
		})
	}
	wg.Wait()
	a.run(t, "setup", "--yes").must(t, 0, "Nothing was to be changed.")
	unlock, _, err := native.TryLock(filepath.Join(a.home, ".local/share/scratchpad/setup.json-lock"))
	testkit.Must(t, err)
	a.run(t, "setup", "--undo", "--yes").must(t, 6, "another setup is running")
	unlock()
	a.run(t, "setup", "--undo", "--yes").must(t, 0)
	a.mustBe(t, before, "--undo")
}

// An older program is replaced while it runs, goes on, and is not put back.
func TestSetupReplacesProgram(t *testing.T) {
	a := newAccount(t)
	bin := filepath.Join(a.home, "go", "bin")
	a.path = bin
	older := filepath.Join(bin, "scratchpad")
	text, err := os.ReadFile(os.Args[0])
	testkit.Must(t, err)
	testkit.Must(t, errors.Join(os.MkdirAll(bin, 0o755), os.WriteFile(older, append(text, "older"...), 0o755)))
	file := a.install(t, "cursor", "")
	cmd := exec.Command(older, "mcp", "--db", "mem:", "--agent", "a")
	cmd.Env = a.environment()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	a.run(t, "setup", "--yes").must(t, 0, "Program: "+older+"\n  replaced by the one that runs now")
	if testkit.ReadFile(t, older) != testkit.ReadFile(t, a.program) {
		t.Error("the program was not replaced")
	}
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Errorf("the program that ran meanwhile: %v", err)
	}
	testkit.Must(t, session.Close())
	a.run(t, "setup", "--undo", "--yes").must(t, 0, older+"\n  left as it is, because it has replaced an older one")
	if after := contents(t, a.home); after[file] != "" || after[older] == "" {
		t.Errorf("after --undo there are %v", after)
	}
}

// The program goes to a folder on the PATH, and never over another program.
func TestSetupProgramFolder(t *testing.T) {
	a := newAccount(t)
	gobin := filepath.Join(a.home, "gobin")
	a.variables = []string{"GOBIN=" + gobin}
	a.run(t, "setup", "--dry-run").must(t, 0, "Program: "+a.installed(), "its folder is not on your PATH")
	a.path = gobin
	if o := a.run(t, "setup", "--dry-run"); !strings.Contains(o.out, "Program: "+gobin+"/scratchpad") || strings.Contains(o.out, "not on your PATH") {
		t.Errorf("with GOBIN on the PATH: %s", o.out)
	}
	a.path = ""
	testkit.Must(t, os.MkdirAll(filepath.Dir(a.installed()), 0o755))
	writeFile(t, a.installed(), "#!/bin/sh\n")
	before := contents(t, a.home)
	a.run(t, "setup", "--yes").must(t, 1, a.installed()+" is another program; name another folder with --bin")
	a.mustBe(t, before, "another program")
	a.run(t, "setup", "--yes", "--bin", filepath.Join(a.home, "tools")).must(t, 0, filepath.Join(a.home, "tools", "scratchpad"))
	a.run(t, "setup", "--undo", "--yes").must(t, 0)
	a.mustBe(t, before, "--undo")
}

func readEntry(t *testing.T, client, file string) clientconfig.Server {
	t.Helper()
	c, _ := clientconfig.Find(client)
	entry, err := c.ReadEntry(file, "scratchpad")
	s, found := entry.Server()
	if err != nil || !found {
		t.Fatalf("%s: found %v, %v", file, found, err)
	}
	return s
}

// An entry that setup has written keeps its memory and its limits, also if the client has noted
// more in it.
func TestSetupKeepsSettings(t *testing.T) {
	a := newAccount(t)
	setup := func(args ...string) outcome {
		return a.run(t, append([]string{"setup", "--yes", "--bin", filepath.Dir(a.program)}, args...)...)
	}
	file := a.install(t, "claude-code", "")
	setup("--agent", "mine", "--max-versions", "3").must(t, 0, "Memory: agent mine, for all projects.", `scratchpad\" hook --agent mine`)
	text := strings.Replace(testkit.ReadFile(t, file), `"command"`, `"alwaysLoad": true, "command"`, 1)
	writeFile(t, file, text)
	setup().must(t, 0, "Nothing was to be changed.", "Memory: agent mine")
	if got := testkit.ReadFile(t, file); got != text || !strings.Contains(text, `"--max-versions=3"`) {
		t.Errorf("the entry has become %s", got)
	}
	setup("--agent", "new").must(t, 0, "Memory: agent new")
	a.run(t, "setup", "--undo", "--yes", "--client", "cursor").must(t, 0)
	if !slices.Contains(readEntry(t, "claude-code", file).Args, "new") {
		t.Error("undo for another client has changed the entry")
	}
	a.run(t, "setup", "--undo", "--yes").must(t, 0)
	if got := testkit.ReadFile(t, file); strings.Contains(got, "scratchpad") {
		t.Errorf("after --undo the entry is %s", got)
	}
}

// Setup looks at its arguments before it looks for clients: on a machine without one, a
// wrong argument is an error too. No password is written.
func TestSetupArguments(t *testing.T) {
	a := newAccount(t)
	before := contents(t, a.home)
	for _, c := range []struct{ flag, value, want string }{
		{"--db", "", "--db is empty"},
		{"--db", unreachable[0], "has a password"},
		{"--agent", "a b", "--agent"},
		{"--tenant", "a/b", "--tenant must be"},
		{"--project", "no such folder", "--project: there is no folder"},
	} {
		for _, more := range []string{"--yes", "--dry-run"} {
			o := runCommand(t, a.project, []string{"HOME=" + a.home}, "setup", "--client", "cursor", more, c.flag, c.value)
			if o.must(t, 2, c.want); strings.Contains(o.out+o.err, pgPassword) {
				t.Errorf("it shows the password: %s", o.err)
			}
		}
	}
	for _, args := range [][]string{{"--client", "codex", "--project", a.project}, {"--client", "cursor", "--project", a.home}, {"--share", "--db", "x.db"}} {
		a.run(t, append([]string{"setup", "--yes"}, args...)...).must(t, 2, "leave ")
	}
	a.mustBe(t, before, "wrong arguments")
}

// The shell of a hook passes on every argument as it is, and runs nothing in it. Claude Code
// runs hooks by sh, on Windows too.
func TestHookCommandQuotes(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh: ", err)
	}
	dir := t.TempDir()
	script, want := "f() { for a; do printf '<%s>' \"$a\"; done; }\n", ""
	for _, odd := range []string{
		"$(echo x >made)", "`echo x >made`", "a;echo x >made", "a && echo x >made", "$HOME", "it's", `say "hi"`, "a b", "*", "~", "%PATH%", "", "a\nb", "!x", "#x",
	} {
		script += "f " + hookCommand(clientconfig.Server{Command: "/opt/" + odd + "/scratchpad", Args: []string{"mcp", "--db", odd, "--agent", "a"}}) + "\n"
		want += "</opt/" + odd + "/scratchpad><hook><--db><" + odd + "><--agent><a>"
	}
	cmd := exec.Command(sh, "-c", script)
	cmd.Dir = dir
	if got, err := cmd.CombinedOutput(); err != nil || string(got) != want {
		t.Errorf("%s\nruns as %s, %v, want %s", script, got, err, want)
	}
	if left := contents(t, dir); len(left) > 0 {
		t.Errorf("the hook has made %v", left)
	}
}
