package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/flags"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Without a key for summaries nothing leaves the machine. A server on standard input and output, and
// the commands, open no socket of the network. A server for a team connects to nobody.
func TestNothingIsDialled(t *testing.T) {
	t.Run("mcp", func(t *testing.T) {
		trace := watched(t, "mcp", "--db", filepath.Join(t.TempDir(), "test.db"), "--agent", "a")
		useTools(t, trace)
		if sockets := trace.calls(t, "socket", "connect"); len(sockets) > 0 {
			t.Errorf("a server on standard input and output: %q", sockets)
		}
	})
	t.Run("commands", func(t *testing.T) {
		dir := t.TempDir()
		db := filepath.Join(dir, "test.db")
		writeFile(t, filepath.Join(dir, "long.md"), longText)
		for _, args := range []string{
			"files write long.md " + filepath.Join(dir, "long.md"), "files summarize long.md", "brief", "search line",
			"export " + filepath.Join(dir, "out"), "backup " + filepath.Join(dir, "copy.db"), "doctor --secrets", "version",
		} {
			trace := watched(t, append(strings.Fields(args), "--db", db)...)
			trace.cmd.Dir = dir
			if out, err := trace.cmd.CombinedOutput(); err != nil {
				t.Errorf("scratchpad %s: %v: %s", args, err, out)
			}
			if sockets := trace.calls(t, "socket", "connect"); len(sockets) > 0 {
				t.Errorf("scratchpad %s: %q", args, sockets)
			}
		}
	})
	t.Run("serve", func(t *testing.T) {
		dir := t.TempDir()
		trace := watched(t, "serve", "--db", filepath.Join(dir, "test.db"), "--addr", testkit.FreeAddress(t))
		log := new(testkit.Buffer)
		trace.cmd.Stderr = log
		testkit.Must(t, trace.cmd.Start())
		eventually(t, "the server does not start", func() bool { return strings.Contains(log.String(), "stops the server") })
		testkit.Must(t, trace.cmd.Process.Signal(syscall.SIGTERM))
		testkit.Must(t, trace.cmd.Wait())
		if len(trace.calls(t, "socket")) == 0 {
			t.Error("a server that listens opened no socket: nothing is tested")
		}
		if connected := trace.calls(t, "connect"); len(connected) > 0 {
			t.Errorf("scratchpad serve: %q", connected)
		}
	})
}

// With a key the same trace shows the connection.
func TestDiallingIsSeen(t *testing.T) {
	asked := make(chan bool, 100)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- true
		http.Error(w, "{}", http.StatusUnauthorized)
	}))
	t.Cleanup(model.Close)
	trace := watched(t, "mcp", "--db", filepath.Join(t.TempDir(), "test.db"), "--agent", "a", "--summarizer", "anthropic",
		"--summary-base-url", model.URL)
	trace.cmd.Env = append(trace.cmd.Env, flags.KeyVariables["anthropic"]+"=key")
	useTools(t, trace)
	if connected := trace.calls(t, "connect"); len(asked) == 0 || len(connected) == 0 {
		t.Errorf("%d requests for a summary, and the trace has %q", len(asked), connected)
	}
}

// useTools writes, reads, searches and summarizes as an agent does.
func useTools(t *testing.T, trace *trace) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "1.2"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: trace.cmd}, nil)
	testkit.Must(t, err)
	call(t, session, "write_file", object{"path": "long.md", "content": longText})
	call(t, session, "read_file", object{"path": "long.md"})
	call(t, session, "search", object{"query": "line"})
	call(t, session, "summarize_file", object{"path": "long.md"})
	testkit.Must(t, session.Close())
}

// A trace is a command under strace, and the file with its calls of the network.
type trace struct {
	cmd  *exec.Cmd
	file string
}

// watched returns a command of scratchpad under strace, without a key. The process that starts is
// the command itself, so that it gets the signals.
func watched(t *testing.T, args ...string) *trace {
	t.Helper()
	testkit.SkipInShort(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace: it tells which sockets a process opens")
	}
	file := filepath.Join(t.TempDir(), "trace")
	under := func(output, program string, args ...string) *exec.Cmd {
		options := []string{"-D", "-f", "--seccomp-bpf", "-e", "trace=socket,connect", "-e", "signal=none", "-o", output, "--", program}
		return exec.Command(strace, append(options, args...)...)
	}
	if out, err := under(os.DevNull, "true").CombinedOutput(); err != nil || len(out) > 0 {
		t.Skipf("strace may not trace here: %v, %s", err, out)
	}
	cmd := under(file, os.Args[0], args...)
	cmd.Env = without("OTEL_")(without("SCRATCHPAD_")(environ()))
	cmd.Env = append(cmd.Env, runVariable+"=1")
	return &trace{cmd, file}
}

// calls returns the calls of some names that reach for the network, once the command has ended.
func (r *trace) calls(t *testing.T, names ...string) []string {
	t.Helper()
	reach := regexp.MustCompile(`(?m)^.*\b(` + strings.Join(names, "|") + `)\(.*AF_INET.*$`)
	ended := regexp.MustCompile(fmt.Sprintf(`(?m)^%d +\+\+\+ exited`, r.cmd.Process.Pid))
	var text []byte
	eventually(t, "strace does not end", func() bool {
		text, _ = os.ReadFile(r.file)
		return ended.Match(text)
	})
	return reach.FindAllString(string(text), -1)
}
