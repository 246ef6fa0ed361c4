package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/cli/database"
	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A fault is a mistake in one layer of a server, put in where the layers meet.
type fault struct {
	rounds uint64 // of requests, at most, until it is found; 0: 1
	duel   string // of those that cast.duels makes
	prowl  string // or of those that cast.prowls makes
	mcp    func(*service, *mcpserver.Options)
	http   func(*service, *httpserver.Options)
	pages  func(*service, *console.Options)
	in     string // what shows it: "log", "metrics", or "" for the answers
	wrap   func(workspace.Store) workspace.Store
}

// faults are a mistake in each layer.
var faults = map[string]fault{
	"none": {duel: "tenants with the same agents"},
	"auth: the secret is not looked at": {duel: "tenants with the same agents", rounds: 60, http: func(_ *service, o *httpserver.Options) {
		var known sync.Map // the id to the caller
		verify := o.Keys
		o.Keys = func(ctx context.Context, credential string) (auth.Caller, error) {
			id := credential[:min(11, len(credential))]
			if c, ok := known.Load(id); ok {
				return c.(auth.Caller), nil
			}
			c, err := verify(ctx, credential)
			if err == nil {
				known.Store(id, c)
			}
			return c, err
		}
	}},
	"access: every agent is allowed": {duel: "agents of a tenant", mcp: func(s *service, o *mcpserver.Options) {
		o.Workspace = func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			return s.skip(ctx, call, func(c auth.Caller) string { return c.Tenant })
		}
	}},
	"access: all tenants are one": {duel: "a token and a key", mcp: func(s *service, o *mcpserver.Options) {
		o.Workspace = func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			return s.skip(ctx, call, func(auth.Caller) string { return "one" })
		}
	}},
	"workspace: the tenant is forgotten": {duel: "tenants with the same agents", mcp: func(s *service, o *mcpserver.Options) {
		o.Workspace = func(ctx context.Context, call mcpserver.Call) (*workspace.Workspace, error) {
			if ws, err := s.door.Workspace(ctx, call.AgentID, needs(call)); err != nil {
				return ws, err
			}
			return s.base.Agent(call.AgentID)
		}
	}},
	"httpserver: a request has the context of another": {duel: "tenants with the same agents", http: func(_ *service, o *httpserver.Options) {
		var last atomic.Pointer[auth.Caller]
		var n atomic.Int64
		o.MCP = before(o.MCP, func(r *http.Request) *http.Request {
			c, _ := auth.FromContext(r.Context())
			if other := last.Swap(&c); other != nil && n.Add(1)%20 == 0 {
				c = *other
			}
			return r.WithContext(auth.NewContext(r.Context(), c))
		})
	}},
	"mcpserver: a session is whose it was": {duel: "a subject in two tenants", mcp: func(_ *service, o *mcpserver.Options) {
		o.Caller = func(context.Context) string { return "everybody" }
	}, http: func(_ *service, o *httpserver.Options) {
		var began sync.Map // session to caller
		o.MCP = before(o.MCP, func(r *http.Request) *http.Request {
			c, _ := auth.FromContext(r.Context())
			if id := r.Header.Get("Mcp-Session-Id"); id != "" {
				first, _ := began.LoadOrStore(id, c) // its owner is the first to use it
				c = first.(auth.Caller)
			}
			return r.WithContext(auth.NewContext(r.Context(), c))
		})
	}},
	"telemetry: a path is a label": {duel: "a key and a token", in: "metrics", http: func(_ *service, o *httpserver.Options) {
		var last atomic.Pointer[[]byte]
		o.MCP = before(o.MCP, func(r *http.Request) *http.Request {
			if body := copyBody(r); bytes.Contains(body, []byte(`"path":"CANARY7f3a`)) {
				last.Store(&body)
			}
			return r
		})
		metrics := o.Metrics
		o.Metrics = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "scratchpad_path{path=%q} 1\n", *last.Load())
			metrics.ServeHTTP(w, r)
		})
	}},
	"log: arguments": {duel: "tokens", in: "log", http: func(s *service, o *httpserver.Options) {
		o.MCP = before(o.MCP, func(r *http.Request) *http.Request {
			s.p.log.Debug("call", "arguments", copyBody(r))
			return r
		})
	}},
	"log: a header": {duel: "agents of a tenant", in: "log", http: func(s *service, o *httpserver.Options) {
		o.MCP = before(o.MCP, func(r *http.Request) *http.Request {
			s.p.log.Debug("request", "headers", r.Header)
			return r
		})
	}},
}

// before changes requests before a handler.
func before(next http.Handler, change func(*http.Request) *http.Request) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, change(r)) })
}

// copyBody returns the body of a request, which can still be read.
func copyBody(r *http.Request) []byte {
	body, _ := io.ReadAll(r.Body) // an incomplete body is refused later
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body
}

// A faultyService is a service in this process, with a fault.
type faultyService struct {
	*service
	log *testkit.Buffer
	url string
}

// faulty starts a server in this process, as scratchpad serve does, but for the fault.
func faulty(t *testing.T, db string, tokens *issuer, f fault) *faultyService {
	t.Helper()
	var line commandLine
	args := append(tokens.flags(), "--db", db, "--rate", "0", "--rate-agent", "0", "--trusted-proxy", "127.0.0.0/8")
	surroundings.Lock() // a command beside this test has variables of its own
	_, err := newParser(&line).Parse(append([]string{"serve"}, args...))
	surroundings.Unlock()
	testkit.Must(t, err)
	log := new(testkit.Buffer)
	ctx, stop := context.WithCancel(t.Context())
	p := &process{ctx: ctx, streams: streams{err: log}, line: &line, log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	s := &service{c: line.Serve, p: p}
	testkit.Must(t, s.observe())
	d := p.newDatabase(database.HandleOptions{Wrap: f.wrap})
	svc, err := d.Service(ctx)
	testkit.Must(t, err)
	s.store, s.base = d.Store(), svc
	if f.wrap != nil {
		s.store = f.wrap(d.Store())
	}
	s.keys = auth.NewKeys(s.store, auth.Options{})
	s.door = access.New(svc, s.limits)
	s.tokens, err = s.c.OAuth.open(p.log)
	testkit.Must(t, err)
	ofMCP := s.mcpOptions()
	if f.mcp != nil {
		f.mcp(s, &ofMCP)
	}
	s.mcp, err = mcpserver.New(ofMCP)
	testkit.Must(t, err)
	ofHTTP := s.httpOptions()
	ofPages := s.consoleOptions()
	if f.pages != nil {
		f.pages(s, &ofPages)
	}
	ofHTTP.Console, err = console.New(ofPages)
	testkit.Must(t, err)
	ofHTTP.Console = before(ofHTTP.Console, func(r *http.Request) *http.Request {
		return r.WithContext(context.WithValue(r.Context(), pathKey{}, r.URL.Path))
	})
	if f.http != nil {
		f.http(s, &ofHTTP)
	}
	s.http, err = httpserver.New(ofHTTP)
	testkit.Must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	served := make(chan error)
	go func() { served <- s.http.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		testkit.Must(t, <-served)
		testkit.Must(t, s.close())
		testkit.Must(t, d.Close())
	})
	return &faultyService{s, log, "http://" + l.Addr().String()}
}

// pathKey is of the path of a request to the console, by which a fault knows its route.
type pathKey struct{}

// skip returns the workspace that a call names in a tenant, whatever its caller may use.
func (s *service) skip(ctx context.Context, call mcpserver.Call, tenant func(auth.Caller) string) (*workspace.Workspace, error) {
	c, _ := auth.FromContext(ctx)
	agent := call.AgentID
	if only, bound := c.Agents.Only(); bound && agent == "" {
		agent = only
	}
	svc, err := s.door.Tenant(ctx, tenant(c))
	if err != nil {
		return nil, err
	}
	return svc.Agent(agent)
}

// findFaults runs an intruder against a server with each fault, up to so many rounds. The
// fault must be found where it shows, and nothing elsewhere. prepare returns a round of the
// intruder, which returns how many leaks it sees.
func findFaults(t *testing.T, faults map[string]fault, rounds uint64, prepare func(*testing.T, *cast, fault) func(s *faultyService, seed uint64) int) {
	t.Helper()
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), "team.db")
			c := newCast(t, db)
			round, most := prepare(t, c, f), max(rounds, f.rounds)
			if name == "none" { // the tests of a whole server send more requests without a mistake
				most = 1
			}
			watcher := c.key("watchers", "", auth.Metrics, "*").credential
			s := faulty(t, db, c.issuer, f)
			found := map[string]bool{}
			for seed := uint64(0); !found[f.in] && seed < most; seed++ {
				found[""] = round(s, seed) > 0
				_, metrics := (&running{url: s.url}).get(t, "/metrics", watcher)
				found["log"], found["metrics"] = c.shown(s.log.String()) != nil, c.shown(metrics) != nil
			}
			for in, is := range found {
				if is != (name != "none" && in == f.in) {
					t.Errorf("a leak in the %q is found: %v", in, is)
				}
			}
		})
	}
}

// The intruder finds a mistake in each layer, and nothing in a server without one.
func TestIntruderFindsALeak(t *testing.T) {
	testkit.SkipUnlessLong(t)
	findFaults(t, faults, 1, func(t *testing.T, c *cast, f fault) func(*faultyService, uint64) int {
		duels := c.duels()
		d := duels[slices.IndexFunc(duels, func(d duel) bool { return d.name == f.duel })]
		return func(s *faultyService, seed uint64) int { return len(d.fight(t, s.url, 600, 11+seed).Leaks) }
	})
}

// prowlOf returns the prowl that a fault names, and fills the memory of its victim.
func prowlOf(t *testing.T, c *cast, f fault) (p prowl, fill func(s *faultyService)) {
	t.Helper()
	prowls, fills := c.prowls()
	return prowls[slices.IndexFunc(prowls, func(p prowl) bool { return p.name == f.prowl })], func(s *faultyService) {
		for _, d := range fills {
			d.fight(t, s.url, 0, 1)
		}
	}
}

// A mistaken People changes who sends a request, on some routes.
type mistaken struct {
	console.People
	change func(ctx context.Context, path string, p *console.Person)
}

// Person implements [console.People].
func (m mistaken) Person(ctx context.Context, session string) (console.Person, error) {
	p, err := m.People.Person(ctx, session)
	if path, ok := ctx.Value(pathKey{}).(string); ok && err == nil {
		m.change(ctx, path, &p)
	}
	return p, err
}

// on changes the person on the routes that begin with a text.
func on(begin string, change func(ctx context.Context, s *service, p *console.Person)) func(*service, *console.Options) {
	return func(s *service, o *console.Options) {
		o.People = mistaken{o.People, func(ctx context.Context, path string, p *console.Person) {
			if strings.HasPrefix(path, begin) {
				change(ctx, s, p)
			}
		}}
	}
}

func anyAgent(string) bool { return true }

// everyKey is keys without a look at the tenant.
type everyKey struct {
	console.Keys
	keys *auth.Keys
}

// Show implements [console.Keys].
func (k everyKey) Show(ctx context.Context, _ console.Person, id string) (console.Key, error) {
	key, err := k.keys.Show(ctx, id)
	return console.Key{ID: key.ID, Name: key.Name, Created: key.Created}, err
}

// consoleFaults are a mistake in each layer of the console. Each names its prowl.
var consoleFaults = map[string]fault{
	"none": {prowl: "two agents"},
	"the list has all agents": {prowl: "read", pages: on("/", func(_ context.Context, _ *service, p *console.Person) {
		p.Agents = []string{"*"}
	})},
	"an agent is not checked": {prowl: "two agents", pages: on("/a/", func(_ context.Context, _ *service, p *console.Person) {
		p.Allow = anyAgent
	})},
	"a prefix is not checked": {prowl: "a prefix", pages: on("/a/", func(_ context.Context, _ *service, p *console.Person) {
		p.Allow = func(agent string) bool { return strings.HasPrefix(agent, "victoria-5") }
	})},
	"the scope is not checked": {prowl: "admin alone", pages: on("/a/", func(_ context.Context, _ *service, p *console.Person) {
		p.Read = true
	})},
	"all tenants are one": {prowl: "all of another tenant", pages: on("/a/", func(ctx context.Context, s *service, p *console.Person) {
		if svc, err := s.door.Tenant(ctx, "nest"); err == nil {
			p.Service = svc
		}
	})},
	"a search is over all": {prowl: "a prefix", pages: on("/search", func(_ context.Context, _ *service, p *console.Person) {
		p.Agents, p.Allow = []string{"*"}, anyAgent
	})},
	"events are for all": {prowl: "two agents", pages: on("/events", func(_ context.Context, _ *service, p *console.Person) {
		p.Allow = anyAgent
	})},
	"keys of all tenants": {prowl: "all of another tenant", pages: func(s *service, o *console.Options) {
		o.Keys = everyKey{o.Keys, s.keys}
	}},
	"health names an agent": {prowl: "metrics alone", pages: func(_ *service, o *console.Options) {
		o.Health = func(context.Context) (console.Health, error) {
			return console.Health{Checks: []console.Check{{Name: "size", Text: "victoria-5 is large"}}}, nil
		}
	}},
	"a session is that of another": {prowl: "all of another tenant", pages: func(_ *service, o *console.Options) {
		var first sync.Map // who first asked for a path
		o.People = mistaken{o.People, func(_ context.Context, path string, p *console.Person) {
			if strings.HasPrefix(path, "/a/") {
				other, _ := first.LoadOrStore(path, *p)
				*p = other.(console.Person)
			}
		}}
	}},
	"an address is in the log": {prowl: "two agents", in: "log", http: func(s *service, o *httpserver.Options) {
		o.Console = before(o.Console, func(r *http.Request) *http.Request {
			s.p.log.Debug("page", "address", r.URL)
			return r
		})
	}},
	"a form is in the log": {prowl: "two agents", in: "log", http: func(s *service, o *httpserver.Options) {
		o.Console = before(o.Console, func(r *http.Request) *http.Request {
			if body := copyBody(r); bytes.Contains(body, []byte("key=")) {
				s.p.log.Debug("form", "body", body)
			}
			return r
		})
	}},
}

// The intruder finds a mistake in each layer of the console, and nothing without one.
func TestIntruderFindsALeakOfTheConsole(t *testing.T) {
	testkit.SkipUnlessLong(t)
	routes := consoleRoutes(t)
	findFaults(t, consoleFaults, uint64(testkit.Pick(4, 10, 50)), func(t *testing.T, c *cast, f fault) func(*faultyService, uint64) int {
		p, fill := prowlOf(t, c, f)
		return func(s *faultyService, seed uint64) int {
			if seed == 0 {
				fill(s)
			}
			return len(p.hunt(t, s.url, routes, 500, seed, map[string]int{}))
		}
	})
}
