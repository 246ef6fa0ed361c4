package ha

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-scratchpad/scratchpad/internal/testing/intruder"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// When a newer program has migrated the database, servers that run write nothing more and
// are not ready, so that no proxy asks them, and an older program does not start.
func TestNewerSchema(t *testing.T) {
	db := pgtest.URL(t)
	s := startServers(t, 1, db, "--no-auth")[0]
	c := newClient("")
	const write = `"agent_id":"a","path":"f","content":"x"`
	_, err := c.call(t.Context(), s.URL, "write_file", write, "")
	must(t, err)
	conn, err := pgconn.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "UPDATE schema_version SET version = version + 1").ReadAll()
	must(t, err)
	if answer, err := c.call(t.Context(), s.URL, "write_file", write, ""); err == nil || !strings.Contains(err.Error(), "does not know the database any more") {
		t.Errorf("write_file on a newer schema: %v, %q", err, answer)
	}
	waitFor(t, "/readyz to say 503", func() bool {
		status, text := s.ready(t.Context())
		var why map[string]any
		return status == http.StatusServiceUnavailable && json.Unmarshal([]byte(text), &why) == nil
	})
	out, err := exec.CommandContext(t.Context(), scratchpadPath, "serve", "--db", db, "--addr", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "newer version of scratchpad") {
		t.Errorf("a server on a newer schema: %v, %s", err, out)
	}
}

// Generated requests at two servers show nothing of another tenant, whose agents have the
// same names, and who works at the same servers.
func TestIntruder(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 2, db)
	_, mine := newKey(t, db, "--tenant", "fox", "--agents", "planner*")
	id, theirs := newKey(t, db, "--tenant", "hens", "--agents", "planner*")
	report, err := intruder.Run(t.Context(), intruder.Options{
		URL: servers[0].URL, Intruder: spread(servers, mine), Victim: spread(servers, theirs),
		IntruderAgent: "planner", VictimAgent: "planner", Names: []string{"hens", id},
		Requests: testkit.Pick(1500, 1500, 20_000), Seed: 14,
		Routes: []string{"/metrics", "/healthz", "/readyz"},
	})
	must(t, err)
	for _, leak := range report.Leaks {
		t.Errorf("%.3000s", leak)
	}
	for _, tool := range []string{"read_file", "write_file", "append_log", "search", "changes"} {
		if report.Answered[tool+" 2025-06-18"]+report.Answered[tool+" "+modern] == 0 {
			t.Errorf("no %s succeeds: the requests prove little", tool)
		}
	}
}

// spread sends requests with a key, those of sessions to the first server, and every other
// one of the rest to the second.
func spread(servers []*server, key string) func(*http.Request) (*http.Response, error) {
	var n atomic.Int64
	return func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("Authorization") == "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		if strings.HasPrefix(r.Header.Get("Mcp-Protocol-Version"), modern) && n.Add(1)%2 == 0 {
			r.URL.Host = servers[1].address()
			r.Host = servers[1].address()
		}
		return http.DefaultClient.Do(r)
	}
}
