package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// open returns the keys of a store. They are closed at the end of the test.
func open(t testing.TB, s workspace.Store) *auth.Keys {
	t.Helper()
	keys := auth.NewKeys(s, auth.Options{})
	t.Cleanup(func() { testkit.Must(t, keys.Close(context.Background())) })
	return keys
}

func grant(t testing.TB, agents ...string) auth.Grant {
	t.Helper()
	a, err := auth.ParseAgents(agents...)
	testkit.Must(t, err)
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
	c, err := keys.Verify(t.Context(), credential)
	if err != nil {
		t.Fatalf("Verify = %v, expected the owner of the key", err)
	}
	return c
}

// refused demands that the keys refuse a credential.
func refused(t testing.TB, keys *auth.Keys, credential string) {
	t.Helper()
	if c, err := keys.Verify(t.Context(), credential); err != auth.ErrUnknown {
		t.Fatalf("Verify = %+v, %v, expected ErrUnknown", c, err)
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

func TestRevokedKeyFails(t *testing.T) {
	keys := open(t, memstore.New())
	key, text := create(t, keys, grant(t, "*"))
	accepted(t, keys, text)
	for range 2 {
		got, err := keys.Revoke(t.Context(), key.ID)
		testkit.Must(t, err)
		if got.Revoked.IsZero() || got.Live(time.Now()) {
			t.Errorf("the key is %+v, expected that it is revoked", got)
		}
		refused(t, keys, text)
	}
	if _, _, err := keys.Rotate(t.Context(), key.ID, 0); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("Rotate of a revoked key = %v, expected ErrInvalid", err)
	}
	if _, err := keys.Set(t.Context(), key.ID, auth.Change{}); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("Set of a revoked key = %v, expected ErrInvalid", err)
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
	_, err := keys.Revoke(t.Context(), key.ID)
	testkit.Must(t, err)
	known("after it was revoked", false)
}
