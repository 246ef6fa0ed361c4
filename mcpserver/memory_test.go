package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// loadServer is the variable that makes the test binary a server: "http" or "stdio".
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
	for i, name := range slices.Sorted(maps.Keys(loads)) { // every other one over each, unless there is time
		if i%2 == 0 || testkit.Full() {
			t.Run(name+" over HTTP", func(t *testing.T) { loadHTTP(t, loads[name]) })
		}
		if i%2 == 1 || testkit.Full() {
			t.Run(name+" over stdio", func(t *testing.T) { loadStdio(t, loads[name]) })
		}
	}
}

// loadMain runs the server of TestLoad over a full database.
func loadMain(how string) error {
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
	if how == "stdio" {
		return server.Run(context.Background(), os.Stdin, os.Stdout)
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
func startLoad(t *testing.T, how string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	testkit.Must(t, err)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), loadServer+"="+how, "GOMAXPROCS=2", "GOGC=400", "GOMEMLIMIT=160MiB") // as the command mcp has it
	cmd.Stderr = os.Stderr
	if in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, pipe)
		if err := cmd.Wait(); err != nil && cmd.ProcessState.Exited() {
			t.Errorf("the server ended with %v", err)
		}
	})
	return cmd, in, bufio.NewReaderSize(pipe, 1<<16)
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
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	testkit.Must(t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	testkit.Must(t, err)
	if t.Logf("%d MiB resident at most", kib>>10); kib>>10 >= maxResident {
		t.Errorf("the server had %d MiB, want less than %d", kib>>10, maxResident)
	}
}

func loadStdio(t *testing.T, l load) {
	cmd, in, out := startLoad(t, "stdio")
	go func() {
		for i := range l.calls() {
			io.WriteString(in, request(strconv.Itoa(i), "read_file", l.args))
		}
	}()
	answers := l.calls()
	if !l.reads {
		waitUntilIdle(t, cmd)
		checkResident(t, cmd)
		answers = min(answers, 50) // the server goes on where it stood
		defer cmd.Process.Kill()
	}
	for i := range answers {
		line, err := skipLine(out)
		if err != nil || !strings.Contains(line, `"result":{"`) || strings.Contains(line, `"isError":true`) {
			t.Fatalf("answer %d begins with %.300s, %v, want a result", i, line, err)
		}
	}
	checkResident(t, cmd)
}

// skipLine reads a line and returns its beginning.
func skipLine(r *bufio.Reader) (string, error) {
	begin, err := r.ReadSlice('\n')
	text := string(begin[:min(len(begin), 300)])
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice('\n')
	}
	return text, err
}

func loadHTTP(t *testing.T, l load) {
	cmd, _, out := startLoad(t, "http")
	address, err := out.ReadString('\n')
	testkit.Must(t, err)
	address = strings.TrimSpace(address)
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() { smallCalls(t, address, stop) })
	var calls sync.WaitGroup
	for range l.calls() {
		conn, err := net.Dial("tcp", address)
		testkit.Must(t, err)
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
