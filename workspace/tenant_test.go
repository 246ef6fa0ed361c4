package workspace_test

import (
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Tenants of one Service see nothing of each other, have limits of their own, and count
// their reads together.
func TestTenant(t *testing.T) {
	svc, store := newService(t, workspace.Options{Store: workspace.StoreLimits{Agents: 1}})
	other, err := svc.Tenant("other", workspace.StoreLimits{Agents: 2})
	testkit.Must(t, err)
	write(t, agentOf(t, svc, "a"), "f", "of local")
	write(t, agentOf(t, other, "a"), "f", "of other")
	for _, c := range []struct {
		of   *workspace.Service
		want string
	}{{svc, "of local"}, {other, "of other"}} {
		if r, err := agentOf(t, c.of, "a").ReadFile(t.Context(), "f", workspace.ReadOptions{}); err != nil || string(r.Content) != c.want {
			t.Errorf("f has %q, %v, want %q", r.Content, err, c.want)
		}
	}
	write(t, agentOf(t, other, "b"), "f", "x")
	_, err = agentOf(t, svc, "b").WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the second agent of local", err, workspace.ErrQuota, "(1 of 1)")
	_, err = agentOf(t, other, "c").WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the third agent of other", err, workspace.ErrQuota, "(2 of 2)")

	testkit.Must(t, svc.Close(t.Context()))
	for _, tenant := range []string{"local", "other"} {
		again := serviceOn(t, store, workspace.Options{Tenant: tenant})
		look, err := again.Look("a")
		testkit.Must(t, err)
		if u, err := look.Usage(t.Context()); err != nil || u.Operations != 2 {
			t.Errorf("%s: %d operations, %v, want a write and a read", tenant, u.Operations, err)
		}
	}
	_, err = svc.Tenant("no tenant", workspace.StoreLimits{})
	wantErr(t, "a tenant with a space", err, workspace.ErrInvalid, "no tenant")
}
