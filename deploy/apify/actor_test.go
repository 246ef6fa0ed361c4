package main

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// An actor is the whole program, in a run of its own.
type actor struct {
	url  string
	stop func() // and wait until it has ended
}

// startActor runs the program against a platform. The test fails if the program does.
func startActor(t *testing.T, f *fakePlatform, more map[string]string) actor {
	t.Helper()
	set := map[string]string{"SCRATCHPAD_DB": filepath.Join(t.TempDir(), "test.db")}
	for name, value := range more {
		set[name] = value
	}
	ctx, cancel := context.WithCancel(context.Background())
	address := make(chan net.Addr, 1)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, env(f.start(), set), quiet, func(a net.Addr) { address <- a }) }()
	stopped := false
	a := actor{stop: func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the program ended with %v", err)
		}
	}}
	t.Cleanup(a.stop)
	select {
	case addr := <-address:
		_, port, _ := net.SplitHostPort(addr.String())
		a.url = "http://127.0.0.1:" + port
	case err := <-ended:
		t.Fatalf("the program ended with %v", err)
	}
	return a
}

// connect begins a session of an MCP client.
func (a actor) connect(t *testing.T, accessKey string) (*mcp.ClientSession, error) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: a.url + "/mcp", HTTPClient: &http.Client{Transport: withKey(accessKey)}, MaxRetries: -1,
	}, nil)
	if err == nil {
		t.Cleanup(func() { session.Close() })
	}
	return session, err
}

// withKey is a transport that sends an access key.
type withKey string

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Access-Key", string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// use calls a tool and returns whether the tool says that it failed, and its text.
func use(t *testing.T, s *mcp.ClientSession, tool string, arguments map[string]any) (failed bool, text string) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	testkit.Must(t, err)
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	return res.IsError, text
}

type object = map[string]any

// Each successful call is charged once, whatever goes wrong on the way to the platform.
// Failed calls, lists, resources and completions are free.
func TestActorCharges(t *testing.T) {
	f := &fakePlatform{t: t, price: 0.001, trouble: func(n int) fault {
		return map[int]fault{1: {lost: true}, 2: {status: 500}, 3: {status: 429}}[n]
	}}
	a := startActor(t, f, nil)
	s, err := a.connect(t, "")
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(s.ListTools(t.Context(), nil)))
	for i, c := range []struct {
		tool      string
		arguments object
		fails     bool
	}{
		{"write_file", object{"path": "plan.md", "content": "# Plan"}, false},
		{"read_file", object{"path": "plan.md"}, false},
		{"list_files", object{}, false},
		{"read_file", object{"path": "nothing.md"}, true},
		{"read_file", object{"path": "plan.md", "unknown": 1}, true},
		{"write_file", object{"path": "../plan.md", "content": "x"}, true},
		{"read_file", object{"path": "plan.md", "agent_id": "other"}, true},
	} {
		if failed, text := use(t, s, c.tool, c.arguments); failed != c.fails {
			t.Errorf("call %d of %s: failed %t, want %t: %s", i, c.tool, failed, c.fails, text)
		}
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "scratchpad://default/plan.md"}); err != nil {
		t.Errorf("read a resource: %v", err)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("a call of an unknown tool succeeded")
	}
	s.Close()
	a.stop() // waits for the charges
	if charges, requests := f.sums(); charges != 3 || requests != 6 {
		t.Errorf("%d charges in %d requests, want 3 in 6", charges, requests)
	}
	for key, n := range f.charged {
		if !strings.HasPrefix(key, "run1-") || n > 2 {
			t.Errorf("key %q was accepted %d times", key, n)
		}
	}
}

// A run stops charging, and working, at the limit of its user.
func TestActorLimit(t *testing.T) {
	f := &fakePlatform{t: t, price: 0.1, counts: map[string]int64{"apify-actor-start": 1, "tool-call": 1}}
	a := startActor(t, f, map[string]string{"ACTOR_MAX_TOTAL_CHARGE_USD": "0.8"})
	s, err := a.connect(t, "")
	testkit.Must(t, err)
	for i := range 4 {
		failed, text := use(t, s, "append_log", object{"path": "log", "entry": "x"})
		if want := i >= 2; failed != want || want && !strings.Contains(text, "the most that its user allows") {
			t.Errorf("call %d: failed %t, want %t: %s", i, failed, want, text)
		}
	}
	s.Close()
	a.stop()
	if charges, _ := f.sums(); charges != 2 {
		t.Errorf("%d charges, want 2", charges)
	}
}

// The probe of the platform gets an answer, and without the access key there is no MCP.
func TestActorAccess(t *testing.T) {
	f := &fakePlatform{t: t, input: `{"agent":"","accessKey":"open sesame"}`}
	a := startActor(t, f, nil)
	res, err := http.Get(a.url + "/")
	testkit.Must(t, err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the probe got %s", res.Status)
	}
	if _, err := a.connect(t, "open"); err == nil {
		t.Error("a client with a wrong key was served")
	}
	s, err := a.connect(t, "open sesame")
	testkit.Must(t, err)
	if failed, text := use(t, s, "list_files", object{"agent_id": "planner"}); failed {
		t.Errorf("list_files of an agent that the call names: %s", text)
	}
	if failed, _ := use(t, s, "list_files", object{}); !failed {
		t.Error("a call without an agent was answered, and the input says that calls name one")
	}
	if charges, _ := f.sums(); charges != 0 {
		t.Errorf("%d charges of an Actor without a price", charges)
	}
}

// Without what the platform sets, nothing starts: a run that cannot charge would be free.
func TestActorRefusesToStart(t *testing.T) {
	f := &fakePlatform{t: t, price: 0.1, input: `{"agent":"../x"}`}
	base := f.start()
	for name, getenv := range map[string]func(string) string{
		"token":  env(base, map[string]string{"APIFY_TOKEN": ""}),
		"agent":  env(base, nil),
		"limit":  env(base, map[string]string{"ACTOR_MAX_TOTAL_CHARGE_USD": "x"}),
		"secret": env(base, map[string]string{"APIFY_INPUT_SECRETS_PRIVATE_KEY_FILE": "x"}),
	} {
		if err := run(t.Context(), getenv, quiet, func(net.Addr) { t.Errorf("%s: the program started", name) }); err == nil {
			t.Errorf("%s: run() = nil, want an error", name)
		}
	}
}
