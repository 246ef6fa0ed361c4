package memorystores_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/memorystores"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/sqlite"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const both = auth.Read | auth.Write

// A world is a server on a loopback address over a store.
type world struct {
	url   string
	store workspace.Store
	svc   *workspace.Service // of the tenant house
	keys  *auth.Keys
}

// worlds runs a test on a store in memory, and in the long proofs on SQLite too.
func worlds(t *testing.T, test func(*testing.T, *world)) {
	t.Run("memory", func(t *testing.T) { test(t, newWorld(t, memstore.New(), nil)) })
	t.Run("sqlite", func(t *testing.T) {
		testkit.SkipUnlessLong(t)
		store := must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), sqlite.Options{}))(t)
		t.Cleanup(func() { testkit.Must(t, store.Close()) })
		test(t, newWorld(t, store, nil))
	})
}

// newWorld serves until the test ends. change changes the options, if it is not nil.
func newWorld(t *testing.T, store workspace.Store, change func(*memorystores.Options, *httpserver.Options)) *world {
	t.Helper()
	base := must(workspace.New(store, workspace.Options{Paths: workspace.UnicodePaths, KeepDeleted: 30 * 24 * time.Hour}))(t)
	w := &world{store: store, keys: auth.NewKeys(store, auth.Options{})}
	limits := workspace.StoreLimits{Agents: 40}
	w.svc = must(base.Tenant("house", limits))(t)
	door := access.New(base, func(context.Context, string) (workspace.StoreLimits, error) { return limits, nil })
	var server *httpserver.Server
	o := memorystores.Options{
		Door: door, RequestID: httpserver.RequestID, Logger: slog.New(slog.DiscardHandler),
		Around: func(ctx context.Context, _ mcpserver.Call) (context.Context, func(mcpserver.Outcome)) {
			return ctx, func(mcpserver.Outcome) {}
		},
		Admit: func(ctx context.Context, tenant, agent string) (time.Duration, bool) {
			return server.AdmitAgent(ctx, tenant, agent)
		},
	}
	ho := httpserver.Options{
		MCP: http.NotFoundHandler(), Keys: w.keys.Verify, Logger: o.Logger, Rate: auth.Rate{PerSecond: -1}, AgentRate: auth.Rate{PerSecond: -1},
	}
	if change != nil {
		change(&o, &ho)
	}
	ho.MemoryStores = memorystores.New(o)
	server = must(httpserver.New(ho))(t)
	l := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		testkit.Must(t, <-ended)
		testkit.Must(t, w.keys.Close(context.Background()))
		testkit.Must(t, base.Close(context.Background()))
	})
	w.url = "http://" + l.Addr().String()
	return w
}

// A client sends requests with a key.
type client struct {
	*testing.T
	url, id, key string
	header       []string // of each request: names and values
}

// of returns a client with a new key of the tenant house.
func (w *world) of(t *testing.T, scopes auth.Scopes, patterns ...string) *client {
	t.Helper()
	return w.in(t, "house", scopes, patterns...)
}

func (w *world) in(t *testing.T, tenant string, scopes auth.Scopes, patterns ...string) *client {
	t.Helper()
	agents := must(auth.ParseAgents(patterns...))(t)
	key, text, err := w.keys.Create(t.Context(), auth.Grant{Tenant: tenant, Agents: agents, Scopes: scopes})
	testkit.Must(t, err)
	return &client{T: t, url: w.url, id: key.ID, key: text}
}

// with returns the client with another header in each request.
func (c *client) with(name, value string) *client {
	d := *c
	d.header = append(append([]string(nil), c.header...), name, value)
	return &d
}

// An answer is what came back.
type answer struct {
	t      *testing.T
	asked  string
	status int
	header http.Header
	text   string
	body   map[string]any
}

// ask sends a request below /v1/memory_stores.
func (c *client) ask(method, path, body string) answer {
	c.Helper()
	r := must(http.NewRequestWithContext(c.Context(), method, c.url+"/v1/memory_stores"+path, strings.NewReader(body)))(c.T)
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i < len(c.header); i += 2 {
		r.Header.Add(c.header[i], c.header[i+1])
	}
	res := must(http.DefaultClient.Do(r))(c.T)
	defer res.Body.Close()
	text := must(io.ReadAll(res.Body))(c.T)
	a := answer{c.T, fmt.Sprintf("%s %s %.200s", method, path, body), res.StatusCode, res.Header, string(text), nil}
	if method != "HEAD" {
		testkit.Must(c.T, json.Unmarshal(text, &a.body))
	}
	return a
}

func (c *client) get(path string) answer { c.Helper(); return c.ask("GET", path, "") }
func (c *client) post(path string, v any) answer {
	c.Helper()
	return c.ask("POST", path, body(c.T, v))
}
func (c *client) remove(path string) answer      { c.Helper(); return c.ask("DELETE", path, "") }
func (c *client) made(path string, v any) answer { c.Helper(); return c.post(path, v).ok() }
func (c *client) memory(path, text string) answer {
	c.Helper()
	return c.made("/memstore_a/memories", object{"path": path, "content": text})
}

type object map[string]any

func body(t *testing.T, v any) string {
	t.Helper()
	if text, ok := v.(string); ok {
		return text
	}
	b := must(json.Marshal(v))(t)
	return string(b)
}

// ok ends the test unless the answer is a 200.
func (a answer) ok() answer {
	a.t.Helper()
	if a.status != http.StatusOK {
		a.t.Fatalf("%s: %d %s", a.asked, a.status, a.text)
	}
	return a
}

// fails checks that the answer is an error in the API's form, with words in its message.
func (a answer) fails(status int, kind, words string) answer {
	a.t.Helper()
	e, _ := a.body["error"].(map[string]any)
	message, _ := e["message"].(string)
	if a.status != status || a.body["type"] != "error" || e["type"] != kind || !strings.Contains(message, words) {
		a.t.Errorf("%s: %d %s, want %d %s %q", a.asked, a.status, a.text, status, kind, words)
	}
	if id := a.header.Get("Request-Id"); id == "" || a.body["request_id"] != id || a.header.Get("X-Request-Id") != id || a.header.Get("Content-Type") != "application/json" {
		a.t.Errorf("%s: the answer has request_id %v and the headers %v", a.asked, a.body["request_id"], a.header)
	}
	if again := a.header.Get("X-Should-Retry"); (again == "false") != (status == http.StatusConflict) {
		a.t.Errorf("%s: %d has x-should-retry %q", a.asked, status, again)
	}
	return a
}

// str returns a member that is text.
func (a answer) str(name string) string {
	a.t.Helper()
	text, ok := a.body[name].(string)
	if !ok {
		a.t.Fatalf("%s: %s is no text in %s", a.asked, name, a.text)
	}
	return text
}

// time returns a member that is a time. As texts, times of different lengths are in no order.
func (a answer) time(name string) time.Time {
	a.t.Helper()
	at, err := time.Parse(time.RFC3339Nano, a.str(name))
	testkit.Must(a.t, err)
	return at
}

// conflict returns a member of the error.
func (a answer) conflict(name string) any {
	e, _ := a.body["error"].(map[string]any)
	return e[name]
}

// data returns a member of each item of a page.
func (a answer) data(name string) (all []string) {
	a.t.Helper()
	items, ok := a.ok().body["data"].([]any)
	if !ok {
		a.t.Fatalf("%s: no page in %s", a.asked, a.text)
	}
	for _, item := range items {
		all = append(all, fmt.Sprint(item.(map[string]any)[name]))
	}
	return all
}

// pages goes through all pages of a list, and returns a member of each item.
func (c *client) pages(path, name string) (all []string, n int) {
	c.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for next := ""; ; {
		a := c.get(path + next)
		all = append(all, a.data(name)...)
		n++
		if a.body["next_page"] == nil {
			return all, n
		}
		if next = sep + "page=" + a.str("next_page"); n > 1000 {
			c.Fatalf("%s has no end", path)
		}
	}
}

// A broken store fails when the data of an agent is read.
type broken struct {
	workspace.Store
	err atomic.Pointer[error] // nil: it works
}

// View implements [workspace.Store].
func (b *broken) View(ctx context.Context, o port.Owner, fn func(port.Reader) error) error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return b.Store.View(ctx, o, fn)
}

// must returns a value, or ends the test with the error.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		testkit.Must(t, err)
		return value
	}
}
