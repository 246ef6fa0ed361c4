package auth_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// Pages have each key once, those of the tenant alone or all.
func TestList(t *testing.T) {
	testkit.SkipInShort(t)
	keys := open(t, memstore.New())
	want := map[string]string{} // the tenant of each key
	for i := range 25 {
		g := grant(t, "*")
		g.Tenant = []string{"team", "other"}[i%2]
		key, _ := create(t, keys, g)
		want[key.ID] = g.Tenant
	}
	for tenant, n := range map[string]int{"team": 13, "other": 12, "": 25, "none": 0} {
		got := listed(t, keys, auth.ListOptions{Tenant: tenant, Limit: 6})
		for i, key := range got {
			if want[key.ID] != key.Tenant || tenant != "" && key.Tenant != tenant || i > 0 && got[i-1].ID >= key.ID {
				t.Errorf("tenant %q: key %d is %+v", tenant, i, key)
			}
		}
		if len(got) != n {
			t.Errorf("tenant %q: %d keys, expected %d", tenant, len(got), n)
		}
	}
	for _, o := range []auth.ListOptions{{Limit: -1}, {Limit: 1001}, {After: "x"}, {Tenant: "a b"}} {
		if _, err := keys.List(t.Context(), o); !errors.Is(err, workspace.ErrInvalid) {
			t.Errorf("List(%+v) = %v, expected ErrInvalid", o, err)
		}
	}
}

// Grants and changes that make no sense are refused, and no error repeats a key that
// was given for an id.
func TestInvalid(t *testing.T) {
	testkit.SkipInShort(t)
	keys := open(t, memstore.New())
	key, text := create(t, keys, grant(t, "*"))
	good := grant(t, "*")
	for name, spoil := range map[string]func(*auth.Grant){
		"tenant":    func(g *auth.Grant) { g.Tenant = "a/b" },
		"line":      func(g *auth.Grant) { g.Name = "a\nb" },
		"long name": func(g *auth.Grant) { g.Name = strings.Repeat("x", 101) },
		"no agents": func(g *auth.Grant) { g.Agents = auth.Agents{} },
		"no scope":  func(g *auth.Grant) { g.Scopes = 0 },
		"scope":     func(g *auth.Grant) { g.Scopes = 128 },
		"lifetime":  func(g *auth.Grant) { g.Lifetime = -1 },
		"rate":      func(g *auth.Grant) { g.Rate.PerSecond = -1 },
		"burst":     func(g *auth.Grant) { g.Rate.Burst = 3 },
	} {
		g := good
		spoil(&g)
		if _, text, err := keys.Create(t.Context(), g); !errors.Is(err, workspace.ErrInvalid) || text != "" {
			t.Errorf("%s: Create accepts %+v", name, g)
		}
	}
	if _, _, err := keys.Rotate(t.Context(), key.ID, -1); !errors.Is(err, workspace.ErrInvalid) {
		t.Errorf("Rotate with an overlap of -1: %v", err)
	}
	for _, id := range []string{text, "", "x", "../../.."} {
		_, err := keys.Show(t.Context(), id)
		_, other := keys.Revoke(t.Context(), id)
		if !errors.Is(err, workspace.ErrInvalid) || !errors.Is(other, workspace.ErrInvalid) || strings.Contains(err.Error()+other.Error(), text[12:30]) {
			t.Errorf("Show(%q) = %v, Revoke = %v", id, err, other)
		}
	}
	if _, err := keys.Show(t.Context(), "00000000"); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("Show of no key = %v, expected ErrNotFound", err)
	}
}

// The limit of keys holds for those that are created at the same time, and a key that
// was revoked makes room.
func TestKeyLimit(t *testing.T) {
	s := memstore.New()
	here, there := open(t, s), open(t, s)
	n := int64(20)
	_, err := here.Tenants().Set(t.Context(), "team", auth.TenantChange{Keys: &n})
	testkit.Must(t, err)
	var made, refused atomic.Int64
	var last atomic.Pointer[string]
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			key, _, err := []*auth.Keys{here, there}[i%2].Create(t.Context(), grant(t, "*"))
			switch {
			case err == nil:
				made.Add(1)
				last.Store(&key.ID)
			case errors.Is(err, workspace.ErrQuota):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	page := must(here.List(t.Context(), auth.ListOptions{Tenant: "team"}))(t)
	if len(page.Keys) > 20 || int64(len(page.Keys)) != made.Load() || made.Load()+refused.Load() != 60 {
		t.Errorf("%d keys, %d made, %d refused; expected at most 20", len(page.Keys), made.Load(), refused.Load())
	}
	for made.Load() < 20 { // those at the same time may all have been refused
		create(t, here, grant(t, "*"))
		made.Add(1)
	}
	if _, _, err := there.Create(t.Context(), grant(t, "*")); !errors.Is(err, workspace.ErrQuota) {
		t.Errorf("key 21: %v, expected ErrQuota", err)
	}
	testkit.Must(t, testkit.Err(there.Revoke(t.Context(), *last.Load())))
	create(t, here, grant(t, "*"))
}

// Keys that were revoked are shown for 30 days, and at most a thousand of them are kept.
// The last one is never removed.
func TestSweep(t *testing.T) {
	testkit.SkipInShort(t)
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New()
		keys := open(t, s)
		for range 30 {
			key, text := create(t, keys, grant(t, "*"))
			accepted(t, keys, text)
			testkit.Must(t, testkit.Err(keys.Revoke(t.Context(), key.ID)))
		}
		time.Sleep(29 * 24 * time.Hour)
		counts(t, keys, 30)
		first, _ := create(t, keys, grant(t, "*"))
		counts(t, keys, 31)
		time.Sleep(24 * time.Hour)
		for _, want := range []int{22, 13, 5} {
			create(t, keys, grant(t, "*"))
			counts(t, keys, want)
		}
		if _, err := keys.Show(t.Context(), first.ID); err != nil {
			t.Errorf("a key that can be used is gone: %v", err)
		}
		if used, err := s.System(t.Context()).List("auth/used/", "", 100); err != nil || len(used) != 1 {
			t.Errorf("%d records of a last use, %v; expected the one of the key that stays", len(used), err)
		}
		dead := must(keys.Revoke(t.Context(), first.ID))(t)
		r := s.System(t.Context())
		record := must(r.Get("auth/key/" + dead.ID))(t)
		for i := range 1015 {
			testkit.Must(t, testkit.Err(r.Put(fmt.Sprintf("auth/key/%.3s0%04d", dead.ID, i), record.Value, 0)))
		}
		for _, want := range []int{5 + 1006, 5 + 1000, 5 + 1001} { // one more can be used each time
			create(t, keys, grant(t, "*"))
			counts(t, keys, want)
		}
	})
}

func counts(t testing.TB, keys *auth.Keys, want int) {
	t.Helper()
	if n := len(listed(t, keys, auth.ListOptions{Tenant: "team", Limit: 1000})); n != want {
		t.Errorf("%d keys, expected %d", n, want)
	}
}

// listed returns the keys of all pages.
func listed(t testing.TB, keys *auth.Keys, o auth.ListOptions) (all []auth.Key) {
	t.Helper()
	for {
		page := must(keys.List(t.Context(), o))(t)
		all = append(all, page.Keys...)
		if o.After = page.Next; page.Next == "" {
			return all
		}
	}
}

// Changes of one key at the same time are all kept.
func TestChangesMeet(t *testing.T) {
	s := memstore.New()
	keys := []*auth.Keys{open(t, s), open(t, s)}
	key, _ := create(t, keys[0], grant(t, "*"))
	name, agents, scopes, rate, hour := "new", grant(t, "a").Agents, auth.Read, auth.Rate{PerSecond: 1, Burst: 3}, time.Hour
	changes := []auth.Change{{Name: &name}, {Agents: &agents}, {Scopes: &scopes}, {Rate: &rate}, {Lifetime: &hour}}
	for range 20 {
		var wg sync.WaitGroup
		for i, c := range changes {
			wg.Go(func() {
				_, err := keys[i%2].Set(t.Context(), key.ID, c)
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got := must(keys[0].Show(t.Context(), key.ID))(t)
		if got.Name != name || fmt.Sprint(got.Agents.Patterns()) != "[a]" || got.Scopes != scopes || got.Rate != rate || got.Expires.IsZero() {
			t.Fatalf("a change is lost: %+v", got)
		}
		old, all, none := grant(t, "*"), auth.Read|auth.Write, time.Duration(0)
		testkit.Must(t, testkit.Err(keys[1].Set(t.Context(), key.ID, auth.Change{Name: &old.Name, Agents: &old.Agents, Scopes: &all, Rate: &old.Rate, Lifetime: &none})))
	}
}
