package auth_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// Two processes that use a key all the time write it down once a minute, and once more
// at the end.
func TestLastUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &spy{Store: memstore.New()}
		var writes atomic.Int64
		s.onCall(func(op, key string) error {
			if op == "put" && strings.HasPrefix(key, "auth/used/") {
				writes.Add(1)
			}
			return nil
		})
		here, there := auth.NewKeys(s, auth.Options{}), auth.NewKeys(s, auth.Options{})
		key, text := create(t, here, grant(t, "*"))
		lastUsed(t, here, key.ID, time.Time{})
		for range 600 {
			accepted(t, here, text)
			time.Sleep(500 * time.Millisecond)
			accepted(t, there, text)
			time.Sleep(500 * time.Millisecond)
		}
		if n := writes.Load(); n < 9 || n > 10 {
			t.Errorf("%d writes in ten minutes, expected 9 or 10", n)
		}
		accepted(t, there, text)
		last := time.Now()
		testkit.Must(t, there.Close(t.Context()))
		testkit.Must(t, here.Close(t.Context()))
		testkit.Must(t, here.Close(t.Context()))
		lastUsed(t, here, key.ID, last)
		unavailable(t, here, text)
	})
}

func lastUsed(t testing.TB, keys *auth.Keys, id string, want time.Time) {
	t.Helper()
	shown, err := keys.Show(t.Context(), id)
	testkit.Must(t, err)
	page, err := keys.List(t.Context(), auth.ListOptions{Tenant: shown.Tenant})
	testkit.Must(t, err)
	if !shown.LastUsed.Equal(want.Truncate(time.Microsecond)) || !page.Keys[0].LastUsed.Equal(shown.LastUsed) {
		t.Errorf("last use: Show says %v, List %v; expected %v", shown.LastUsed, page.Keys[0].LastUsed, want)
	}
}
