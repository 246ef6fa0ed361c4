package e2e

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
)

var conformancePath = filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")

// A summary is what the suite found for one revision of the protocol.
type summary struct {
	Scenarios int
	Passed    int      // checks
	Failing   []string // scenarios with a check that did not pass
}

// conformance is what the suite finds. So the test fails if a scenario gets worse or better,
// or goes missing. All scenarios pass that the suite scores. Of the others, those fail that
// need what the server does not offer: streams that can be resumed, and tasks, which are an
// extension of the protocol.
var conformance = map[string]summary{
	withHandshake: {Scenarios: 33, Passed: 81, Failing: []string{"server-sse-polling"}},
	stateless: {Scenarios: 50, Passed: 163, Failing: []string{
		"tasks-capability-negotiation", "tasks-dispatch-and-envelope", "tasks-lifecycle", "tasks-mrtr-composition", "tasks-mrtr-input",
		"tasks-request-headers", "tasks-request-state-removal", "tasks-required-task-error", "tasks-wire-fields",
	}},
}

// The name of a folder of results: server-NAME-TIME.
var resultName = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// The server passes the official suite in both eras, with the tools that the suite needs added
// to its own. One server serves both.
func TestConformance(t *testing.T) {
	url := serveOpen(t, newHandler(t, fixtures))
	for revision, want := range conformance {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := node(t, conformancePath, "server", "--url", url+"/mcp", "--requirements", revision, "--output-dir", dir)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("a scenario that counts fails: %v\n%s", err, out)
			}
			if diff := cmp.Diff(want, results(t, dir)); diff != "" {
				t.Errorf("conformance (-want +got):\n%s", diff)
			}
		})
	}
}

// serveOpen serves MCP with the listener of scratchpad serve, to everybody.
func serveOpen(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	server, err := httpserver.New(httpserver.Options{MCP: h, Rate: auth.Rate{PerSecond: -1}, Anonymous: func(context.Context) (auth.Caller, bool, error) {
		return auth.Caller{ID: "everybody", Tenant: "local"}, true, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// results reads what the suite wrote.
func results(t *testing.T, dir string) (all summary) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := resultName.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		text, err := os.ReadFile(file)
		if err != nil || name == nil {
			t.Fatalf("%s: %v", file, err)
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(text, &checks); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all.Scenarios++
		var failed []string
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				all.Passed++
			case "FAILURE", "WARNING":
				failed = append(failed, c.ID)
			case "INFO", "SKIPPED":
			default:
				t.Errorf("%s: %s has the status %q", name[1], c.ID, c.Status)
			}
		}
		if failed != nil {
			t.Logf("%s: %v do not pass", name[1], failed)
			all.Failing = append(all.Failing, name[1])
		}
	}
	slices.Sort(all.Failing)
	return all
}
