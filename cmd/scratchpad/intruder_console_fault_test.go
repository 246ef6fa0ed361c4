package main

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
