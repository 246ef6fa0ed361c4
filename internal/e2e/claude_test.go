package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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

// claude runs a session of Claude Code, and returns the first request for a message.
func (p project) claude(t *testing.T, m *model) string {
	t.Helper()
	if out, _ := p.host(t, m.claude(t, p)); strings.TrimSpace(out) != "done" {
		t.Fatalf("claude -p printed %q", out)
	}
	return m.first(t)
}

// claude returns the command of a session of Claude Code with the model.
func (m *model) claude(t *testing.T, p project, args ...string) *exec.Cmd {
	t.Helper()
	cmd := p.command(t.Context(), claudePath(t), append([]string{"-p", "hello", "--mcp-config", ".mcp.json"}, args...)...)
	cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+m.url, "ANTHROPIC_API_KEY=sk-none")
	return cmd
}

// other makes a call as another client of the same project: by the file of VS Code.
func (p project) other(t *testing.T, tool string, args map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, ".vscode", "mcp.json"))
	var file struct {
		Servers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	testkit.Must(t, err)
	entry := file.Servers["scratchpad"]
	client := mcp.NewClient(&mcp.Implementation{Name: "other-editor", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: p.command(t.Context(), entry.Command, entry.Args...)}, nil)
	testkit.Must(t, err)
	defer session.Close()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil || res.IsError {
		t.Fatalf("%s = %+v, %v", tool, res, err)
	}
}

// Claude Code is told in its first request what is in the memory. In a second session the
// hook names exactly what another client of the project has changed meanwhile. Another
// project has another memory.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	home := t.TempDir()
	a, b := project{dir: filepath.Join(t.TempDir(), "alpha"), home: home}, project{dir: filepath.Join(t.TempDir(), "beta"), home: home}
	for _, p := range []project{a, b} {
		testkit.Must(t, os.Mkdir(p.dir, 0o700))
		p.scratchpad(t, "setup", "--yes", "--client", "claude-code", "--client", "vscode", "--bin", filepath.Dir(scratchpadPath))
	}
	const server = `An error says what to do next.\n\n` // the end of the instructions; what follows it is not the hook's
	a.other(t, "write_file", map[string]any{"path": "plan.md", "content": "one\n"})
	a.other(t, "write_file", map[string]any{"path": "style.md", "content": "SECRET\n"})
	wantAsked(t, "of what is there", a.claude(t, m), []string{
		server + `This memory holds 2 files and 0 logs with 0 entries (cursor 2). Newest:\nstyle.md v1 `, `\nplan.md v1 `,
	}, []string{"SECRET"})

	a.other(t, "edit_file", map[string]any{"path": "plan.md", "old_text": "one", "new_text": "two"})
	a.other(t, "append_log", map[string]any{"path": "decisions", "entry": "SECRET"})
	wantAsked(t, "of what changed", a.claude(t, m), []string{
		`Changed since cursor 2:\nedit plan.md v1->v2 by other-editor `, `\nappend decisions #1 by other-editor `,
	}, []string{"SECRET", "edit style.md", "create style.md"})

	wantAsked(t, "in another project", b.claude(t, m), []string{server + "This memory is empty (cursor 0)."}, []string{"plan.md", "Newest"})
}

// wantAsked compares the first request of a session with what it must tell.
func wantAsked(t *testing.T, what, body string, has, hasNot []string) {
	t.Helper()
	for _, text := range has {
		if !strings.Contains(body, text) {
			t.Errorf("the first request %s has no %q:\n%s", what, text, aboutMemory(body))
		}
	}
	for _, text := range hasNot {
		if strings.Contains(body, text) {
			t.Errorf("the first request %s has %q:\n%s", what, text, aboutMemory(body))
		}
	}
}

// aboutMemory returns the parts of a request around what it tells of the memory.
func aboutMemory(body string) string {
	var parts []string
	for rest := body; ; {
		_, after, found := strings.Cut(rest, "This memory ")
		if !found {
			return strings.Join(parts, "\n")
		}
		parts = append(parts, after[:min(len(after), 400)])
		rest = after
	}
}
