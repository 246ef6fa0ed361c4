package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// pluginPrefix is before the names of the tools of the plugin's server.
const pluginPrefix = "mcp__plugin_scratchpad_scratchpad__"

// Claude Code finds no fault with the plugin and installs it from the repository. Its server is
// then connected and works on the memory of the project, its hook tells the agent what is there,
// and its skill is listed. Without the program on the PATH, the user and the agent are told how to
// install it. The plugin goes without a trace in the settings.
func TestPlugin(t *testing.T) {
	t.Parallel()
	repository, err := filepath.Abs(root)
	testkit.Must(t, err)
	p := project{dir: filepath.Join(t.TempDir(), "shop"), home: t.TempDir()}
	p.env = []string{"PATH=" + filepath.Dir(scratchpadPath) + string(os.PathListSeparator) + os.Getenv("PATH")}
	testkit.Must(t, os.Mkdir(p.dir, 0o700))
	p.git(t, "init", "-q")
	run := func(has string, args ...string) {
		t.Helper()
		if out, _ := p.host(t, p.command(t.Context(), claudePath(t), args...)); !strings.Contains(out, has) {
			t.Errorf("claude %s says %s", strings.Join(args, " "), out)
		}
	}
	run("Validation passed", "plugin", "validate", "--strict", repository)
	run("Successfully added", "plugin", "marketplace", "add", repository)
	run("Successfully installed", "plugin", "install", "scratchpad@scratchpad")
	p.scratchpad(t, "logs", "append", "deploys", "v1")

	const fact = "The till is in till.go."
	began, first := p.pluginSession(t, request{"tools/call", m{"name": pluginPrefix + "write_file", "arguments": m{"path": "START.md", "content": fact}}})
	if !slices.Contains(began.Skills, "scratchpad:memory") || began.Servers[0].Status != "connected" || began.Servers[0].Name != "plugin:scratchpad:scratchpad" {
		t.Errorf("the session begins with %+v", began)
	}
	wantAsked(t, "of the plugin", first, []string{"Scratchpad, the memory of project shop", "deploys #1", "scratchpad:memory"}, []string{fact, "go install"})
	if has := string(p.scratchpad(t, "files", "cat", "START.md")); has != fact {
		t.Errorf("the project has %q", has)
	}
	run("Connected", "mcp", "list")

	p.env = []string{"PATH=" + withoutProgram(t)}
	began, first = p.pluginSession(t)
	if began.Servers[0].Status != "failed" {
		t.Errorf("without the program the session begins with %+v", began)
	}
	wantAsked(t, "without the program", first, []string{"go install github.com/agent-scratchpad/scratchpad/cmd/scratchpad@latest"}, []string{fact})
	run("Successfully uninstalled", "plugin", "uninstall", "scratchpad@scratchpad")
	run("Successfully removed", "plugin", "marketplace", "remove", "scratchpad")
	settings, err := os.ReadFile(filepath.Join(p.home, ".claude", "settings.json"))
	if err != nil || strings.Contains(string(settings), "scratchpad") {
		t.Errorf("afterwards the settings are %s, %v", settings, err)
	}
}

// withoutProgram makes a folder for the PATH with what a hook needs, and without the program, which
// may be in the folders of the system.
func withoutProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "bash", "cat", "git"} {
		if path, err := exec.LookPath(name); err == nil {
			testkit.Must(t, os.Symlink(path, filepath.Join(dir, name)))
		}
	}
	return dir
}

// began is what Claude Code says when a session begins.
type began struct {
	Subtype string
	Skills  []string
	Servers []struct{ Name, Status string } `json:"mcp_servers"`
}

// pluginSession runs a session of Claude Code, and returns how it begins and the first request for
// a message.
func (p project) pluginSession(t *testing.T, requests ...request) (b began, first string) {
	t.Helper()
	m := newModel(t, requests...)
	args := []string{"--allowedTools", strings.TrimSuffix(pluginPrefix, "__"), "--output-format", "stream-json", "--verbose"}
	out, _ := p.host(t, m.claude(t, p, args...))
	for line := range strings.Lines(out) {
		if err := json.Unmarshal([]byte(line), &b); err == nil && b.Subtype == "init" {
			break
		}
	}
	if len(b.Servers) != 1 {
		t.Fatalf("the session has the servers %+v: %s", b.Servers, out)
	}
	for i, a := range m.answers {
		if a.IsError {
			t.Errorf("call %d: %+v", i, a)
		}
	}
	return b, m.first(t)
}
