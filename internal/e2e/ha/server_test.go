package ha

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// startTime is how long a server may take to start or to end.
const startTime = time.Minute

// A server is scratchpad serve in a process that a test stops, kills and starts again at
// the same address.
type server struct {
	t       testing.TB
	address string
	args    []string
	cmd     *exec.Cmd
	log     *logBuffer // of all its processes
	done    chan error // has the end of the process
}

// startServers starts servers over one database, and waits until they are ready.
func startServers(t testing.TB, n int, db string, args ...string) (all []*server) {
	t.Helper()
	for range n {
		s := &server{t: t, address: process.FreeAddress(t), log: new(logBuffer)}
		s.args = append([]string{"serve", "--db", db, "--addr", s.address, "--rate", "0", "--rate-agent", "0"}, args...)
		s.start()
		t.Cleanup(func() {
			if s.cmd != nil {
				s.end(syscall.SIGKILL)
			}
			if t.Failed() {
				t.Logf("the log of the server at %s ends:\n%s", s.address, s.log.tail())
			}
		})
		all = append(all, s)
	}
	for _, s := range all {
		s.waitReady()
	}
	return all
}

func (s *server) url() string { return "http://" + s.address + "/mcp" }

func urls(servers []*server) (all []string) {
	for _, s := range servers {
		all = append(all, s.url())
	}
	return all
}

// start starts a process.
func (s *server) start() {
	s.t.Helper()
	cmd := exec.Command(scratchpadPath, s.args...)
	cmd.Stderr = s.log
	must(s.t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	s.cmd, s.done = cmd, done
}

// end sends the process a signal and waits for its end.
func (s *server) end(sig syscall.Signal) error {
	s.t.Helper()
	must(s.t, s.cmd.Process.Signal(sig))
	s.cmd = nil
	select {
	case err := <-s.done:
		return err
	case <-time.After(startTime):
		s.t.Fatalf("the server at %s does not end", s.address)
		return nil
	}
}

// stop ends the process as an operator does. It must end cleanly.
func (s *server) stop() {
	s.t.Helper()
	if err := s.end(syscall.SIGTERM); err != nil {
		s.t.Errorf("after SIGTERM the server ended with %v, want exit code 0", err)
	}
}

// ready asks /readyz.
func (s *server) ready(ctx context.Context) (status int, text string) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+s.address+"/readyz", nil)
	must(s.t, err)
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(body)
}

func (s *server) waitReady() {
	s.t.Helper()
	waitFor(s.t, "the server to be ready", func() bool {
		select {
		case err := <-s.done:
			s.t.Fatalf("the server ended: %v\n%s", err, s.log.tail())
		default:
		}
		status, _ := s.ready(s.t.Context())
		return status == http.StatusOK
	})
}

// waitFor waits until ok, and fails the test after a minute.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > startTime {
			t.Fatalf("after %v of waiting for %s", startTime, what)
		}
	}
}

// A logBuffer is a writer that many goroutines may use.
type logBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

// Write implements [io.Writer].
func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) tail() string {
	text := l.String()
	return text[max(0, len(text)-3000):]
}

// command runs a command on a database and returns what it prints.
func command(t testing.TB, db string, args ...string) string {
	t.Helper()
	return strings.TrimSpace(process.Run(t, scratchpadPath, append(args, "--db", db)...))
}

func must(t testing.TB, err error) {
	t.Helper()
	testkit.Must(t, err)
}
