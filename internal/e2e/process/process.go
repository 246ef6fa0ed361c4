// Package process builds scratchpad and runs it as a process, for the tests of this module.
package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Build builds the program, and returns its path. module is the folder of the module. The
// packages of tests share the program: a package that finds it built from the same sources
// does not link it again. Of those that build at once, one does and the others wait.
func Build(module string) (program string, err error) {
	e2e := filepath.Join(module, "internal", "e2e")
	program, err = filepath.Abs(filepath.Join(e2e, ".program", "scratchpad"))
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	unlock, err := lock(filepath.Join(e2e, "go.mod"))
	if err != nil {
		return "", err
	}
	defer unlock()
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./cmd/scratchpad")
	cmd.Dir = module
	// Releases and images are built so too, and all share what is compiled.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/scratchpad: %w\n%s", err, out)
	}
	return program, nil
}

// Main builds the program, takes further steps, and runs the tests of a package. module is
// the folder of the module. It does not return.
func Main(m *testing.M, module string, program *string, steps ...func() error) {
	var err error
	*program, err = Build(module)
	for _, step := range steps {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Run runs the program to its end and returns what it prints on standard output.
func Run(t testing.TB, program string, args ...string) string {
	t.Helper()
	out, err := Try(t.Context(), program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Try is Run for other goroutines than the test's.
func Try(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("scratchpad %s: %w\n%s", strings.Join(args, " "), err, &said)
	}
	return string(out), nil
}

// NewKey makes a key in a database, and returns its id and its text. The flags are those of
// scratchpad keys create.
func NewKey(t testing.TB, program, db string, flags ...string) (id, key string) {
	t.Helper()
	var created struct{ ID, Key string }
	text := Run(t, program, append([]string{"keys", "create", "--db", db, "--json"}, flags...)...)
	if err := json.Unmarshal([]byte(text), &created); err != nil {
		t.Fatalf("keys create --json printed %q: %v", text, err)
	}
	return created.ID, created.Key
}

// Serve starts scratchpad serve and returns the URL of its MCP. Without --addr it listens
// on a free port of loopback. At the end of the test it gets SIGTERM, and must end cleanly.
func Serve(t testing.TB, program string, args ...string) (url string) {
	t.Helper()
	if !strings.Contains(strings.Join(args, " "), "--addr") {
		args = append(args, "--addr", "127.0.0.1:0")
	}
	return Start(t, program, args...).URL
}

// A Server is scratchpad serve, which a test may stop and start again at its address.
type Server struct {
	URL string // of its MCP

	t       testing.TB
	program string
	args    []string
	cmd     *exec.Cmd  // nil while it does not run
	done    chan error // has the end of the process
}

// Start is [Serve] for a server that the test stops and starts again. Its port is none that
// the system gives to somebody else meanwhile.
func Start(t testing.TB, program string, args ...string) *Server {
	t.Helper()
	if !strings.Contains(strings.Join(args, " "), "--addr") {
		args = append(args, "--addr", FreeAddress(t))
	}
	s := &Server{t: t, program: program, args: args}
	t.Cleanup(s.Stop)
	s.Start()
	return s
}

// Start starts the process again, at the address that it had.
func (s *Server) Start() {
	s.t.Helper()
	args := append([]string{"serve", "--log-level", "warn"}, s.args...)
	if u, err := url.Parse(s.URL); err == nil && u.Host != "" {
		args = append(args, "--addr", u.Host)
	}
	cmd := exec.Command(s.program, args...)
	said, err := cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	for {
		line, err := lines.ReadString('\n')
		if found, ok := strings.CutPrefix(line, "serving "); ok {
			s.URL = strings.TrimSpace(found)
		}
		if strings.HasSuffix(line, "stops the server\n") {
			break
		}
		if err != nil {
			s.t.Fatalf("the server ended: %v: %s", errors.Join(err, cmd.Wait()), line)
		}
	}
	done, log := make(chan error, 1), s.t.Output()
	go func() {
		_, err := io.Copy(log, lines)
		done <- errors.Join(err, cmd.Wait())
	}()
	s.cmd, s.done = cmd, done
}

// PID returns the number of the process, which runs.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Stop sends SIGTERM and waits for the end, which must be clean. It does nothing if the
// process does not run.
func (s *Server) Stop() {
	s.t.Helper()
	cmd := s.cmd
	if cmd == nil {
		return
	}
	s.cmd = nil
	if runtime.GOOS == "windows" { // it has no SIGTERM
		_ = cmd.Process.Kill()
		<-s.done
		return
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-s.done:
		if err != nil {
			s.t.Errorf("scratchpad serve ended with %v, want a clean end", err)
		}
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		<-s.done
		s.t.Error("scratchpad serve did not end within a minute of SIGTERM")
	}
}

// Kill ends the process at once. It does nothing if the process does not run.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		<-s.done
		s.cmd = nil
	}
}

// FreeAddress returns an address of loopback on which nobody listens.
func FreeAddress(t testing.TB) string { return testkit.FreeAddress(t) }
