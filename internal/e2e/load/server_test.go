//go:build linux

package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// With floorVariable set, the test binary is the floor.
const floorVariable = "SCRATCHPAD_TEST_FLOOR"

var scratchpadPath string // the real binary

func TestMain(m *testing.M) {
	if os.Getenv(floorVariable) != "" {
		fmt.Fprintln(os.Stderr, serveFloor())
		os.Exit(1)
	}
	process.Main(m, filepath.Join("..", "..", ".."), &scratchpadPath)
}

// A server is a process that serves MCP.
type server struct {
	cmd  *exec.Cmd
	url  string // of MCP
	done chan struct{}
	err  error // of the process, once done
}

// startServer starts scratchpad serve on a free port. Its log goes to a file.
func startServer(t testing.TB, db string, args ...string) *server {
	t.Helper()
	log, err := os.OpenFile(db+".log", os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	must(t, err)
	defer log.Close()
	from, err := log.Seek(0, io.SeekEnd)
	must(t, err)
	cmd := exec.Command(scratchpadPath, append([]string{"serve", "--db", db, "--addr", "127.0.0.1:0", "--summarizer", "outline"}, args...)...)
	cmd.Stderr = log
	return launch(t, cmd, func() string { return served(log.Name(), from) })
}

// served returns the URL that a server says in its log, from a place on; "" if not yet.
func served(path string, from int64) (url string) {
	log, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer log.Close()
	if _, err := log.Seek(from, io.SeekStart); err != nil {
		return ""
	}
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if u, ok := strings.CutPrefix(lines.Text(), "serving "); ok {
			url = u
		}
		if strings.HasSuffix(lines.Text(), "stops the server") {
			return url
		}
	}
	return ""
}

// launch starts a server and waits until it has a URL. The test ends it.
func launch(t testing.TB, cmd *exec.Cmd, url func() string) *server {
	t.Helper()
	must(t, cmd.Start())
	s := &server{cmd: cmd, done: make(chan struct{})}
	go func() {
		s.err = cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-s.done
	})
	for began := time.Now(); s.url == ""; s.url = url() {
		select {
		case <-s.done:
			t.Fatalf("the server ended: %v", s.err)
		case <-time.After(2 * time.Millisecond):
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the server does not start")
		}
	}
	return s
}

// stop sends SIGTERM. The server must end by itself, and well.
func (s *server) stop(t testing.TB) (took time.Duration) {
	t.Helper()
	began := time.Now()
	must(t, s.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-s.done:
	case <-time.After(time.Minute):
		t.Fatal("the server has not ended a minute after SIGTERM")
	}
	if s.err != nil {
		t.Errorf("after SIGTERM the server ended with %v, want exit code 0", s.err)
	}
	return time.Since(began)
}

// kill is kill -9.
func (s *server) kill(t testing.TB) {
	t.Helper()
	must(t, s.cmd.Process.Kill())
	<-s.done
}

// A footprint is what a server holds.
type footprint struct {
	goroutines, descriptors, sessions, connections int
	memory                                         int // resident, in KiB, without the pages of files, which the system takes back when it likes
	heap                                           int // in KiB; garbage counts
}

func (f footprint) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d sessions, %d connections, %d KiB of memory, %d KiB of heap", f.goroutines, f.descriptors, f.sessions, f.connections, f.memory, f.heap)
}

// look returns what a server holds, by its /metrics and by /proc. The key has the scope
// metrics. The connection of the request counts.
func (s *server) look(ctx context.Context, key string) (f footprint, err error) {
	req, err := http.NewRequestWithContext(ctx, "GET", strings.TrimSuffix(s.url, "/mcp")+"/metrics", nil)
	if err != nil {
		return f, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return f, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return f, fmt.Errorf("/metrics: %s: %s", res.Status, text)
	}
	values := map[string]int{}
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			values[name] = int(n)
		}
	}
	for name, to := range map[string]*int{"go_goroutines": &f.goroutines, "scratchpad_sessions": &f.sessions, "scratchpad_connections": &f.connections, "go_memstats_heap_alloc_bytes": &f.heap} {
		value, ok := values[name]
		if !ok {
			return f, fmt.Errorf("/metrics has no %s", name)
		}
		*to = value
	}
	f.heap >>= 10
	open, err := os.ReadDir(s.proc("fd"))
	if err != nil {
		return f, err
	}
	f.descriptors = len(open)
	f.memory, err = s.status("RssAnon:")
	return f, err
}

// proc returns the path of a file about the process.
func (s *server) proc(name string) string {
	return filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), name)
}

// worked returns the time that the processors have worked for the process.
func (s *server) worked(t testing.TB) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(s.proc("stat"))
	must(t, err)
	_, rest, _ := strings.Cut(string(stat), ") ") // behind the name
	var user, system int64
	fields := strings.Fields(rest)
	_, err = fmt.Sscan(strings.Join(fields[11:13], " "), &user, &system)
	must(t, err)
	return time.Duration(user+system) * (time.Second / 100) // Linux counts hundredths
}

// status returns a number that the system knows of the process, such as "VmRSS:" for its
// resident memory in KiB.
func (s *server) status(name string) (n int, err error) {
	status, err := os.ReadFile(s.proc("status"))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), name)
	_, err = fmt.Sscan(rest, &n)
	return n, err
}

func must(t testing.TB, err error) {
	t.Helper()
	testkit.Must(t, err)
}
