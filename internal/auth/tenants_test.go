package auth_test

import (
	"errors"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/google/go-cmp/cmp"
)

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
		got, err := tenants.Set(t.Context(), "big", c.change)
		testkit.Must(t, err)
		limits, err := tenants.Limits(t.Context(), "big")
		if err != nil || got.Limits != c.want || limits != c.want {
			t.Errorf("the limits are %+v, %+v, %v; expected %+v", got.Limits, limits, err, c.want)
		}
	}
	list, err := tenants.List(t.Context(), "", 0)
	testkit.Must(t, err)
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
