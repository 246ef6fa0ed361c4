package auth_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 40, Long: 200, Full: 400}.Set()
	goleak.VerifyTestMain(m)
}

// open returns the keys of a store. They are closed at the end of the test.
func open(t testing.TB, s workspace.Store) *auth.Keys {
	t.Helper()
	keys := auth.NewKeys(s, auth.Options{})
	t.Cleanup(func() { testkit.Must(t, keys.Close(context.Background())) })
	return keys
}

func grant(t testing.TB, agents ...string) auth.Grant {
	t.Helper()
	a := must(auth.ParseAgents(agents...))(t)
	return auth.Grant{Tenant: "team", Name: "the laptop", Agents: a, Scopes: auth.Read | auth.Write}
}

func create(t testing.TB, keys *auth.Keys, g auth.Grant) (auth.Key, string) {
	t.Helper()
	key, text, err := keys.Create(t.Context(), g)
	testkit.Must(t, err)
	return key, text
}

// accepted demands that the keys know a credential.
func accepted(t testing.TB, keys *auth.Keys, credential string) auth.Caller {
	t.Helper()
	c := must(keys.Verify(t.Context(), credential))(t)
	return c
}

// refused demands that the keys refuse a credential.
func refused(t testing.TB, keys *auth.Keys, credential string) {
	t.Helper()
	if c, err := keys.Verify(t.Context(), credential); err != auth.ErrUnknown {
		t.Fatalf("Verify = %+v, %v, expected ErrUnknown", c, err)
	}
}

// A name that is given twice is one agent.
func TestAgentsOnce(t *testing.T) {
	agents, err := auth.ParseAgents("a", "a")
	if only, ok := agents.Only(); err != nil || !ok || only != "a" {
		t.Errorf("ParseAgents of a twice = %q, %v", agents.Patterns(), err)
	}
}

// A key says who its owner is, and what the owner may do.
func TestVerify(t *testing.T) {
	keys := open(t, memstore.New())
	g := grant(t, "planner", "team-a-*")
	g.Rate = auth.Rate{PerSecond: 2.5}
	key, text := create(t, keys, g)
	c := accepted(t, keys, text)
	if c.ID != "key/"+key.ID || c.Key != key.ID || c.Tenant != "team" || c.Scopes != auth.Read|auth.Write ||
		c.Rate != (auth.Rate{PerSecond: 2.5, Burst: 10}) {
		t.Errorf("the owner is %+v", c)
	}
	if !c.Agents.Allow("planner") || !c.Agents.Allow("team-a-x") || c.Agents.Allow("other") {
		t.Errorf("the agents are %v", c.Agents.Patterns())
	}
	_, other := create(t, keys, g)
	mixed := other[:3] + key.ID + other[11:]
	for _, wrong := range []string{"", "sp_", text + "0", text[:len(text)-1], mixed, "SP_" + text[3:]} {
		refused(t, keys, wrong)
	}
}

// A key is known when it was found right once, also after a change of another key. It is not
// known any more when it was revoked.
func TestKnown(t *testing.T) {
	keys := open(t, memstore.New())
	key, text := create(t, keys, grant(t, "*"))
	known := func(what string, want bool) {
		t.Helper()
		if c, ok := keys.Known(t.Context(), text); ok != want || ok && c.Key != key.ID || !ok && c.ID != "" {
			t.Errorf("%s: Known = %+v, %v; want %v", what, c, ok, want)
		}
	}
	known("a new key", false)
	accepted(t, keys, text)
	known("after it was used", true)
	_, guess := create(t, keys, grant(t, "*"))
	known("after a change of another key", true)
	if _, ok := keys.Known(t.Context(), guess); ok {
		t.Error("another new key is known")
	}
	if _, ok := keys.Known(t.Context(), auth.GuessesOf(text, 1)[0]); ok {
		t.Error("a wrong secret is known")
	}
	testkit.Must(t, testkit.Err(keys.Revoke(t.Context(), key.ID)))
	known("after it was revoked", false)
}

// spy is a store that counts what is done with its records, and fails on demand.
type spy struct {
	workspace.Store
	reads    atomic.Int64                               // Get and List
	before   atomic.Pointer[func(op, key string) error] // before each of them, and Put; nil: nothing
	afterGet atomic.Pointer[func(key string)]           // nil: nothing
	clock    *testkit.Clock                             // nil: that of the store
}

func (s *spy) System(ctx context.Context) workspace.Records {
	return spyRecords{s.Store.System(ctx), s}
}

// onCall sets what is done before each call; an error is the call's.
func (s *spy) onCall(fn func(op, key string) error) { s.before.Store(&fn) }

// failing makes the calls fail whose key begins with a prefix.
func (s *spy) failing(op, prefix string, err error) {
	s.onCall(func(o, key string) error {
		if o == op && strings.HasPrefix(key, prefix) {
			return err
		}
		return nil
	})
}

func (s *spy) call(op, key string) error {
	if op != "put" {
		s.reads.Add(1)
	}
	if fn := s.before.Load(); fn != nil {
		return (*fn)(op, key)
	}
	return nil
}

type spyRecords struct {
	workspace.Records
	s *spy
}

func (r spyRecords) Get(key string) (workspace.Record, error) {
	if err := r.s.call("get", key); err != nil {
		return workspace.Record{}, err
	}
	if fn := r.s.afterGet.Load(); fn != nil {
		defer (*fn)(key)
	}
	return r.Records.Get(key)
}

func (r spyRecords) List(prefix, after string, limit int) ([]workspace.Record, error) {
	if err := r.s.call("list", prefix); err != nil {
		return nil, err
	}
	return r.Records.List(prefix, after, limit)
}

func (r spyRecords) Put(key string, value []byte, revision int64) (int64, error) {
	if err := r.s.call("put", key); err != nil {
		return 0, err
	}
	return r.Records.Put(key, value, revision)
}

func (r spyRecords) Now() (time.Time, error) {
	if r.s.clock != nil {
		return r.s.clock.Now(), nil
	}
	return r.Records.Now()
}

func TestTenants(t *testing.T) {
	keys := open(t, memstore.New())
	tenants := keys.Tenants()
	defaults := auth.TenantLimits{Agents: 10_000, Bytes: 10_000_000_000, Keys: 1000}
	got, err := tenants.Get(t.Context(), "team")
	if err != nil || got != (auth.Tenant{Name: "team", Limits: defaults}) {
		t.Errorf("a tenant that nobody set is %+v, %v", got, err)
	}
	create(t, keys, grant(t, "*"))
	five, none, zero, bad := int64(5), int64(-1), int64(0), int64(-2)
	for _, c := range []struct {
		change auth.TenantChange
		want   auth.TenantLimits
	}{
		{auth.TenantChange{Agents: &five}, auth.TenantLimits{Agents: 5, Bytes: 10_000_000_000, Keys: 1000}},
		{auth.TenantChange{Bytes: &none, Keys: &five}, auth.TenantLimits{Agents: 5, Bytes: -1, Keys: 5}},
		{auth.TenantChange{Agents: &zero, Bytes: &zero}, auth.TenantLimits{Agents: 10_000, Bytes: 10_000_000_000, Keys: 5}},
	} {
		got := must(tenants.Set(t.Context(), "big", c.change))(t)
		limits, err := tenants.Limits(t.Context(), "big")
		if err != nil || got.Limits != c.want || limits != c.want {
			t.Errorf("the limits are %+v, %+v, %v; expected %+v", got.Limits, limits, err, c.want)
		}
	}
	list := must(tenants.List(t.Context(), "", 0))(t)
	want := []auth.Tenant{{Name: "big", Limits: auth.TenantLimits{Agents: 10_000, Bytes: 10_000_000_000, Keys: 5}}, {Name: "team", Limits: defaults}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	if list, err := tenants.List(t.Context(), "big", 1); err != nil || len(list) != 1 || list[0].Name != "team" {
		t.Errorf("after big comes %+v, %v", list, err)
	}
	for _, name := range []string{"", "a/b", "a b"} {
		_, err := tenants.Set(t.Context(), name, auth.TenantChange{})
		_, other := tenants.Limits(t.Context(), name)
		if !errors.Is(err, workspace.ErrInvalid) || !errors.Is(other, workspace.ErrInvalid) {
			t.Errorf("tenant %q: %v, %v; expected ErrInvalid", name, err, other)
		}
	}
	if _, err := tenants.Set(t.Context(), "team", auth.TenantChange{Keys: &bad}); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("a limit of -2: %v, expected ErrInvalid", err)
	}
}

// What was set for a tenant holds, even if it is the usual limit. The others are those of
// the options.
func TestTenantLimitsOfOptions(t *testing.T) {
	store := memstore.New()
	keys := auth.NewKeys(store, auth.Options{Limits: workspace.StoreLimits{Agents: 3, Bytes: -1}})
	defer keys.Close(t.Context())
	usual := workspace.DefaultStoreLimits()
	_, err := keys.Tenants().Set(t.Context(), "big", auth.TenantChange{Agents: &usual.Agents, Bytes: &usual.Bytes})
	testkit.Must(t, err)
	for name, want := range map[string]auth.TenantLimits{
		"big":   {Agents: usual.Agents, Bytes: usual.Bytes, Keys: 1000},
		"other": {Agents: 3, Bytes: -1, Keys: 1000},
	} {
		got, err := keys.Tenants().Limits(t.Context(), name)
		shown, err2 := keys.Tenants().Get(t.Context(), name)
		if err != nil || err2 != nil || got != want || shown.Limits != want {
			t.Errorf("the limits of %s are %+v, %+v, %v, %v; expected %+v", name, got, shown.Limits, err, err2, want)
		}
	}
}

// must returns a value, or ends the test with the error.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		testkit.Must(t, err)
		return value
	}
}
