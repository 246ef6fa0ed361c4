package mcpserver_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/intruder"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A fault is a mistake of the program around a server, which the intruder must find. The
// zero fault is none.
type fault struct {
	session    bool // whoever uses a session is taken for its beginner
	values     bool // one call in so many is made for the caller before
	author     bool // the author of the one is put into the workspace of the other
	completion bool // completion does not look at who calls
}

// invade runs the intruder against a server whose callers are bound to their agent or not.
// The header X-User says who calls. It returns the report and the server's log.
func invade(t *testing.T, isBound map[string]bool, f fault, requests int) (intruder.Report, string) {
	t.Helper()
	svc := newService(t, workspace.Options{})
	var logged testkit.Buffer
	var mu sync.Mutex // guards the following
	calls := 0
	find := func(ctx context.Context, c mcpserver.Call) (*workspace.Workspace, error) {
		user := caller(ctx)
		mu.Lock()
		defer mu.Unlock()
		if calls++; f.values && calls%50 == 0 || f.completion && c.Tool == "completion/complete" {
			user, c.AgentID = "victim", ""
		}
		if c.AgentID != "" && c.AgentID != user {
			return nil, fmt.Errorf("the agent is not yours; use your own: %w", workspace.ErrInvalid)
		}
		ws, err := svc.Agent(user)
		if f.author && err == nil {
			ws = ws.As(workspace.Author{Client: "CANARY7f3a777"})
		}
		return ws, err
	}
	o := mcpserver.Options{
		Workspace: find, Caller: caller, IsBound: func(ctx context.Context) bool { return isBound[caller(ctx)] },
		Brief: func(ctx context.Context) string { return "the brief of " + caller(ctx) },
		Admit: func(context.Context, mcpserver.Call) error { return nil },
		Around: func(ctx context.Context, _ mcpserver.Call) (context.Context, func(mcpserver.Outcome)) {
			return ctx, func(mcpserver.Outcome) {}
		},
		Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if f.session {
		o.Caller = func(context.Context) string { return "everybody" }
	}
	h := httptest.NewServer(named(owners(f.session, newServerWith(t, o).Handler())))
	defer h.Close()
	send := func(user string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			r.Header.Set("X-User", user)
			return h.Client().Do(r)
		}
	}
	report, err := intruder.Run(t.Context(), intruder.Options{
		URL: h.URL, Intruder: send("intruder"), Victim: send("victim"), IntruderAgent: "intruder", VictimAgent: "victim",
		IntruderBound: isBound["intruder"], VictimBound: isBound["victim"], Requests: requests, Seed: 7,
	})
	if err != nil && f == (fault{}) {
		t.Fatal(err)
	}
	return report, logged.String()
}

// owners takes whoever uses a session for who began it, if it has that fault.
func owners(faulty bool, next http.Handler) http.Handler {
	var began sync.Map // session to user
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, ok := began.Load(r.Header.Get("Mcp-Session-Id")); ok && faulty {
			r = r.WithContext(context.WithValue(r.Context(), userKey{}, user))
		}
		next.ServeHTTP(w, r)
		if id := w.Header().Get("Mcp-Session-Id"); id != "" {
			began.Store(id, caller(r.Context()))
		}
	})
}

// Generated requests of one caller show nothing of another, over HTTP in both eras, whether
// the callers are bound to an agent or not. Nothing of either is in the log.
func TestIntruder(t *testing.T) {
	n := testkit.Pick(200, 3000, 20_000)
	if testing.Short() {
		n = 60
	}
	answered := map[string]int{}
	for _, bound := range []map[string]bool{{"intruder": true, "victim": true}, {}, {"victim": true}} {
		report, logged := invade(t, bound, fault{}, n)
		for _, leak := range report.Leaks {
			t.Errorf("bound %v: %.3000s", bound, leak)
		}
		if strings.Contains(logged, "CANARY") {
			t.Errorf("bound %v: the log is %.2000s", bound, logged)
		}
		for kind, n := range report.Answered {
			answered[kind] += n
		}
	}
	for tool := range good {
		for _, protocol := range []string{legacy, modern} {
			if answered[tool+" "+protocol] == 0 && testkit.Long() {
				t.Errorf("no %s succeeds with %s: the requests prove little", tool, protocol)
			}
		}
	}
}

// The intruder finds a mistake in each layer.
func TestIntruderFindsALeak(t *testing.T) {
	testkit.SkipInShort(t)
	testkit.SkipUnlessLong(t)
	bound := map[string]bool{"intruder": true, "victim": true}
	for name, f := range map[string]fault{"session": {session: true}, "values": {values: true}, "author": {author: true}, "completion": {completion: true}} {
		if report, _ := invade(t, bound, f, 2000); len(report.Leaks) == 0 {
			t.Errorf("a server with a mistake in %s is not found out", name)
		}
	}
}
