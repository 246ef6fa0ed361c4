package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// connect starts scratchpad as a child and connects a real MCP client to it.
func connect(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = environ()
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "1.2"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server ended with %v, want a clean exit", err)
		}
	})
	return session
}

// call returns the text blocks of a tool's answer.
func call(t *testing.T, s *mcp.ClientSession, tool string, args any) (blocks []string, isError bool) {
	t.Helper()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	for _, c := range res.Content {
		blocks = append(blocks, c.(*mcp.TextContent).Text)
	}
	return blocks, res.IsError
}

func TestMCP(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	type m = map[string]any
	long := strings.Repeat("a line that stays as it is, word for word\n", 50)
	s := connect(t, "mcp", "--db", db)
	for _, step := range []struct {
		tool string
		args m
		want []string
	}{
		{"write_file", m{"agent_id": "a", "path": "plan.md", "content": "one\n" + long}, []string{`{"path":"plan.md","version":1,"bytes_written":2104}`}},
		{"write_file", m{"agent_id": "a", "path": "plan.md", "content": "two\n" + long, "if_version": 1}, []string{`{"path":"plan.md","version":2,"bytes_written":2104}`}},
		{"read_file", m{"agent_id": "a", "path": "plan.md", "since_version": 1}, []string{
			`{"path":"plan.md","current_version":2,"since_version":1,"version_too_old":false,` +
				`"diff":[{"op":"remove","lines":["one"]},{"op":"add","lines":["two"]},{"op":"equal","count":50}]}`}},
		{"read_file", m{"agent_id": "a", "path": "plan.md", "since_version": 2}, []string{`{"path":"plan.md","current_version":2,"since_version":2,"unchanged":true}`}},
		{"read_file", m{"agent_id": "a", "path": "plan.md", "to_line": 1}, []string{
			`{"path":"plan.md","current_version":2,"bytes":2104,"lines":51,"from_line":1,"to_line":1}`, "two\n"}},
		{"write_file", m{"agent_id": "a", "path": "nul", "content": "\x00<&>\u2028"}, []string{`{"path":"nul","version":1,"bytes_written":7}`}},
		{"read_file", m{"agent_id": "a", "path": "nul"}, []string{`{"path":"nul","current_version":1,"bytes":7,"lines":1}`, "\x00<&>\u2028"}},
	} {
		got, isError := call(t, s, step.tool, step.args)
		if diff := cmp.Diff(step.want, got); diff != "" || isError {
			t.Errorf("%s %v (-want +got):\n%s", step.tool, step.args, diff)
		}
	}
	for _, step := range []struct {
		tool string
		args m
		want string
	}{
		{"read_file", m{"agent_id": "b", "path": "plan.md"}, "not found"},
		{"write_file", m{"agent_id": "a", "path": "plan.md", "content": "x", "if_version": 1}, "since_version 1"},
		{"write_file", m{"agent_id": "a", "path": "../x", "content": "x"}, `it holds ".."`},
		{"write_file", m{"agent_id": "a", "path": "x"}, "argument content is missing"},
		{"write_file", m{"path": "x", "content": "x"}, "argument agent_id is missing"},
		{"write_file", m{"agent_id": "a", "Path": "x", "content": "x"}, "it is spelled path"},
		{"read_file", m{"agent_id": "a", "path": "plan.md", "since_version": 1.5}, "whole number"},
	} {
		got, isError := call(t, s, step.tool, step.args)
		if !isError || len(got) != 1 || !strings.Contains(got[0], step.want) {
			t.Errorf("%s %v = %q, want an error with %q", step.tool, step.args, got, step.want)
		}
	}
	// Another process on the same file sees what was acknowledged.
	bound := connect(t, "mcp", "--db", db, "--agent", "a")
	if got, isError := call(t, bound, "read_file", m{"path": "plan.md", "since_version": 2}); isError {
		t.Errorf("read_file without agent_id from a bound server = %q, want an answer", got)
	}
	if got, isError := call(t, bound, "read_file", m{"agent_id": "b", "path": "plan.md"}); !isError {
		t.Errorf("read_file of another agent from a bound server = %q, want an error", got)
	}
}

// The last reads are counted when the process ends.
func TestMCPCountsLastReads(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "test.db")
	t.Run("session", func(t *testing.T) { // whose end is that of the process
		s := connect(t, "mcp", "--db", db, "--agent", "a")
		call(t, s, "write_file", map[string]any{"path": "plan.md", "content": "one"})
		for range 3 {
			call(t, s, "read_file", map[string]any{"path": "plan.md"})
		}
	})
	runCommand(t, dir, nil, "agents", "ls", "--db", db, "--json").must(t, 0, `"agent_id":"a",`, `"total_operations":4}`)
	s := connect(t, "mcp", "--db", db, "--agent", "a")
	if got, _ := call(t, s, "get_usage_stats", map[string]any{}); !strings.Contains(got[0], `"total_operations":5`) {
		t.Errorf("get_usage_stats = %q, want 5 operations with this one", got)
	}
}

// A client can list the tools without a database. A call then says what to mend.
func TestMCPNoDatabase(t *testing.T) {
	s := connect(t, "mcp", "--db", filepath.Join(t.TempDir(), "missing", "test.db"))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 14 {
		t.Fatalf("ListTools() = %v, %v, want 14 tools", list, err)
	}
	got, isError := call(t, s, "read_file", map[string]any{"agent_id": "a", "path": "x"})
	if !isError || !strings.Contains(got[0], "there is no folder") {
		t.Errorf("read_file = %q, want an error that names the missing folder", got)
	}
}

// A client that asks again what is there is told of what has been written meanwhile, also
// without a database.
func TestMCPBriefInMemory(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	cmd := exec.Command(os.Args[0], "mcp", "--db", "mem:", "--agent", "a")
	cmd.Env = environ()
	in, err := cmd.StdinPipe()
	testkit.Must(t, err)
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	defer cmd.Wait()
	defer in.Close()
	answers := bufio.NewScanner(out)
	for _, step := range [][2]string{
		{`"server/discover","params":{` + meta + `}`, "This memory is empty (cursor 0)."},
		{`"tools/call","params":{"name":"write_file","arguments":{"path":"plan.md","content":"one"},` + meta + `}`, "bytes_written"},
		{`"server/discover","params":{` + meta + `}`, "This memory holds 1 file"},
	} {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":%s}`+"\n", step[0])
		if !answers.Scan() || !strings.Contains(answers.Text(), step[1]) {
			t.Fatalf("%s is answered with %s, want %q in it", step[0], answers.Text(), step[1])
		}
	}
}

// A server with an empty --agent must not serve every agent.
func TestMCPEmptyAgent(t *testing.T) {
	for _, name := range []string{"", "a b"} {
		cmd := exec.Command(os.Args[0], "mcp", "--db", "mem:", "--agent", name)
		cmd.Env = environ()
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "--agent: agent_id") {
			t.Errorf("scratchpad mcp --agent %q: %v, %s, want an error that names the rule", name, err, out)
		}
	}
}

// printVariable names a file. Once the file exists, code that knows nothing about MCP
// prints to standard output, and then makes the file with .done after its name.
const printVariable = "SCRATCHPAD_TEST_PRINT"

const printed = "printed by mistake"

func printWhen(file string) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if content, _ := os.ReadFile(file); len(content) > 0 {
			fmt.Println(printed)
			os.WriteFile(file+".done", content, 0o600)
			return
		}
	}
}

// Only MCP goes to the client, whatever else is printed.
func TestMCPOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "print")
	ctx, cancel := context.WithTimeout(t.Context(), waitPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "mcp", "--db", "mem:", "--agent", "a")
	cmd.Env = environ(printVariable + "=" + file)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	testkit.Must(t, err)
	pipe, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	out := bufio.NewReader(pipe)
	io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\n")
	lines, err := out.ReadString('\n')
	testkit.Must(t, err)
	writeFile(t, file, "now")
	for tick := time.Tick(10 * time.Millisecond); ctx.Err() == nil; <-tick {
		if _, err := os.Stat(file + ".done"); err == nil {
			break
		}
	}
	io.WriteString(in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	in.Close()
	rest, err := io.ReadAll(out)
	testkit.Must(t, errors.Join(err, cmd.Wait()))
	lines += string(rest)
	for line := range strings.Lines(lines) {
		if !json.Valid([]byte(line)) {
			t.Errorf("the client gets %q", line)
		}
	}
	if n := strings.Count(lines, "\n"); n != 2 || !strings.Contains(errs.String(), printed) {
		t.Errorf("%d lines on standard output, want 2 answers; on standard error: %q, want what was printed", n, errs.String())
	}
}

// The flags decide how a file is summarised. With off, there is no such tool.
func TestMCPSummaries(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	s := connect(t, "mcp", "--db", db, "--agent", "a")
	call(t, s, "write_file", map[string]any{"path": "plan.md", "content": longText})
	for _, cached := range []string{`"cached":false`, `"cached":true`} {
		got, isError := call(t, s, "summarize_file", map[string]any{"path": "plan.md"})
		if isError || len(got) != 2 || !strings.Contains(got[0], cached) || !strings.Contains(got[1], "Outline of version 1") || !strings.Contains(got[1], "# The plan") {
			t.Errorf("summarize_file = %q, want an outline, %s", got, cached)
		}
	}
	list, err := connect(t, "mcp", "--db", db, "--summarizer", "off").ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 13 {
		t.Errorf("ListTools() with --summarizer off = %v, %v, want 13 tools", list, err)
	}
	runCommand(t, t.TempDir(), nil, "files", "summarize", "plan.md", "--db", db, "--agent", "a").must(t, 0, "kept from before", "# The plan")
}

// The limit on what read_file sends comes from the flag or its variable.
// The tools are the storage tools, or the commands of Claude's memory tool, or both. The
// commands see the files of the storage tools.
func TestMCPTools(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	view := map[string]any{"command": "view", "path": "/memories/notes/a.md"}
	for _, c := range []struct {
		tools string
		count int
	}{{"storage", 14}, {"all", 15}, {"memory", 1}} {
		session := connect(t, "mcp", "--db", db, "--agent", "a", "--tools", c.tools)
		list, err := session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != c.count {
			t.Fatalf("--tools %s: %d tools, %v", c.tools, len(list.Tools), err)
		}
		if c.tools == "storage" {
			call(t, session, "write_file", map[string]any{"path": "notes/a.md", "content": "one\n"})
			continue
		}
		if blocks, isError := call(t, session, "memory", view); isError || !slices.Equal(blocks, []string{"Here's the content of /memories/notes/a.md with line numbers:\n     1\tone\n     2\t"}) {
			t.Errorf("--tools %s: view = %q", c.tools, blocks)
		}
	}
	runCommand(t, t.TempDir(), nil, "mcp", "--tools", "none").must(t, 2, "--tools")
}

func TestMCPMaxReadTokens(t *testing.T) {
	text := strings.Repeat("a line of a long file\n", 1000)
	ask := func(args ...string) string {
		session := connect(t, append([]string{"mcp", "--db", "mem:", "--agent", "a"}, args...)...)
		call(t, session, "write_file", map[string]any{"path": "f", "content": text})
		blocks, isError := call(t, session, "read_file", map[string]any{"path": "f"})
		if isError || len(blocks) != 2 {
			t.Fatalf("read_file with %q = %q", args, blocks)
		}
		return blocks[0] + blocks[1]
	}
	if got := ask(); !strings.HasSuffix(got, text) || strings.Contains(got, "truncated") {
		t.Errorf("read_file without a bound = %.200q, want the whole file", got)
	}
	const want = `"truncated":true,"hint":"go on with from_line `
	if got := ask("--max-read-tokens", "1000"); !strings.Contains(got, want) || len(got) > 5000 {
		t.Errorf("read_file with --max-read-tokens = %.200q, want a part", got)
	}
	t.Setenv("SCRATCHPAD_MAX_READ_TOKENS", "1000")
	if got := ask(); !strings.Contains(got, want) {
		t.Errorf("read_file with the variable = %.200q, want a part", got)
	}
}
