package access_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

func newDoor(t *testing.T, limits func(tenant string) workspace.StoreLimits) *access.Door {
	t.Helper()
	svc, err := workspace.New(memstore.New(), workspace.Options{})
	testkit.Must(t, err)
	return access.New(svc, func(_ context.Context, tenant string) (workspace.StoreLimits, error) { return limits(tenant), nil })
}

func noLimits(string) workspace.StoreLimits { return workspace.StoreLimits{} }

func as(t *testing.T, tenant string, scopes auth.Scopes, agents ...string) context.Context {
	t.Helper()
	a, err := auth.ParseAgents(agents...)
	testkit.Must(t, err)
	return auth.NewContext(t.Context(), auth.Caller{ID: tenant + "/key", Tenant: tenant, Key: "key", Agents: a, Scopes: scopes})
}

func TestWorkspace(t *testing.T) {
	d := newDoor(t, noLimits)
	both := auth.Read | auth.Write
	for _, c := range []struct {
		ctx   context.Context
		agent string
		need  auth.Scopes
		want  string // the agent, or a part of the error after a "!"
	}{
		{as(t, "t", both, "a"), "", auth.Write, "a"},
		{as(t, "t", both, "a"), "b", auth.Write, "!leave it out"},
		{as(t, "t", both, "a", "b"), "b", auth.Write, "b"},
		{as(t, "t", both, "a", "b"), "c", auth.Read, "!not among the agents of your key (a, b)"},
		{as(t, "t", both, "team-*"), "team-x", auth.Read, "team-x"},
		{as(t, "t", both, "team-*"), "team", auth.Read, "!not among"},
		{as(t, "t", both, "*"), "any", auth.Write, "any"},
		{as(t, "t", auth.Read, "a"), "", auth.Read, "a"},
		{as(t, "t", auth.Read, "a"), "", auth.Write, "!may not write"},
		{as(t, "t", auth.Write, "a"), "", auth.Read, "!may not read"},
		{as(t, "t", both, "a"), "", 0, "!may not"},
		{as(t, "t", auth.Admin|auth.Metrics, "*"), "a", auth.Read, "!may not read"},
		{auth.NewContext(t.Context(), auth.Caller{}), "a", auth.Read, "!not among"},
		{t.Context(), "a", auth.Read, "!scratchpad keys create"},
	} {
		ws, err := d.Workspace(c.ctx, c.agent, c.need)
		if want, fails := strings.CutPrefix(c.want, "!"); fails {
			if !errors.Is(err, access.ErrDenied) || !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), want) {
				t.Errorf("%q, %v: %v, want %s", c.agent, c.need, err, want)
			}
			continue
		}
		if err != nil || ws.Agent() != c.want || ws.Author().Key != "key" {
			t.Errorf("%q, %v: %+v, %v, want the agent %s", c.agent, c.need, ws, err, c.want)
		}
	}
}

// The agents of one name of two tenants are two, and each tenant has its own limits, which
// hold from the next call on.
func TestTenants(t *testing.T) {
	most := map[string]int64{"t": 1, "u": 1}
	d := newDoor(t, func(tenant string) workspace.StoreLimits { return workspace.StoreLimits{Agents: most[tenant]} })
	write := func(tenant, agent string) error {
		ws, err := d.Workspace(as(t, tenant, auth.Write, "*"), agent, auth.Write)
		if err == nil {
			_, err = ws.WriteFile(t.Context(), "f", []byte(tenant), workspace.WriteOptions{})
		}
		return err
	}
	for _, tenant := range []string{"t", "u"} {
		testkit.Must(t, write(tenant, "a"))
		if err := write(tenant, "b"); !errors.Is(err, workspace.ErrQuota) {
			t.Errorf("the second agent of %s: %v, want a quota", tenant, err)
		}
	}
	most["t"] = 2
	if err := write("t", "b"); err != nil {
		t.Errorf("the second agent of t after the limit was raised: %v", err)
	}
	if err := write("u", "b"); !errors.Is(err, workspace.ErrQuota) {
		t.Errorf("the second agent of u: %v, want a quota", err)
	}
	for _, tenant := range []string{"t", "u"} {
		ws, err := d.Workspace(as(t, tenant, auth.Read, "a"), "", auth.Read)
		testkit.Must(t, err)
		if r, err := ws.ReadFile(t.Context(), "f", workspace.ReadOptions{}); err != nil || string(r.Content) != tenant {
			t.Errorf("f of %s has %q, %v", tenant, r.Content, err)
		}
	}
}

// The texts for an agent that exists and for one that does not are the same, whatever
// the caller may name.
func TestDeniedTellsNothing(t *testing.T) {
	d := newDoor(t, noLimits)
	testkit.Must(t, testkit.Err(d.Workspace(as(t, "t", auth.Write, "there"), "there", auth.Write)))
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("agent-%d-%s", i, strings.Repeat("x", 100)))
	}
	for _, agents := range [][]string{{"a"}, {"a", "b"}, {"a*"}, many} {
		ctx := as(t, "t", auth.Read, agents...)
		_, there := d.Workspace(ctx, "there", auth.Read)
		_, none := d.Workspace(ctx, "none", auth.Read)
		if there == nil || none == nil || there.Error() != none.Error() || len(there.Error()) > 400 {
			t.Errorf("%.40v: %v and %v, want one short text", agents, there, none)
		}
	}
}

// A call is held against what its caller may do when it begins, and not when the head of
// its request arrived. A call that begins at once costs no second look.
func TestWorkspaceOfSlowRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, noLimits)
		before, _ := auth.FromContext(as(t, "t", auth.Read|auth.Write, "a"))
		now, err, asked := before, error(nil), 0
		ctx := auth.NewVerifiedContext(t.Context(), before, func(context.Context) (auth.Caller, error) { asked++; return now, err })
		write := func() error {
			_, err := d.Workspace(ctx, "", auth.Write)
			return err
		}
		if err := write(); err != nil || asked != 0 {
			t.Errorf("at once: %v, asked %d times", err, asked)
		}
		time.Sleep(time.Second)
		if err := write(); err != nil || asked != 1 {
			t.Errorf("after a second: %v, asked %d times", err, asked)
		}
		if now.Scopes = auth.Read; !errors.Is(write(), access.ErrDenied) {
			t.Error("a caller whose scope was narrowed may write")
		}
		if now.Scopes, now.ID = auth.Write, "another"; !errors.Is(write(), access.ErrDenied) {
			t.Error("a credential of another caller is taken")
		}
		if err = auth.ErrUnknown; !errors.Is(write(), access.ErrDenied) {
			t.Error("a caller who is unknown now may write")
		}
		if err = auth.ErrUnavailable; !errors.Is(write(), workspace.ErrBusy) {
			t.Error("a caller who cannot be checked may write")
		}
	})
}
