package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func makeRepositories(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		for _, part := range []string{"objects", "refs"} {
			testkit.Must(t, os.MkdirAll(filepath.Join(folder, ".git", part), 0o700))
		}
		testkit.Must(t, os.WriteFile(filepath.Join(folder, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	}
}

// From each project the tools reach the memory for everything under ~/, and from nowhere else. The
// versions keep the project that they are from. Commands name that memory otherwise, and say so.
func TestHome(t *testing.T) {
	dir := t.TempDir()
	db, env := filepath.Join(dir, "test.db"), []string{"HOME=" + dir}
	makeRepositories(t, filepath.Join(dir, "shop"), filepath.Join(dir, "blog"))
	serve := func(args ...string) *mcp.ClientSession {
		return connect(t, append([]string{"mcp", "--db", db}, args...)...)
	}
	shop, blog := serve("--project", filepath.Join(dir, "shop")), serve("--project", filepath.Join(dir, "blog"))
	testkit.Must(t, os.MkdirAll(filepath.Join(dir, "odd", ".git"), 0o700)) // which is not believed
	outside, odd := serve("--project", dir), serve("--project", filepath.Join(dir, "odd"))
	named, none := serve("--agent", "shop"), serve("--home", "no", "--project", filepath.Join(dir, "shop"))
	memory := connect(t, "mcp", "--db", "mem:", "--project", filepath.Join(dir, "shop"))
	for _, step := range []struct {
		s    *mcp.ClientSession
		tool string
		args object
		want string // "!" before: it is an error
	}{
		{shop, "list_files", object{"prefix": "~/"}, `{"count":0,`},
		{shop, "search", object{"query": "tabs"}, `{"count":0,`},
		{shop, "write_file", object{"path": "~/style.md", "content": "tabs"}, `{"path":"~/style.md","version":1,`},
		{shop, "write_file", object{"path": "plan.md", "content": "tabs, too"}, `{"path":"plan.md","version":1,`},
		{blog, "read_file", object{"path": "~/style.md"}, "tabs"},
		{blog, "search", object{"query": "tabs"}, "~/style.md\t1\ttabs"},
		{blog, "list_files", object{}, `{"count":0,`},
		{blog, "edit_file", object{"path": "~/style.md", "old_text": "tabs", "new_text": "spaces"}, `"version":2`},
		{shop, "write_file", object{"path": "~/old.md", "content": "old"}, `"version":1`},
		{blog, "delete_file", object{"path": "~/old.md"}, `{"path":"~/old.md","deleted":true,"versions_kept":1,`},
		{outside, "read_file", object{"path": "old.md", "version": 1}, "old"},
		{blog, "write_file", object{"path": "~/START.md", "content": "x"}, "!scratchpad --agent default files write START.md"},
		{blog, "append_log", object{"path": "~/day", "entry": "x"}, "!append_log does not reach ~/"},
		{blog, "read_file", object{"path": "~/style.md", "agent_id": "default"}, "!leave it out"},
		{odd, "edit_file", object{"path": "style.md", "old_text": "", "new_text": "!"}, `"version":3`},
		{odd, "write_file", object{"path": "START.md", "content": "x"}, "!scratchpad --agent default files write START.md"},
		{outside, "write_file", object{"path": "START.md", "content": "x"}, `"version":1`},
		{outside, "read_file", object{"path": "style.md"}, "spaces"},
		{outside, "read_file", object{"path": "~/style.md"}, "!character 1 is '~'"},
		{none, "read_file", object{"path": "~/style.md"}, "!character 1 is '~'"},
		{named, "read_file", object{"path": "~/style.md"}, "!character 1 is '~'"},
		{memory, "read_file", object{"path": "~/style.md"}, "!character 1 is '~'"},
	} {
		wantCall(t, step.s, step.tool, step.args, step.want)
	}
	for s, want := range map[*mcp.ClientSession]bool{shop: true, outside: false, none: false} {
		if text := s.InitializeResult().Instructions; strings.Contains(text, "~/style.md") != want {
			t.Errorf("an agent is told %q, want something of ~/: %v", text, want)
		}
	}
	run := func(args ...string) outcome { return runCommand(t, dir, env, append([]string{"--db", db}, args...)...) }
	run("--agent", "default", "files", "history", "style.md").must(t, 0, "from project shop", "from project blog", "from project folder odd")
	run("--agent", "default", "files", "history", "style.md", "--json").must(t, 0, `"project":"shop"`)
	run("agents", "ls").must(t, 0, "default", "shop")
	testHomeOfCommands(t, dir, run)
	testBoundServer(t, shop, dir, run)
}

// Commands name the memory for everything otherwise, and say so.
func testHomeOfCommands(t *testing.T, dir string, run func(...string) outcome) {
	t.Helper()
	for _, path := range []string{"~/style.md", filepath.Join(dir, "style.md")} {
		run("files", "cat", path).must(t, 2, "here the file is style.md, with --agent default")
		run("files", "mv", "a", path).must(t, 2, "--agent default")
		run("files", "ls", path).must(t, 2, "--agent default")
	}
	run("files", "ls", "~/").must(t, 2, "here leave it out, and give --agent default")
}

// What a server writes lands in no memory that its folder has no longer.
func testBoundServer(t *testing.T, shop *mcp.ClientSession, dir string, run func(...string) outcome) {
	t.Helper()
	run("projects", "set", filepath.Join(dir, "shop"), "ours").must(t, 0, "restart the client")
	for _, path := range []string{"w.md", "~/w.md"} {
		wantCall(t, shop, "write_file", object{"path": path, "content": "x"}, "!restart")
	}
	testkit.Must(t, os.RemoveAll(filepath.Join(dir, "shop")))
	wantCall(t, shop, "write_file", object{"path": "w.md", "content": "x"}, "") // its folder is gone
}

// A server's instructions show nothing of a project that took the name for which its own waited.
func TestMCPShowsItsOwnProject(t *testing.T) {
	dir, db := newDatabase(t)
	makeRepositories(t, filepath.Join(dir, "a/kiosk"), filepath.Join(dir, "b/kiosk"))
	cmd := exec.Command(os.Args[0], "mcp", "--db", db, "--project", filepath.Join(dir, "a/kiosk"))
	cmd.Env, cmd.Stderr = environ("HOME="+dir), os.Stderr
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	testkit.Must(t, errors.Join(err, err2, cmd.Start()))
	answers := bufio.NewReader(out)
	ask := func(line string) string {
		testkit.Must(t, testkit.Err(io.WriteString(in, line+"\n")))
		answer, err := answers.ReadString('\n')
		testkit.Must(t, err)
		return answer
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	runCommand(t, filepath.Join(dir, "b/kiosk"), []string{"HOME=" + dir}, "--db", db, "files", "write", "secret-plan.md").must(t, 0)
	if got := ask(initializeLine); strings.Contains(got, "secret-plan") || !strings.Contains(got, "This memory is empty") {
		t.Errorf("the instructions are %s", got)
	}
	in.Close()
	testkit.Must(t, cmd.Wait())
}

const initializeLine = `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
