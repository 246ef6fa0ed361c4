package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// loadServer is the variable that makes the test binary a server.
const loadServer = "SCRATCHPAD_LOAD_SERVER"

// maxResident is the most memory that a server may take under any load, in MiB.
const maxResident = 256

// A load is many large calls at once.
type load struct {
	long, full int    // the calls: see testkit.Pick
	args       string // of read_file
	reads      bool   // the client reads its answers
}

func (l load) calls() int { return testkit.Pick(0, l.long, l.full) }

var loads = map[string]load{
	"unread answers":  {150, 3000, `{"path":"large"}`, false},
	"parallel reads":  {50, 500, `{"path":"large"}`, true},
	"worst diffs":     {5, 60, `{"path":"lines","since_version":1}`, true},
	"whole diffs":     {1, 4, `{"path":"lines","since_version":1,"context":-1}`, true},
	"escaped answers": {5, 60, `{"path":"controls"}`, true},
}

// Under each load, a server with two processors stays small and answers the small calls
// of other clients.
func TestLoad(t *testing.T) {
	testkit.SkipUnlessLong(t)
	for name, l := range loads {
		t.Run(name, func(t *testing.T) { loadHTTP(t, l) })
	}
}

// loadMain runs the server of TestLoad over a full database.
func loadMain() error {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(context.Background(), filepath.Join(dir, "load.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	svc, err := workspace.New(store, workspace.Options{})
	if err != nil {
		return err
	}
	defer svc.Close(context.Background())
	if err := fillForLoad(svc); err != nil {
		return err
	}
	server, err := mcpserver.New(mcpserver.Options{
		Bound: true, Timeout: 5 * time.Minute, Logger: slog.New(slog.DiscardHandler), Workspace: workspaces(svc, "a"),
	})
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // VmHWM begins here
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		l.Close()
	}()
	if err := http.Serve(smallBuffers{l}, server.Handler()); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// smallBuffers makes the kernel's buffers small, so that they do not take what a client
// leaves unread.
type smallBuffers struct{ net.Listener }

func (s smallBuffers) Accept() (net.Conn, error) {
	conn, err := s.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(16 << 10)
	}
	return conn, err
}

func fillForLoad(svc *workspace.Service) error {
	ws, err := svc.Agent("a")
	if err != nil {
		return err
	}
	const mebibyte = 1 << 20
	r := rand.New(rand.NewPCG(1, 1))
	lines := func() []byte { // some 700,000 lines that share nothing to hold on to
		b := make([]byte, 0, mebibyte)
		for len(b) < mebibyte-1 {
			if r.IntN(2) == 0 {
				b = append(b, byte('!'+r.IntN(60)))
			}
			b = append(b, '\n')
		}
		return b
	}
	for _, f := range []struct {
		path string
		text []byte
	}{
		{"large", bytes.Repeat([]byte("the quick brown fox jumps over it all\n"), mebibyte/38)},
		{"controls", bytes.Repeat([]byte{1}, mebibyte)},
		{"lines", lines()}, {"lines", lines()}, {"small", []byte("small")},
	} {
		if _, err := ws.WriteFile(context.Background(), f.path, f.text, workspace.WriteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// startLoad starts a server as a process of its own.
func startLoad(t *testing.T) (cmd *exec.Cmd, address string) {
	t.Helper()
	cmd = exec.Command(must(os.Executable())(t))
	cmd.Env = append(os.Environ(), loadServer+"=1", "GOMAXPROCS=2", "GOGC=400", "GOMEMLIMIT=160MiB")
	cmd.Stderr = os.Stderr
	in := must(cmd.StdinPipe())(t)
	pipe := must(cmd.StdoutPipe())(t)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, pipe)
		if err := cmd.Wait(); err != nil && cmd.ProcessState.Exited() {
			t.Errorf("the server ended with %v", err)
		}
	})
	address = must(bufio.NewReader(pipe).ReadString('\n'))(t)
	return cmd, strings.TrimSpace(address)
}

// waitUntilIdle waits until a process has used little time for a second, because it has
// answered all it can. Small calls go on meanwhile.
func waitUntilIdle(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	before := processorTime(t, cmd)
	for range 120 {
		time.Sleep(time.Second)
		now := processorTime(t, cmd)
		if now-before < 20 { // hundredths of a second
			return
		}
		before = now
	}
	t.Error("the server does not come to rest")
}

func processorTime(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	stat := must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid)))(t)
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	testkit.Must(t, errors.Join(err1, err2))
	return user + system
}

// checkResident compares the most memory that the process ever had with maxResident.
func checkResident(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	status := must(os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)))(t)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib := must(strconv.Atoi(strings.Fields(rest)[0]))(t)
	if t.Logf("%d MiB resident at most", kib>>10); kib>>10 >= maxResident {
		t.Errorf("the server had %d MiB, want less than %d", kib>>10, maxResident)
	}
}

func loadHTTP(t *testing.T, l load) {
	cmd, address := startLoad(t)
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() { smallCalls(t, address, stop) })
	var calls sync.WaitGroup
	for range l.calls() {
		conn := must(net.Dial("tcp", address))(t)
		defer conn.Close()
		if !l.reads {
			conn.(*net.TCPConn).SetReadBuffer(16 << 10)
		}
		io.WriteString(conn, httpRequest("read_file", l.args))
		if l.reads {
			calls.Go(func() { readAnswer(t, conn) })
		}
	}
	if !l.reads {
		waitUntilIdle(t, cmd)
	}
	calls.Wait()
	close(stop)
	others.Wait()
	checkResident(t, cmd)
}

func httpRequest(tool, args string) string {
	body := request("1", tool, args)
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\nContent-Length: %d\r\n\r\n%s", tool, len(body), body)
}

func readAnswer(t *testing.T, conn net.Conn) {
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Error(err)
		return
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || !bytes.Contains(text, []byte(`"result":{"`)) || bytes.Contains(text, []byte(`"isError":true`)) {
		t.Errorf("answer %d %.300s, %v, want a result", res.StatusCode, text, err)
	}
}

// smallCalls makes small calls until it is told to stop. All must be answered.
func smallCalls(t *testing.T, address string, stop <-chan struct{}) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	for {
		io.WriteString(conn, httpRequest("read_file", `{"path":"small"}`))
		readAnswer(t, conn)
		io.WriteString(conn, httpRequest("append_log", `{"path":"log","entry":"x"}`))
		readAnswer(t, conn)
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestTools(t *testing.T) {
	for _, c := range []struct {
		tools            mcpserver.Tools
		count            int
		memory, longText bool
	}{
		{mcpserver.StorageTools, len(storageTools), false, true},
		{mcpserver.MemoryTool, 1, true, false},
		{mcpserver.AllTools, len(storageTools) + 1, true, true},
	} {
		svc := newService(t, workspace.Options{})
		session := connect(t, newServerWith(t, mcpserver.Options{Workspace: workspaces(svc, ""), Tools: c.tools}))
		list := must(session.ListTools(t.Context(), nil))(t)
		var memory *mcp.Tool
		for _, tool := range list.Tools {
			if tool.Name == "memory" {
				memory = tool
			}
		}
		if len(list.Tools) != c.count || (memory != nil) != c.memory {
			t.Errorf("tools %d: %d of them, memory %v", c.tools, len(list.Tools), memory)
		}
		if memory != nil && (memory.Annotations.ReadOnlyHint || !*memory.Annotations.DestructiveHint || memory.Annotations.IdempotentHint || *memory.Annotations.OpenWorldHint) {
			t.Errorf("annotations %+v", memory.Annotations)
		}
		told := session.InitializeResult().Instructions
		if strings.Contains(told, "/memories") != c.memory || strings.Contains(told, "edit_file") != c.longText || !strings.Contains(told, "agent_id") {
			t.Errorf("tools %d: instructions %q", c.tools, told)
		}
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory", Arguments: m{"agent_id": "a", "command": "view", "path": "/memories"}})
		if c.memory != (err == nil && !res.IsError) {
			t.Errorf("tools %d: %+v, %v", c.tools, res, err)
		}
	}
	if _, err := mcpserver.New(mcpserver.Options{Workspace: workspaces(nil, ""), Tools: 3}); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("Tools 3: %v", err)
	}
}

// The tool and its instructions cost a conversation less than the storage tools.
func TestMemoryToolTokens(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t, workspace.Options{})
	for bound, most := range map[string]int{"": 290, "a": 270} {
		session := connect(t, newServerWith(t, mcpserver.Options{Bound: bound != "", Workspace: workspaces(svc, bound), Tools: mcpserver.MemoryTool}))
		list := must(session.ListTools(t.Context(), nil))(t)
		shown, err := json.Marshal(struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			InputSchema any    `json:"inputSchema"`
		}{list.Tools[0].Name, list.Tools[0].Description, list.Tools[0].InputSchema})
		testkit.Must(t, err)
		if n := o200k.Count(string(shown)); n > most {
			t.Errorf("bound %q: the tool costs %d tokens, at most %d are allowed: %s", bound, n, most, shown)
		} else {
			t.Logf("bound %q: the tool costs %d tokens, the instructions %d", bound, n, o200k.Count(session.InitializeResult().Instructions))
		}
	}
}

// A key with which a call can be repeated is refused, because the commands keep none.
func TestMemoryToolKey(t *testing.T) {
	svc := newService(t, workspace.Options{})
	session := connect(t, newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a"), Tools: mcpserver.MemoryTool}))
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{
		Meta: mcp.Meta{"scratchpad/idempotency_key": "k"}, Name: "memory",
		Arguments: m{"command": "create", "path": "/memories/f", "file_text": ""},
	})
	if err != nil || !res.IsError || !strings.Contains(fmt.Sprint(res.Content[0].(*mcp.TextContent).Text), "takes no idempotency key") {
		t.Errorf("%+v, %v", res, err)
	}
}

// Over HTTP a large file goes through, in both directions, and a budget of the least memory
// is enough.
func TestMemoryToolOverHTTP(t *testing.T) {
	testkit.SkipInShort(t)
	svc := newService(t, workspace.Options{})
	server := newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(svc, "a"), Tools: mcpserver.MemoryTool, Memory: 1 << 20})
	session := connectHTTP(t, serveHTTP(t, server), modern)
	text := strings.Repeat("a line of text\n", 60_000)
	mustCall(t, session, "memory", m{"command": "create", "path": "/memories/large", "file_text": text})
	mustCall(t, session, "memory", m{"command": "insert", "path": "/memories/large", "insert_line": 0, "insert_text": "first"})
	if got := mustCall(t, session, "memory", m{"command": "view", "path": "/memories/large"}); !strings.Contains(got[0], "     1\tfirst\n") || len(got[0]) > 16_100 {
		t.Errorf("view: %d bytes", len(got[0]))
	}
	r, err := agentOf(t, svc, "a").ReadFile(t.Context(), "large", workspace.ReadOptions{})
	if err != nil || string(r.Content) != "first\n"+text {
		t.Errorf("%d bytes, %v", r.Bytes, err)
	}
}
