package ha

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-scratchpad/scratchpad/internal/intruder"
	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A follower, which is a process of its own, sees each write at a server, also where
// pgbouncer lets no notification through. The time that it takes is printed.
func TestFollow(t *testing.T) {
	for name, front := range map[string]func(testing.TB, string) string{
		"direct":            func(_ testing.TB, db string) string { return db },
		"through pgbouncer": pgtest.Bouncer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := front(t, pgtest.URL(t))
			servers := startServers(t, 2, db, "--no-auth")
			lines := follow(t, db)
			c := newClient("")
			var longest time.Duration
			for i := range 6 {
				path := fmt.Sprintf("file-%d", i)
				_, err := c.call(t.Context(), servers[i%2].URL, "write_file", fmt.Sprintf(`"agent_id":"a","path":%q,"content":"x"`, path), "")
				must(t, err)
				began := time.Now()
				select {
				case line := <-lines:
					if !strings.Contains(line, path) {
						t.Errorf("the follower prints %q, want a line with %s", line, path)
					}
				case <-time.After(startTime):
					t.Fatalf("the follower does not see %s", path)
				}
				longest = max(longest, time.Since(began))
				time.Sleep(50 * time.Millisecond)
			}
			t.Logf("a follower sees a write after %v at most", longest.Round(time.Millisecond))
		})
	}
}

// follow starts scratchpad changes --follow, and returns the lines that it prints. It has
// begun when it returns.
func follow(t *testing.T, db string) <-chan string {
	t.Helper()
	cmd := exec.Command(scratchpadPath, "changes", "--follow", "--agent", "a", "--db", db)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := make(chan string, 1000)
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
		close(lines)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the follower ended with %v", err)
		}
	})
	for i := 0; ; i++ { // it begins with the next change
		command(t, db, "logs", "append", "begin", fmt.Sprint(i), "--agent", "a")
		select {
		case <-lines:
			for settled := false; !settled; {
				select {
				case <-lines:
				case <-time.After(700 * time.Millisecond):
					settled = true
				}
			}
			return lines
		case <-time.After(time.Second):
		}
		if i == 30 {
			t.Fatal("the follower prints nothing")
		}
	}
}

// A model counts how often it is asked, and takes its time.
type model struct {
	asked atomic.Int64
	pause time.Duration
}

// ServeHTTP implements [http.Handler]. It speaks OpenAI's API.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	m.asked.Add(1)
	time.Sleep(m.pause)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"It moves the invoices."}}],"usage":{"prompt_tokens":4000,"completion_tokens":20}}`)
}

// Clients ask one server for the summary of a file at the same time. It asks the model once,
// and the other servers find what it keeps. What is spent counts for all servers: when the
// month's tokens are used up, none of them asks.
func TestSummaries(t *testing.T) {
	m := &model{pause: time.Second}
	provider := httptest.NewServer(m)
	defer provider.Close()
	db := pgtest.URL(t)
	servers := startServers(t, 3, db, "--no-auth", "--summarizer", "openai", "--summary-base-url", provider.URL+"/v1", "--summary-model", "tiny", "--summary-window", "100000", "--summary-tokens-per-month", "6500")
	c, text := newClient(""), strings.Repeat("It moves the invoices, one table a week.\n", 300)
	for _, path := range []string{"a", "b"} {
		_, err := c.call(t.Context(), servers[0].URL, "write_file", fmt.Sprintf(`"agent_id":"a","path":%q,"content":%q`, path, text+path), "")
		must(t, err)
	}
	var asking sync.WaitGroup
	for i := range 9 {
		asking.Go(func() {
			answer, err := c.call(t.Context(), servers[0].URL, "summarize_file", `"agent_id":"a","path":"a"`, "")
			if err != nil || !strings.Contains(answer, "It moves the invoices.") {
				t.Errorf("summary %d at the first server: %v, %q", i, err, answer)
			}
		})
	}
	asking.Wait()
	for i, s := range servers {
		answer, err := c.call(t.Context(), s.URL, "summarize_file", `"agent_id":"a","path":"a"`, "")
		if err != nil || !strings.Contains(answer, "It moves the invoices.") {
			t.Errorf("the summary that is kept, at server %d: %v, %q", i, err, answer)
		}
	}
	if n := m.asked.Load(); n != 1 {
		t.Errorf("the model was asked %d times for one summary, want once", n)
	}
	for i, s := range servers {
		answer, err := c.call(t.Context(), s.URL, "summarize_file", `"agent_id":"a","path":"b"`, "")
		if err == nil || !strings.Contains(err.Error(), "tokens for summaries this month") {
			t.Errorf("server %d asks for more than the month's tokens: %v, %q", i, err, answer)
		}
	}
	if n := m.asked.Load(); n != 1 {
		t.Errorf("the model was asked %d times in all, want once", n)
	}
}

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
