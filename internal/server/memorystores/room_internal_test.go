package memorystores

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A call that waits for room ends when its caller has lost rights meanwhile.
func TestRightsAfterRoom(t *testing.T) {
	agents := func(patterns ...string) auth.Agents {
		a, err := auth.ParseAgents(patterns...)
		testkit.Must(t, err)
		return a
	}
	ada := auth.Caller{ID: "ada", Tenant: "house", Agents: agents("*"), Scopes: auth.Read}
	for name, now := range map[string]struct {
		caller auth.Caller
		err    error
		status int
	}{
		"the same":   {caller: ada},
		"revoked":    {err: auth.ErrUnknown, status: http.StatusUnauthorized},
		"away":       {err: auth.ErrUnavailable, status: http.StatusServiceUnavailable},
		"of another": {caller: auth.Caller{ID: "bob", Tenant: "house", Agents: agents("*"), Scopes: auth.Read}, status: http.StatusUnauthorized},
		"no reading": {caller: auth.Caller{ID: "ada", Tenant: "house", Agents: agents("*"), Scopes: auth.Write}, status: http.StatusForbidden},
		"one agent":  {caller: auth.Caller{ID: "ada", Tenant: "house", Agents: agents("b"), Scopes: auth.Read}, status: http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := New(Options{})
				all, _ := h.room.TryTake("x", h.room.Size())
				ctx := auth.NewVerifiedContext(t.Context(), ada, func(context.Context) (auth.Caller, error) { return now.caller, now.err })
				c := &call{h: h, ctx: ctx, group: "house", route: &route{need: auth.Read}, caller: ada}
				ended := make(chan error, 1)
				go func() { ended <- c.take(1) }()
				time.Sleep(time.Second)
				all.Leave()
				status := 0
				var f *failure
				if errors.As(<-ended, &f) {
					status = f.status
				}
				if status != now.status {
					t.Errorf("status %d, want %d", status, now.status)
				}
			})
		})
	}
}

// Nobody may use a route that does not say what it needs.
func TestRouteWithoutScopes(t *testing.T) {
	ctx := auth.NewContext(t.Context(), auth.Caller{ID: "ada", Scopes: readWrite})
	c := &call{ctx: ctx, route: &route{}}
	if err := c.checkCaller(); err == nil {
		t.Error("a route without scopes is open")
	}
}
