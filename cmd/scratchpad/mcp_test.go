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
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// connect starts scratchpad as a child and connects a real MCP client to it.
func connect(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	session := connectTo(t, os.Stderr, nil, args...)
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the server ended with %v, want a clean exit", err)
		}
	})
	return session
}

// connectTo is connect with a standard error and variables.
func connectTo(t *testing.T, errs io.Writer, variables []string, args ...string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env, cmd.Stderr = environ(variables...), errs
	client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "1.2"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	return session
}

// call returns the text blocks of a tool's answer.
func call(t *testing.T, s *mcp.ClientSession, tool string, args any) (blocks []string, isError bool) {
	t.Helper()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	testkit.Must(t, err)
	for _, c := range res.Content {
		blocks = append(blocks, c.(*mcp.TextContent).Text)
	}
	return blocks, res.IsError
}

// wantCall calls a tool, whose answer must have a text. "!" before it: the answer is an error.
func wantCall(t *testing.T, s *mcp.ClientSession, tool string, args object, text string) {
	t.Helper()
	blocks, isError := call(t, s, tool, args)
	want, fails := strings.CutPrefix(text, "!")
	if got := strings.Join(blocks, "\n"); isError != fails || !strings.Contains(got, want) {
		t.Errorf("%s %v = %q, want %q", tool, args, got, text)
	}
}

// A client writes and reads, and is told what is wrong. Another process on the same file sees
// what was acknowledged, and serves the agent that it is bound to alone. --max-read-tokens
// bounds what it sends.
func TestMCP(t *testing.T) {
	db := filepath.Join(t.TempDir(), "test.db")
	long := strings.Repeat("a line that stays as it is, word for word\n", 50)
	s := connect(t, "mcp", "--db", db)
	bound := connect(t, "mcp", "--db", db, "--agent", "a", "--max-read-tokens", "100")
	for _, step := range []struct {
		s    *mcp.ClientSession
		tool string
		args object
		want string // "!" before: it is an error
	}{
		{s, "write_file", object{"agent_id": "a", "path": "plan.md", "content": "one\n" + long}, `{"path":"plan.md","version":1,"bytes_written":2104}`},
		{s, "write_file", object{"agent_id": "a", "path": "plan.md", "content": "two\n" + long, "if_version": 1}, `"version":2`},
		{s, "read_file", object{"agent_id": "a", "path": "plan.md", "since_version": 1}, `"diff":[{"op":"remove","lines":["one"]},{"op":"add","lines":["two"]},{"op":"equal","count":50}]}`},
		{s, "read_file", object{"agent_id": "a", "path": "plan.md", "since_version": 2}, `"unchanged":true`},
		{s, "read_file", object{"agent_id": "b", "path": "plan.md"}, "!not found"},
		{s, "write_file", object{"agent_id": "a", "path": "plan.md", "content": "x", "if_version": 1}, "!since_version 1"},
		{s, "write_file", object{"path": "x", "content": "x"}, "!argument agent_id is missing"},
		{bound, "read_file", object{"path": "plan.md", "since_version": 2}, `"unchanged":true`},
		{bound, "read_file", object{"path": "plan.md"}, `"truncated":true,"hint":"go on with from_line `},
		{bound, "read_file", object{"agent_id": "b", "path": "plan.md"}, "!leave it out"},
	} {
		wantCall(t, step.s, step.tool, step.args, step.want)
	}
}

// The last reads are counted when the process ends.
func TestMCPCountsLastReads(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "test.db")
	t.Run("session", func(t *testing.T) { // whose end is that of the process
		s := connect(t, "mcp", "--db", db, "--agent", "a")
		call(t, s, "write_file", object{"path": "plan.md", "content": "one"})
		for range 3 {
			call(t, s, "read_file", object{"path": "plan.md"})
		}
	})
	runCommand(t, dir, nil, "agents", "ls", "--db", db, "--json").must(t, 0, `"agent_id":"a",`, `"total_operations":4}`)
	s := connect(t, "mcp", "--db", db, "--agent", "a")
	wantCall(t, s, "get_usage_stats", object{}, `"total_operations":5`) // with this one
}

// A client can list the tools without a database. A call then says what to mend.
func TestMCPNoDatabase(t *testing.T) {
	s := connect(t, "mcp", "--db", filepath.Join(t.TempDir(), "missing", "test.db"))
	list, err := s.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) == 0 {
		t.Fatalf("ListTools() = %v, %v, want all tools", list, err)
	}
	wantCall(t, s, "read_file", object{"agent_id": "a", "path": "x"}, "!there is no folder")
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

// The tools are the storage tools, or the commands of Claude's memory tool, or both. The
// commands see the files of the storage tools.
func TestMCPTools(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	view := object{"command": "view", "path": "/memories/notes/a.md"}
	for _, c := range []struct {
		tools                      string
		storage, summarize, memory bool
	}{{"storage", true, true, false}, {"storage --summarizer off", true, false, false}, {"all", true, true, true}, {"memory", false, false, true}} {
		session := connect(t, append([]string{"mcp", "--db", db, "--agent", "a", "--tools"}, strings.Fields(c.tools)...)...)
		list, err := session.ListTools(t.Context(), nil)
		testkit.Must(t, err)
		has := func(name string) bool {
			return slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == name })
		}
		if has("write_file") != c.storage || has("summarize_file") != c.summarize || has("memory") != c.memory {
			t.Fatalf("--tools %s: the tools are %+v", c.tools, list.Tools)
		}
		if !c.memory {
			call(t, session, "write_file", object{"path": "notes/a.md", "content": "one\n"})
			continue
		}
		if blocks, isError := call(t, session, "memory", view); isError || !slices.Equal(blocks, []string{"Here's the content of /memories/notes/a.md with line numbers:\n     1\tone\n     2\t"}) {
			t.Errorf("--tools %s: view = %q", c.tools, blocks)
		}
	}
	runCommand(t, t.TempDir(), nil, "mcp", "--tools", "none").must(t, 2, "--tools")
}

// A server that has the tool memory alone tells of nothing that the tool cannot open.
func TestMCPMemoryInstructions(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "test.db")
	runCommand(t, dir, nil, "--db", db, "files", "edit", "plan.md", "", "text").must(t, 0)
	runCommand(t, dir, nil, "--db", db, "logs", "append", "checks", "text").must(t, 0)
	told := connect(t, "mcp", "--db", db, "--agent", "default", "--tools", "memory").InitializeResult().Instructions
	if !strings.Contains(told, "plan.md") || regexp.MustCompile(`checks|\blogs?\b|cursor|version| v1|#1`).MatchString(told) {
		t.Errorf("the instructions are %s", told)
	}
}
