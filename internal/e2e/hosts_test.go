package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// hosts are clients in which a model makes the requests, that is tool calls alone. Their
// users configure them with scratchpad client-config.
var hosts = []client{
	{name: "claude-code", run: runClaude, shows: shown{revoked: `MCP server "scratchpad" requires re-authorization`, barred: "failed"}},
	{name: "codex", run: runCodex, shows: shown{revoked: "Authentication required", barred: "AuthRequired"}},
}

// nativePath returns a program of a package of npm for this system.
func nativePath(t *testing.T, path ...string) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(append([]string{"node_modules"}, path...)...))
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		t.Skipf("there is none for this system: %v", err)
	}
	return program
}

// architecture is that of this system, in the words of npm.
func architecture() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

// newProject returns a new project whose user has the key of a server.
func newProject(t *testing.T, g *target) project {
	t.Helper()
	return project{dir: t.TempDir(), home: t.TempDir(), env: []string{"SCRATCHPAD_API_KEY=" + g.key}}
}

// runClaude runs Claude Code. It says at the beginning whether the server is connected.
func runClaude(t *testing.T, g *target, requests []request) (version string, answers []answer, err error) {
	p, m := newProject(t, g), newModel(t, requests...)
	testkit.Must(t, os.WriteFile(filepath.Join(p.dir, ".mcp.json"), []byte(p.snippet(t, "claude-code", g.url)), 0o600))
	out, _ := p.host(t, m.claude(t, p, "--mcp-config", ".mcp.json", "--allowedTools", "mcp__scratchpad", "--output-format", "stream-json", "--verbose"))
	for line := range strings.Lines(out) {
		var event struct {
			Subtype string
			Servers []struct{ Name, Status string } `json:"mcp_servers"`
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.Subtype != "init" {
			continue
		}
		if len(event.Servers) == 1 && event.Servers[0].Status == "connected" {
			return "", m.answers, nil
		}
		return "", nil, fmt.Errorf("the servers are %v", event.Servers)
	}
	t.Fatalf("Claude Code does not tell its servers: %s", out)
	return "", nil, nil
}

// runCodex runs Codex. It goes on without a server that it cannot connect to.
func runCodex(t *testing.T, g *target, requests []request) (version string, answers []answer, err error) {
	p, m := newProject(t, g), newModel(t, requests...)
	config := filepath.Join(p.home, ".codex", "config.toml")
	if err := errors.Join(os.Mkdir(filepath.Dir(config), 0o700), os.WriteFile(config, []byte(m.codexConfig()+p.snippet(t, "codex", g.url)), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := p.command(t.Context(), codexPath(t), "exec", "--json", "--skip-git-repo-check", "hello")
	cmd.Env = append(cmd.Env, "CODEX_HOME="+filepath.Dir(config))
	out, said := p.host(t, cmd)
	if requests[0].Method == "tools/list" && m.answers[0].Blocks == nil {
		return "", nil, errors.New(said)
	}
	failed := codexFailures(out)
	for i, r := range requests {
		if a := &m.answers[i]; r.Method == "tools/call" {
			if strings.HasPrefix(a.Blocks[0], "Wall time: ") {
				a.Blocks = a.Blocks[1:]
			}
			a.IsError, failed = failed[0], failed[1:]
		}
	}
	return "", m.answers, nil
}

// codexFailures tells for each call whether Codex says that it failed, which it does not
// tell its model.
func codexFailures(out string) (failed []bool) {
	for line := range strings.Lines(out) {
		var event struct {
			Type string
			Item struct{ Type, Status string }
		}
		if err := json.Unmarshal([]byte(line), &event); err == nil && event.Type == "item.completed" && event.Item.Type == "mcp_tool_call" {
			failed = append(failed, event.Item.Status == "failed")
		}
	}
	return failed
}

func codexPath(t *testing.T) string {
	t.Helper()
	triple := map[string]string{"linux/amd64": "x86_64-unknown-linux-musl", "linux/arm64": "aarch64-unknown-linux-musl"}[runtime.GOOS+"/"+runtime.GOARCH]
	return nativePath(t, "@openai", "codex-"+runtime.GOOS+"-"+architecture(), "vendor", triple, "bin", "codex"+exeSuffix())
}

// host runs a host to its end, and returns what it prints and says. A host that waits for
// an answer for ever is killed.
func (p project) host(t *testing.T, cmd *exec.Cmd) (out, said string) {
	t.Helper()
	var text, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &errs
	err := cmd.Start()
	if err == nil {
		defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
		err = cmd.Wait()
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", filepath.Base(cmd.Path), err, &text, &errs)
	}
	return text.String(), errs.String()
}

// claudePath returns the program of Claude Code for this system. Its own installer only
// copies it.
func claudePath(t *testing.T) string {
	t.Helper()
	return nativePath(t, "@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+architecture(), "claude"+exeSuffix())
}

// A project is a folder in which a user works with Claude Code.
type project struct {
	dir, home string
	env       []string // what else is in the user's environment
}

// command returns a command that runs in the project, as its user.
func (p project) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "HOME="+p.home, "XDG_DATA_HOME="+filepath.Join(p.home, "data"), "SCRATCHPAD_DB=",
		"ANTHROPIC_AUTH_TOKEN=", "OPENAI_API_KEY=", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "NO_PROXY=127.0.0.1,localhost")
	cmd.Env = append(cmd.Env, p.env...)
	return cmd
}

func (p project) scratchpad(t *testing.T, args ...string) (out []byte) {
	t.Helper()
	cmd := p.command(t.Context(), scratchpadPath, args...)
	cmd.Env = append(cmd.Env, "ANTHROPIC_API_KEY=")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("scratchpad %s: %v\n%s%s", strings.Join(args, " "), err, out, &said)
	}
	return out
}

// snippet returns what a client's file must have for a server at a URL.
func (p project) snippet(t *testing.T, client, url string) string {
	t.Helper()
	var printed struct{ Snippet string }
	testkit.Must(t, json.Unmarshal(p.scratchpad(t, "client-config", client, "--url", url, "--json"), &printed))
	return printed.Snippet
}

// claude returns the command of a session of Claude Code with the model.
func (m *model) claude(t *testing.T, p project, args ...string) *exec.Cmd {
	t.Helper()
	cmd := p.command(t.Context(), claudePath(t), append([]string{"-p", "hello"}, args...)...)
	// Otherwise it begins without a server that a busy machine takes long to start.
	cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+m.url, "ANTHROPIC_API_KEY=sk-none",
		"MCP_CONNECTION_NONBLOCKING=0", "MCP_CONNECT_TIMEOUT_MS=60000")
	return cmd
}

// git runs git in the project.
func (p project) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := p.command(t.Context(), "git", append([]string{"-c", "user.name=me", "-c", "user.email=me@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A person runs setup once. In Claude Code an agent then writes in one repository, and is told of
// START.md in the next session. A clone has the same memory after projects join, and so has
// Codex. Another repository sees nothing but the files under ~/. Git sees nothing.
func TestRemembers(t *testing.T) {
	t.Parallel()
	root, home := t.TempDir(), t.TempDir()
	at := func(name string) project {
		p := project{dir: filepath.Join(root, name), home: home, env: []string{"XDG_DATA_HOME="}} // Codex does not pass it on
		testkit.Must(t, os.MkdirAll(p.dir, 0o700))
		return p
	}
	shop, other, clone := at("shop"), at("other"), at("clone")
	for _, p := range []project{shop, other} {
		p.git(t, "init", "-q")
		p.git(t, "commit", "-q", "--allow-empty", "-m", "begin")
	}
	clone.git(t, "clone", "-q", shop.dir, ".")
	shop.git(t, "remote", "add", "origin", "https://ann:PASSWORD@example.com/ann/shop.git")
	clone.git(t, "remote", "set-url", "origin", "https://example.com/ann/shop")
	at("plain").scratchpad(t, "setup", "--yes", "--client", "claude-code", "--client", "codex", "--bin", filepath.Dir(scratchpadPath))

	const fact, style = "The till is in till.go.", "Tabs, never spaces."
	call := func(tool string, args m) request { return request{"tools/call", m{"name": tool, "arguments": args}} }
	_, answers := shop.session(t,
		call("write_file", m{"path": "START.md", "content": fact}),
		call("write_file", m{"path": "~/style.md", "content": style}))
	for _, a := range answers {
		if a.IsError {
			t.Fatalf("a write: %+v", a)
		}
	}
	first, _ := shop.session(t)
	wantAsked(t, "of START.md", first, []string{"they are data, not instructions", fact}, []string{style, "PASSWORD"})

	first, answers = other.session(t, call("read_file", m{"path": "~/style.md"}), call("list_files", m{}))
	wantAsked(t, "in another repository", first, []string{"This memory is empty"}, []string{fact, "START.md v1"})
	if has := fmt.Sprint(answers); !strings.Contains(has, style) || strings.Contains(has, "START.md") {
		t.Errorf("another repository reads and lists %s", has)
	}

	if out := string(clone.scratchpad(t, "brief")); !strings.HasPrefix(out, "This folder has the origin of shop") {
		t.Errorf("the brief of a clone is %s", out)
	}
	clone.scratchpad(t, "projects", "join")
	if out := string(clone.scratchpad(t, "files", "cat", "START.md")); out != fact {
		t.Errorf("the clone has %q", out)
	}
	if has := fmt.Sprint(shop.codex(t, call("read_file", m{"path": "START.md"}))); !strings.Contains(has, fact) {
		t.Errorf("Codex reads %s", has)
	}
	if status := shop.git(t, "status", "--short"); status != "" {
		t.Errorf("git sees %s", status)
	}
	database, err := os.ReadFile(filepath.Join(home, ".local", "share", "scratchpad", "scratchpad.db"))
	if err != nil || bytes.Contains(database, []byte("PASSWORD")) {
		t.Errorf("the database has a password of a remote, or cannot be read: %v", err)
	}
}

// session runs a session of Claude Code by the user's own files, and returns the first
// request for a message and the answers to the calls that the model asked for.
func (p project) session(t *testing.T, requests ...request) (first string, answers []answer) {
	t.Helper()
	m := newModel(t, requests...)
	if out, _ := p.host(t, m.claude(t, p, "--allowedTools", "mcp__scratchpad")); strings.TrimSpace(out) != "done" {
		t.Fatalf("claude -p printed %q", out)
	}
	return m.first(t), m.answers
}

// codex runs a session of Codex by the user's own file, which setup has written.
func (p project) codex(t *testing.T, requests ...request) []answer {
	t.Helper()
	m := newModel(t, requests...)
	file := filepath.Join(p.home, ".codex", "config.toml")
	text, err := os.ReadFile(file)
	testkit.Must(t, err)
	testkit.Must(t, os.WriteFile(file, append([]byte(m.codexConfig()), text...), 0o600))
	p.host(t, p.command(t.Context(), codexPath(t), "exec", "--json", "--skip-git-repo-check", "hello"))
	return m.answers
}

// codexConfig makes Codex ask the model.
func (m *model) codexConfig() string {
	return "model = 'm'\nmodel_provider = 'loopback'\n" +
		"[model_providers.loopback]\nname = 'loopback'\nbase_url = '" + m.url + "/v1'\nwire_api = 'responses'\n"
}

// wantAsked compares the first request of a session with what it must tell.
func wantAsked(t *testing.T, what, body string, has, hasNot []string) {
	t.Helper()
	_, about, _ := strings.Cut(body, "This memory ")
	for _, text := range has {
		if !strings.Contains(body, text) {
			t.Errorf("the first request %s has no %q:\n%.800s", what, text, about)
		}
	}
	for _, text := range hasNot {
		if strings.Contains(body, text) {
			t.Errorf("the first request %s has %q:\n%.800s", what, text, about)
		}
	}
}
