package e2e

import (
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
	if err := os.WriteFile(filepath.Join(p.dir, ".mcp.json"), []byte(p.snippet(t, "claude-code", g.url)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := p.host(t, m.claude(t, p, "--allowedTools", "mcp__scratchpad", "--output-format", "stream-json", "--verbose"))
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
	if err := errors.Join(os.Mkdir(filepath.Dir(config), 0o700), os.WriteFile(config, []byte("model = 'm'\nmodel_provider = 'loopback'\n"+
		"[model_providers.loopback]\nname = 'loopback'\nbase_url = '"+m.url+"/v1'\nwire_api = 'responses'\n"+p.snippet(t, "codex", g.url)), 0o600)); err != nil {
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
