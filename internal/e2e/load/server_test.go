//go:build linux

package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// A footprint is what a server holds.
type footprint struct {
	goroutines, descriptors, sessions, connections int
	memory                                         int // resident, in KiB, without the pages of files, which the system takes back when it likes
}

// look returns what a server holds, by its /metrics and by /proc. The key has the scope
// metrics. The connection of the request counts.
func look(ctx context.Context, s *process.Server, key string) (f footprint, err error) {
	req, err := http.NewRequestWithContext(ctx, "GET", strings.TrimSuffix(s.URL, "/mcp")+"/metrics", nil)
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
	for name, to := range map[string]*int{"go_goroutines": &f.goroutines, "scratchpad_sessions": &f.sessions, "scratchpad_connections": &f.connections} {
		value, ok := values[name]
		if !ok {
			return f, fmt.Errorf("/metrics has no %s", name)
		}
		*to = value
	}
	open, err := os.ReadDir(proc(s.PID(), "fd"))
	if err != nil {
		return f, err
	}
	f.descriptors = len(open)
	f.memory, err = status(s.PID(), "RssAnon:")
	return f, err
}

// proc returns the path of a file about a process.
func proc(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}

// worked returns the time that the processors have worked for a server.
func worked(t testing.TB, s *process.Server) time.Duration {
	t.Helper()
	_, rest, _ := strings.Cut(testkit.ReadFile(t, proc(s.PID(), "stat")), ") ") // behind the name
	var user, system int64
	_, err := fmt.Sscan(strings.Join(strings.Fields(rest)[11:13], " "), &user, &system)
	must(t, err)
	return time.Duration(user+system) * (time.Second / 100) // Linux counts hundredths
}

// status returns a number that the system knows of a process, such as "VmRSS:" for its
// resident memory in KiB.
func status(pid int, name string) (n int, err error) {
	status, err := os.ReadFile(proc(pid, "status"))
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
