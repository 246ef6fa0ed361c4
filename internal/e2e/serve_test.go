package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A keyed is scratchpad serve with a key for one agent.
type keyed struct {
	target
	db, id string // of the database and the key
}

func newKeyed(t *testing.T) *keyed {
	t.Helper()
	k := &keyed{db: filepath.Join(t.TempDir(), "team.db")}
	k.id, k.key = process.NewKey(t, scratchpadPath, k.db, "--agents", "planner")
	k.url = process.Serve(t, scratchpadPath, "--db", k.db)
	return k
}

// admitted is the answer to a request that has a good key, and no type for its body.
const admitted = http.StatusUnsupportedMediaType

// change runs a command on the key, and waits until a request with the key gets a status.
func (k *keyed) change(t *testing.T, status int, command string, flags ...string) error {
	if _, err := process.Try(t.Context(), scratchpadPath, append([]string{"keys", command, k.id, "--db", k.db}, flags...)...); err != nil {
		return err
	}
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, k.url, strings.NewReader("{}"))
		if err != nil {
			return err
		}
		res, err := (&http.Client{Transport: bearer{k.key, http.DefaultTransport}}).Do(req)
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode == status {
			return nil
		}
		if time.Since(begin) > time.Minute {
			return fmt.Errorf("a minute after keys %s %v the server still answers %s", command, flags, res.Status)
		}
	}
}

// steps are a session in which the key changes. Its client is told of nothing.
func (k *keyed) steps(t *testing.T, shows shown) []step {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	pause := func(name string, status int, command string, flags ...string) step {
		path := "/" + strings.ReplaceAll(name, " ", "-")
		mux.HandleFunc(path, func(http.ResponseWriter, *http.Request) {
			if err := k.change(t, status, command, flags...); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		return step{name: name, request: request{pausing, m{"url": server.URL + path}}}
	}
	read := func(name string) step {
		return bound(call(name, "read_file", path("plan.md"), fmt.Sprintf(`{"path":"plan.md","current_version":1,"bytes":%d,"lines":51}`, len(planTwo)), planTwo))
	}
	refused := func(name, text string) step {
		s := read(name)
		s.refused = text
		return s
	}
	tools := discoverySteps()[0]
	tools.agentID = false
	return []step{
		tools,
		bound(call("write", "write_file", m{"path": "plan.md", "content": planTwo}, fmt.Sprintf(`{"path":"plan.md","version":1,"bytes_written":%d}`, len(planTwo)))),
		read("read"),
		fails("another agent", "read_file", path("plan.md"), "agent_id is not the agent of your key; leave it out"),
		pause("a low rate", http.StatusTooManyRequests, "set", "--rate", "0.01:1"),
		refused("over the rate", shows.limited),
		pause("a high rate and one scope", admitted, "set", "--rate", "1000", "--scopes", "read"),
		read("under the rate"),
		bound(fails("write without the scope", "write_file", m{"path": "plan.md", "content": "x"}, "your key may not write; ask the operator")),
		pause("revoked", http.StatusUnauthorized, "revoke"),
		refused("with a revoked key", shows.revoked),
	}
}

// bound is a step without an agent_id.
func bound(s step) step {
	delete(s.request.Params["arguments"].(m), "agent_id")
	return s
}

// TestServe lets each client work at scratchpad serve with a key for one agent. During the
// session the key gets a low rate, loses a scope, and is revoked. No other session begins.
func TestServe(t *testing.T) {
	for _, c := range slices.Concat(clients, hosts) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k, shows := newKeyed(t), c.shows.complete()
			steps := k.steps(t, shows)
			var requests []request
			for _, s := range steps {
				requests = append(requests, s.request)
			}
			version, answers, err := c.run(t, &k.target, requests)
			testkit.Must(t, err)
			if version != "" && version != c.version {
				t.Errorf("the client says that it spoke %s, want %s", version, c.version)
			}
			if len(answers) != len(steps) {
				t.Fatalf("%d answers to %d requests", len(answers), len(steps))
			}
			for i, s := range steps {
				s.check(t, answers[i])
			}
			_, answers, err = c.run(t, &k.target, requests[:1])
			if len(answers) == 1 && answers[0].Blocks == nil { // a client without sessions
				err = errors.New(answers[0].Error)
			}
			if err == nil || !strings.Contains(err.Error(), shows.barred) {
				t.Errorf("a session with a revoked key: %v, %+v, want an error with %q", err, answers, shows.barred)
			}
		})
	}
}
