package signin_test

import (
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/signin"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	_ console.People = (*signin.People)(nil)
	_ console.People = (*signin.Link)(nil)
	_ console.Keys   = (*signin.Keys)(nil)
)

// A failing store fails on demand.
type failing struct {
	workspace.Store
	fails atomic.Bool
}

func (s *failing) System(ctx context.Context) workspace.Records {
	return failingRecords{s.Store.System(ctx), s}
}

type failingRecords struct {
	workspace.Records
	s *failing
}

func (r failingRecords) Get(key string) (workspace.Record, error) {
	if r.s.fails.Load() {
		return workspace.Record{}, workspace.ErrBusy
	}
	return r.Records.Get(key)
}

// server is what a server has for its people.
type server struct {
	store  *failing
	keys   *auth.Keys
	people *signin.People
	log    strings.Builder
	open   auth.Caller // who somebody without a key is; zero: nobody
}

type addressKey struct{}

func newServer(t *testing.T) *server {
	s := &server{store: &failing{Store: memstore.New()}}
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	s.keys = auth.NewKeys(s.store, auth.Options{Logger: log})
	t.Cleanup(func() { testkit.Must(t, s.keys.Close(context.Background())) })
	base, err := workspace.New(s.store, workspace.Options{})
	testkit.Must(t, err)
	s.people = signin.NewPeople(signin.Options{
		Sessions: s.keys.Sessions(), Failures: auth.NewFailures(nil), Logger: log,
		Door: access.New(base, func(context.Context, string) (workspace.StoreLimits, error) { return workspace.StoreLimits{}, nil }),
		Address: func(ctx context.Context) netip.Addr {
			a, _ := ctx.Value(addressKey{}).(netip.Addr)
			return a
		},
		Anonymous: func(context.Context) (auth.Caller, bool, error) { return s.open, s.open.ID != "", nil },
	})
	return s
}

// from returns a context of a request that comes from an address.
func from(t *testing.T, address string) context.Context {
	return context.WithValue(t.Context(), addressKey{}, netip.MustParseAddr(address))
}

func (s *server) create(t *testing.T, tenant string, scopes auth.Scopes, agents ...string) (auth.Key, string) {
	t.Helper()
	a, err := auth.ParseAgents(agents...)
	testkit.Must(t, err)
	key, text, err := s.keys.Create(t.Context(), auth.Grant{Tenant: tenant, Name: "of " + tenant, Agents: a, Scopes: scopes})
	testkit.Must(t, err)
	return key, text
}

// enter signs in and returns the person.
func (s *server) enter(t *testing.T, text string) (p console.Person, session string) {
	t.Helper()
	session, _, err := s.people.SignIn(from(t, "192.0.2.1"), text)
	testkit.Must(t, err)
	p, err = s.people.Person(t.Context(), session)
	testkit.Must(t, err)
	return p, session
}
