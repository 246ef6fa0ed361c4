package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Lines that a client sends over stdio before the server ends.
const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}` + "\n"
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	write       = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"write_file","arguments":{"agent_id":"a","path":"x","content":"x"}}}` + "\n"
	meta        = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	writeNow    = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + meta + `,"name":"write_file","arguments":{"agent_id":"a","path":"x","content":"x"}}}` + "\n"
)

// TestExit ends the server by the end of its input and by SIGTERM. The server answers
// every request that it has received, prints only MCP, and soon exits with 0.
func TestExit(t *testing.T) {
	for _, c := range []struct {
		name    string
		says    string
		answers int
	}{
		{"before anything", "", 0},
		{"after a handshake", initialize + initialized, 1},
		{"with a call under way", initialize + initialized + write, 2},
		{"with a stateless call under way", writeNow, 1},
		{"after what is no message", "hello\n" + `{"jsonrpc":"2.0"` + "\n[]\n" + writeNow, 4},
	} {
		t.Run("EOF "+c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			io.WriteString(s.in, c.says)
			s.in.Close()
			s.ends(t, c.answers)
		})
		if c.answers == 0 {
			continue // no line shows that it listens for signals
		}
		t.Run("SIGTERM "+c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			io.WriteString(s.in, c.says)
			s.answers(c.answers)
			if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			s.ends(t, c.answers)
			s.in.Close()
		})
	}
}

// A running server has no client; the test writes to it.
type running struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *output
	err bytes.Buffer
}

func start(t *testing.T) *running {
	t.Helper()
	s := &running{out: &output{path: filepath.Join(t.TempDir(), "out")}}
	file, err := os.Create(s.out.path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s.cmd = exec.CommandContext(t.Context(), scratchpadPath, "mcp", "--db", filepath.Join(t.TempDir(), "test.db"))
	s.cmd.Stdout, s.cmd.Stderr = file, &s.err
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// answers waits until so many lines are printed.
func (s *running) answers(n int) {
	for began := time.Now(); s.out.lines() < n && time.Since(began) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
}

// ends waits for the end of a process that was told to end, which may still have to start and
// to answer.
func (s *running) ends(t *testing.T, answers int) {
	t.Helper()
	s.answers(answers)
	most := 5 * time.Second
	if answers == 0 {
		most = time.Minute
	}
	told := time.Now()
	kill := time.AfterFunc(2*most, func() { _ = s.cmd.Process.Kill() }) // it may have ended
	defer kill.Stop()
	if err := s.cmd.Wait(); err != nil || time.Since(told) > most {
		t.Errorf("it ended with %v after %v, want exit code 0 within %v\n%s", err, time.Since(told), most, &s.err)
	}
	if got := s.out.lines(); got != answers {
		t.Errorf("it printed %d lines, want %d", got, answers)
	}
	for _, m := range linesOf(t, s.out.path, "", false) {
		var e envelope
		if err := json.Unmarshal(m.text, &e); err != nil || e.JSONRPC != "2.0" {
			t.Errorf("it printed %q, which is not JSON-RPC", m.text)
		}
	}
}

// An output is a file that a process prints to.
type output struct{ path string }

func (o *output) lines() int {
	text, err := os.ReadFile(o.path)
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}
