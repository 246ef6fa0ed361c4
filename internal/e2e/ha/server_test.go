package ha

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

var scratchpadPath string // the real binary

func TestMain(m *testing.M) {
	process.Main(m, filepath.Join("..", "..", ".."), &scratchpadPath, func() error {
		if os.Getenv("SCRATCHPAD_TEST") != "" {
			return nil
		}
		return os.Setenv("SCRATCHPAD_TEST", "all") // this module is not part of the plain run
	})
}

// startTime is how long a server may take to start or to end.
const startTime = time.Minute

// A server is scratchpad serve, which a test stops, kills and starts again at the same
// address.
type server struct {
	*process.Server
	t testing.TB
}

// startServers starts servers over one database, and waits until they are ready. They are
// killed at the end of the test.
func startServers(t testing.TB, n int, db string, args ...string) (all []*server) {
	t.Helper()
	for range n {
		s := &server{process.Start(t, scratchpadPath, append([]string{"--db", db, "--rate", "0", "--rate-agent", "0"}, args...)...), t}
		t.Cleanup(s.Kill)
		s.waitReady()
		all = append(all, s)
	}
	return all
}

func (s *server) address() string {
	return strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/mcp")
}

// ready asks /readyz.
func (s *server) ready(ctx context.Context) (status int, text string) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+s.address()+"/readyz", nil)
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

// command runs a command on a database and returns what it prints.
func command(t testing.TB, db string, args ...string) string {
	t.Helper()
	return strings.TrimSpace(process.Run(t, scratchpadPath, append(args, "--db", db)...))
}

func must(t testing.TB, err error) {
	t.Helper()
	testkit.Must(t, err)
}
