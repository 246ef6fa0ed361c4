package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

	"github.com/agent-scratchpad/scratchpad/internal/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/setup"
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
	testkit.Must(t, os.Link(os.Args[0], a.program))
	return a
}

func (a *account) environment() []string {
	return append([]string{runVariable + "=1", noRaceWait, "HOME=" + a.home, "PATH=" + a.path}, a.variables...)
}

// run runs the command in the folder of the project.
func (a *account) run(t *testing.T, args ...string) outcome {
	t.Helper()
	cmd := exec.Command(a.program, args...)
	cmd.Dir, cmd.Env = a.project, a.environment()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// install makes what is there of a client after its installation, and its file if a text
// is given. It returns the file.
func (a *account) install(t *testing.T, client, text string) string {
	t.Helper()
	file := map[string]string{
		"claude-code": "shop/.mcp.json", "claude-desktop": ".config/Claude/claude_desktop_config.json", "cursor": ".cursor/mcp.json",
		"vscode": "shop/.vscode/mcp.json", "windsurf": ".codeium/windsurf/mcp_config.json", "codex": ".codex/config.toml",
	}[client]
	sign := map[string]string{"claude-code": ".claude", "vscode": ".config/Code"}[client]
	if sign == "" {
		sign = filepath.Dir(file)
	}
	testkit.Must(t, os.MkdirAll(filepath.Join(a.home, sign), 0o755))
	file = filepath.Join(a.home, file)
	if text != "" {
		testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		testkit.Must(t, os.WriteFile(file, []byte(text), 0o640))
	}
	return file
}

// tree returns everything below the home folder: modes, contents and links.
func (a *account) tree(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(a.home, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[name] = info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			all[name] += " " + to
			return err
		case info.Mode().IsRegular():
			b, err := os.ReadFile(name)
			all[name] += fmt.Sprintf(" %x", sha256.Sum256(b))
			return err
		}
		return nil
	})
	testkit.Must(t, err)
	return all
}

func (a *account) mustBe(t *testing.T, want map[string]string, after string) {
	t.Helper()
	if diff := cmp.Diff(want, a.tree(t)); diff != "" {
		t.Errorf("after %s the account differs (-want +got):\n%s", after, diff)
	}
}

// program is where setup puts the program of an account without a PATH.
func (a *account) installed() string { return filepath.Join(a.home, ".local", "bin", "scratchpad") }

// servers are what a user may have in the files of the clients.
var otherServers = map[string]string{
	"claude-code":    "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n",
	"claude-desktop": "{\n\t// mine\n\t\"theme\": \"dark\",\n}",
	"cursor":         "{\"mcpServers\": {}}",
	"vscode":         "{\r\n  \"inputs\": []\r\n}\r\n",
	"windsurf":       " ",
	"codex":          "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = 'y'\n# the end",
}

// A look changes nothing, and neither does a run without a yes. A run with a yes sets up
// every client. A second one changes nothing. Undo leaves the account as it was.
func TestSetup(t *testing.T) {
	testkit.SkipInShort(t)
	for name, clients := range map[string]map[string]string{
		"None":       {},
		"One":        {"cursor": ""},
		"Project":    {"claude-code": ""},
		"Six":        {"claude-code": "", "claude-desktop": "", "cursor": "", "vscode": "", "windsurf": "", "codex": ""},
		"SixWithAll": otherServers,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAccount(t)
			var files []string
			for _, client := range clientconfig.Names() {
				if text, installed := clients[client]; installed {
					files = append(files, a.install(t, client, text))
				}
			}
			before := a.tree(t)
			dry := a.run(t, "setup", "--dry-run")
			dry.must(t, 0, append(files, "Program: "+a.installed(), "Nothing was changed.")...)
			a.mustBe(t, before, "--dry-run")
			a.run(t, "setup").must(t, 2, append(files, "no terminal to ask on; give --yes")...)
			a.mustBe(t, before, "no answer")

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
			done := a.tree(t)
			a.run(t, "setup", "--yes").must(t, 0, "Nothing was to be changed.")
			a.mustBe(t, done, "a second setup")
			a.program = a.installed()
			a.run(t, "setup").must(t, 0, "Nothing was to be changed.") // the installed one, with nothing to ask
			a.mustBe(t, done, "a setup by the installed program")

			a.run(t, "setup", "--undo", "--dry-run").must(t, 0, append(files, a.installed())...)
			a.mustBe(t, done, "--undo --dry-run")
			a.run(t, "setup", "--undo").must(t, 0, append(files, a.installed())...)
			a.mustBe(t, before, "--undo")
			a.program = filepath.Join(filepath.Dir(a.home), "download", "scratchpad")
			a.run(t, "setup", "--undo").must(t, 0, "Nothing is left of setup.")
			a.mustBe(t, before, "a second --undo")
		})
	}
}

// A file that is not valid stays as it is and is named. The others are set up.
func TestSetupBroken(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	broken := []string{a.install(t, "cursor", "{\"mcpServers\": {\n"), a.install(t, "codex", "[mcp_servers\n")}
	good := a.install(t, "windsurf", "{}")
	before := a.tree(t)
	o := a.run(t, "setup", "--yes")
	o.must(t, 2, "Cursor: edit "+broken[0]+": it is not valid JSON", "Codex: edit "+broken[1]+": it is not valid TOML", "Windsurf: the server starts")
	after := a.tree(t)
	for _, file := range broken {
		if after[file] != before[file] {
			t.Errorf("%s has changed", file)
		}
	}
	if !strings.Contains(testkit.ReadFile(t, good), "scratchpad") {
		t.Errorf("%s was not set up", good)
	}
	j := a.run(t, "setup", "--dry-run", "--json")
	var r setup.Report
	if err := json.Unmarshal([]byte(j.out), &r); err != nil || j.code != 2 || r.Changed || len(r.Clients) != 3 || r.Clients[0].Error == "" {
		t.Errorf("--json: %v, exit code %d, %+v", err, j.code, r)
	}
	a.run(t, "setup", "--undo").must(t, 0)
	a.mustBe(t, before, "--undo")
	a.install(t, "claude-desktop", `{"mcpServers": {"scratchpad": {"url": "https://example.com"}}}`)
	a.run(t, "setup", "--yes", "--client", "claude-desktop").must(t, 4, "it has a server at a URL", "scratchpad client-config claude-desktop --write --server-name NAME")
}

// A file that somebody has edited since keeps that edit.
func TestSetupUndoAfterEdits(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	cursor, codex, claude := a.install(t, "cursor", "{\"mcpServers\": {\"a\": {}}}"), a.install(t, "codex", ""), a.install(t, "claude-code", "")
	a.run(t, "setup", "--yes").must(t, 0)
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
	o := a.run(t, "setup", "--undo")
	o.must(t, 0, cursor+"\n  edited by another since, so only the entry of this program was taken out", codex+"\n  edited by another since", claude+"\n  edited by another since")
	for file, want := range map[string]string{
		cursor: "{\"theme\": \"dark\", \"mcpServers\": {\"a\": {}}}", codex: "model = 'x'\n", claude: "{\n  \"mine\": 1\n}\n",
	} {
		if diff := cmp.Diff(want, testkit.ReadFile(t, file)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
	if _, err := os.Stat(filepath.Join(a.project, ".claude")); err == nil {
		t.Error("the folder of the hook is still there")
	}
}

// Setups at once take turns, and undo takes all of them back.
func TestSetupAtOnce(t *testing.T) {
	a := newAccount(t)
	for _, client := range clientconfig.Names() {
		a.install(t, client, "")
	}
	before := a.tree(t)
	a.path = filepath.Dir(a.program) // there is nothing to install
	var wg sync.WaitGroup
	for _, client := range clientconfig.Names() {
		wg.Go(func() {
			if o := a.run(t, "setup", "--yes", "--client", client); o.code != 0 {
				t.Errorf("%s: exit code %d, %s", client, o.code, o.err)
			}
		})
	}
	wg.Wait()
	a.run(t, "setup", "--yes").must(t, 0, "Nothing was to be changed.")
	a.run(t, "setup", "--undo").must(t, 0)
	a.mustBe(t, before, "--undo")
}

// Undo takes back the setups of several projects, also when they used one database.
func TestSetupUndoProjects(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	other := filepath.Join(a.home, "old", "shop")
	testkit.Must(t, os.MkdirAll(other, 0o755))
	before := a.tree(t)
	for _, project := range []string{a.project, other} {
		a.run(t, "setup", "--yes", "--client", "claude-code", "--project", project).must(t, 0)
	}
	a.run(t, "setup", "--undo").must(t, 0, "removed, because nothing was stored in it")
	a.mustBe(t, before, "--undo")
}

// A memory that is in use stays, and so does its name.
func TestSetupUndoKeepsMemory(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	a.install(t, "claude-code", "")
	before := a.tree(t)
	a.run(t, "setup", "--yes").must(t, 0)
	cmd := exec.Command(a.program, "files", "write", "notes.md", "--agent", "shop")
	cmd.Env, cmd.Stdin = a.environment(), strings.NewReader("a note")
	testkit.Must(t, cmd.Run())
	a.run(t, "setup", "--undo").must(t, 0, "left there, because it has been used")
	if o := a.run(t, "files", "cat", "notes.md", "--agent", "shop"); o.out != "a note" {
		t.Errorf("the note is %q, %s", o.out, o.err)
	}
	for name, what := range before {
		if a.tree(t)[name] != what {
			t.Errorf("%s has changed", name)
		}
	}
	a.run(t, "setup", "--undo").must(t, 0, "Nothing is left of setup.")
}

// A link stays a link, and the file that it leads to is edited and put back.
func TestSetupLink(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	file := a.install(t, "cursor", "")
	real := filepath.Join(a.home, "dotfiles.json")
	writeFile(t, real, "{}")
	testkit.Must(t, os.Symlink(real, file))
	before := a.tree(t)
	a.run(t, "setup", "--yes").must(t, 0, "Cursor: "+real)
	if info, err := os.Lstat(file); err != nil || info.Mode()&fs.ModeSymlink == 0 || !strings.Contains(testkit.ReadFile(t, real), "scratchpad") {
		t.Errorf("the link is %v, %v", info, err)
	}
	a.run(t, "setup", "--undo").must(t, 0)
	a.mustBe(t, before, "--undo")
}

// older makes a program that differs from this one.
func older(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(os.Args[0])
	testkit.Must(t, err)
	testkit.Must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	testkit.Must(t, os.WriteFile(name, append(text, "older"...), 0o755))
}

// An older program is replaced while it runs, goes on, and is put back.
func TestSetupReplacesProgram(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	bin := filepath.Join(a.home, "go", "bin")
	a.path = bin
	older(t, filepath.Join(bin, "scratchpad"))
	a.install(t, "cursor", "")
	before := a.tree(t)
	cmd := exec.Command(filepath.Join(bin, "scratchpad"), "mcp", "--db", "mem:", "--agent", "a")
	cmd.Env = a.environment()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	a.run(t, "setup", "--yes").must(t, 0, "Program: "+filepath.Join(bin, "scratchpad")+"\n  replaced by the one that runs now")
	if testkit.ReadFile(t, filepath.Join(bin, "scratchpad")) != testkit.ReadFile(t, a.program) {
		t.Error("the program was not replaced")
	}
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Errorf("the program that ran meanwhile: %v", err)
	}
	testkit.Must(t, session.Close())
	a.run(t, "setup", "--undo").must(t, 0, "put back as it was")
	a.mustBe(t, before, "--undo")
}

// The program goes to a folder on the PATH, and never over another program.
func TestSetupProgramFolder(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	gobin := filepath.Join(a.home, "gobin")
	a.variables = []string{"GOBIN=" + gobin}
	a.run(t, "setup", "--dry-run").must(t, 0, "Program: "+a.installed(), "its folder is not on your PATH")
	a.path = gobin
	if o := a.run(t, "setup", "--dry-run"); !strings.Contains(o.out, "Program: "+gobin+"/scratchpad") || strings.Contains(o.out, "not on your PATH") {
		t.Errorf("with GOBIN on the PATH: %s", o.out)
	}
	a.path = filepath.Dir(a.program)
	a.run(t, "setup", "--dry-run").must(t, 0, "Program: "+a.program+"\n  nothing to change")
	a.path = ""
	testkit.Must(t, os.MkdirAll(filepath.Dir(a.installed()), 0o755))
	writeFile(t, a.installed(), "#!/bin/sh\n")
	before := a.tree(t)
	a.run(t, "setup", "--yes").must(t, 1, a.installed()+" is another program; name another folder with --bin")
	a.mustBe(t, before, "another program")
	a.run(t, "setup", "--yes", "--bin", filepath.Join(a.home, "tools")).must(t, 0, filepath.Join(a.home, "tools", "scratchpad"))
	a.run(t, "setup", "--undo").must(t, 0)
	a.mustBe(t, before, "--undo")
}

// serveEntry starts the server in a client's file as the client does.
func (a *account) serveEntry(t *testing.T, client, file string) *mcp.ClientSession {
	t.Helper()
	c, _ := clientconfig.Find(client)
	s, found, err := c.ReadServer(file, "scratchpad")
	if err != nil || !found {
		t.Fatalf("%s: found %v, %v", file, found, err)
	}
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Env, cmd.Dir = a.environment(), filepath.Dir(file)
	session, err := mcp.NewClient(&mcp.Implementation{Name: client}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

// Two clients of one project share a memory. Two projects do not, whatever their names.
func TestSetupMemories(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	shop, other := a.project, filepath.Join(a.home, "work", "shop")
	testkit.Must(t, os.MkdirAll(other, 0o755))
	for _, project := range []string{shop, other} {
		a.run(t, "setup", "--yes", "--client", "claude-code", "--client", "vscode", "--project", project).must(t, 0, "Claude Code: the server starts", "VS Code: the server starts")
	}
	call := func(s *mcp.ClientSession, tool string, args map[string]any) string {
		t.Helper()
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		testkit.Must(t, err)
		var text []string
		for _, part := range res.Content {
			text = append(text, part.(*mcp.TextContent).Text)
		}
		return strings.Join(text, "\n")
	}
	first := a.serveEntry(t, "claude-code", filepath.Join(shop, ".mcp.json"))
	call(first, "write_file", map[string]any{"path": "notes.md", "content": "a note of the shop"})
	for _, c := range []struct {
		client, file string
		shares       bool
	}{
		{"vscode", filepath.Join(shop, ".vscode", "mcp.json"), true},
		{"claude-code", filepath.Join(other, ".mcp.json"), false},
		{"vscode", filepath.Join(other, ".vscode", "mcp.json"), false},
	} {
		got := call(a.serveEntry(t, c.client, c.file), "read_file", map[string]any{"path": "notes.md"})
		if strings.Contains(got, "a note of the shop") != c.shares {
			t.Errorf("%s reads %q, to share: %v", c.file, got, c.shares)
		}
	}
	o := a.run(t, "agents", "ls", "--json")
	if !strings.Contains(o.out, `"project":"`+shop+`"`) {
		t.Errorf("the list of agents has no folder: %s", o.out)
	}
}

// An entry that is there keeps its memory and its limits.
func TestSetupKeepsSettings(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	file := a.install(t, "claude-code", "")
	a.run(t, "setup", "--yes", "--bin", filepath.Dir(a.program), "--agent", "mine", "--max-versions", "3").must(t, 0, "Memory: agent mine.", "brief --mark claude-code --agent mine")
	text := testkit.ReadFile(t, file)
	a.run(t, "setup", "--yes", "--bin", filepath.Dir(a.program)).must(t, 0, "Nothing was to be changed.", "Memory: agent mine.")
	if got := testkit.ReadFile(t, file); got != text || !strings.Contains(text, `"--max-versions", "3"`) {
		t.Errorf("the entry has become %s", got)
	}
	a.run(t, "setup", "--yes", "--bin", filepath.Dir(a.program), "--agent", "new").must(t, 0, "Memory: agent new.")
	a.run(t, "setup", "--undo", "--client", "cursor").must(t, 0)
	if c, _ := clientconfig.Find("claude-code"); !slices.Contains(mustRead(t, c, file).Args, "new") {
		t.Error("undo for another client has changed the entry")
	}
	a.run(t, "setup", "--undo").must(t, 0)
	if _, err := os.Stat(file); err == nil {
		t.Errorf("after --undo the entry is %s", testkit.ReadFile(t, file))
	}
	// The user's own file is trusted, with what the user has put there.
	file = a.install(t, "cursor", "")
	a.run(t, "client-config", "cursor", "--write", "--agent", "mine", "--max-versions", "3").must(t, 0)
	text = testkit.ReadFile(t, file)
	a.run(t, "setup", "--yes", "--client", "cursor", "--bin", filepath.Dir(a.program)).must(t, 0, "Memory: agent mine.")
	if got := testkit.ReadFile(t, file); got != text {
		t.Errorf("the entry has become %s", got)
	}
}

func mustRead(t *testing.T, c clientconfig.Client, file string) clientconfig.Server {
	t.Helper()
	s, _, err := c.ReadServer(file, "scratchpad")
	testkit.Must(t, err)
	return s
}

// A server that does not start is an error that says what it said.
func TestSetupServerFails(t *testing.T) {
	testkit.SkipInShort(t)
	a := newAccount(t)
	a.install(t, "cursor", `{"mcpServers": {"scratchpad": {"command": "x", "args": ["mcp", "--no-such-flag"]}}}`)
	a.run(t, "setup", "--yes").must(t, 1, "Cursor: start "+a.installed()+" as Cursor does", "unknown flag --no-such-flag")
}

// Setup works through go run: what it installs stays.
func TestSetupGoRun(t *testing.T) {
	testkit.SkipUnlessLong(t)
	a := newAccount(t)
	a.install(t, "claude-code", "")
	before := a.tree(t)
	goRun := func(args ...string) outcome {
		cmd := exec.Command("go", append([]string{"run", "."}, args...)...)
		cmd.Env = []string{"HOME=" + a.home, "PATH=" + os.Getenv("PATH")}
		for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"} {
			value, err := exec.Command("go", "env", name).Output()
			testkit.Must(t, err)
			cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(value)))
		}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
	}
	args := []string{"setup", "--client", "claude-code", "--project", a.project, "--bin", filepath.Dir(a.installed())}
	goRun(append(args, "--yes")...).must(t, 0, "Program: "+a.installed(), "Claude Code: the server starts")
	goRun(args...).must(t, 0, "Nothing was to be changed.")
	a.serveEntry(t, "claude-code", filepath.Join(a.project, ".mcp.json")).Close()
	goRun("setup", "--undo").must(t, 0)
	delete(before, filepath.Join(a.home, ".config")) // of the go command, where it keeps telemetry
	after := a.tree(t)
	for name := range after {
		if strings.HasPrefix(name, filepath.Join(a.home, ".config")) {
			delete(after, name)
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("after --undo (-want +got):\n%s", diff)
	}
}

// Setup looks at its arguments before it looks for clients: on a machine without one, a
// wrong argument is an error too.
func TestSetupArguments(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	before := a.tree(t)
	for _, c := range []struct{ flag, value, want string }{
		{"--db", "", "--db is empty"},
		{"--db", "postgres://me:secret@db/scratchpad", "has a password"},
		{"--agent", "", "--agent"},
		{"--agent", "a b", "--agent"},
		{"--tenant", "a/b", "--tenant must be"},
		{"--project", "no such folder", "--project: there is no folder"},
	} {
		for _, more := range []string{"--yes", "--dry-run"} {
			a.run(t, "setup", more, c.flag, c.value).must(t, 2, c.want)
		}
	}
	a.mustBe(t, before, "wrong arguments")
}

// The shell of a hook passes on every argument as it is, and runs nothing in it. Claude Code
// runs hooks by sh, on Windows too.
func TestHookCommandQuotes(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh: ", err)
	}
	dir := t.TempDir()
	for _, odd := range []string{
		"$(echo x >made)", "`echo x >made`", "a;echo x >made", "a && echo x >made", "$HOME", "it's", `say "hi"`, "a b", "*", "~", "%PATH%", "", "a\nb", "!x", "#x",
	} {
		command := hookCommand(clientconfig.Server{Command: "/opt/" + odd + "/scratchpad", Args: []string{"mcp", "--db", odd, "--agent", "a"}})
		cmd := exec.Command(sh, "-c", `f() { for a; do printf '<%s>' "$a"; done; }; f `+command)
		cmd.Dir = dir
		got, err := cmd.CombinedOutput()
		want := "</opt/" + odd + "/scratchpad><brief><--mark><claude-code><--db><" + odd + "><--agent><a>"
		if err != nil || string(got) != want {
			t.Errorf("%s\nruns as %s, %v, want %s", command, got, err, want)
		}
	}
	if left := contents(t, dir); len(left) > 0 {
		t.Errorf("the hook has made %v", left)
	}
}
