package signin_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/signin"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

var request = console.KeyRequest{Name: "laptop", Agents: []string{"planner"}, Scopes: []string{"read", "write"}, Lifetime: time.Hour}

// A person with scope admin makes a key, sees it, gives it a new text and ends it.
func TestKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		keys := signin.NewKeys(s.keys, "")
		own, text := s.create(t, "acme", auth.Admin, "*")
		p, _ := s.enter(t, text)
		k, first, err := keys.Create(t.Context(), p, request)
		testkit.Must(t, err)
		if c, err := s.keys.Verify(t.Context(), first); err != nil || c.Tenant != "acme" || c.Key != k.ID || c.Scopes != auth.Read|auth.Write {
			t.Errorf("the new key is of %+v, %v", c, err)
		}
		if k.Name != "laptop" || fmt.Sprint(k.Agents, k.Scopes) != "[planner] [read write]" || !k.Live || k.Own || !k.Expires.Equal(k.Created.Add(time.Hour)) {
			t.Errorf("the new key is %+v", k)
		}
		used := time.Now()
		time.Sleep(2 * time.Minute)
		k, second, err := keys.Rotate(t.Context(), p, k.ID, time.Minute)
		testkit.Must(t, err)
		if !k.LastUsed.Equal(used.Truncate(time.Microsecond)) || !k.Live || second == first {
			t.Errorf("the key with a new text is %+v", k)
		}
		for range 2 {
			k, err = keys.Revoke(t.Context(), p, k.ID)
			testkit.Must(t, err)
			if k.Live || k.Revoked.IsZero() || k.LastUsed.IsZero() {
				t.Errorf("the revoked key is %+v", k)
			}
		}
		if _, err := s.keys.Verify(t.Context(), second); err != auth.ErrUnknown {
			t.Errorf("the revoked key: %v", err)
		}
		list, err := keys.List(t.Context(), p, "")
		testkit.Must(t, err)
		for _, k := range list.Keys {
			if k.Own != (k.ID == own.ID) || k.Live != k.Own {
				t.Errorf("the list has %+v", k)
			}
		}
		if len(list.Keys) != 2 || list.Next != "" {
			t.Errorf("the list is %+v", list)
		}
	})
}

// The key of another tenant is like one that does not exist, and stays as it is.
func TestForeignKeys(t *testing.T) {
	s := newServer(t)
	keys := signin.NewKeys(s.keys, "")
	_, text := s.create(t, "acme", auth.Admin, "*")
	p, _ := s.enter(t, text)
	foreign, theirs := s.create(t, "other", auth.Read, "*")
	texts := map[string]bool{}
	for _, id := range []string{foreign.ID, "00000000", "", "../../..", theirs} {
		_, got, err := keys.Rotate(t.Context(), p, id, 0)
		_, rerr := keys.Revoke(t.Context(), p, id)
		if !errors.Is(err, workspace.ErrNotFound) || !errors.Is(rerr, workspace.ErrNotFound) || got != "" {
			t.Errorf("%q: Rotate = %q, %v; Revoke = %v", id, got, err, rerr)
		}
		texts[fmt.Sprint(err)], texts[fmt.Sprint(rerr)] = true, true
	}
	if len(texts) != 1 {
		t.Errorf("the errors differ: %v", texts)
	}
	if _, err := s.keys.Verify(t.Context(), theirs); err != nil {
		t.Errorf("the key of another tenant: %v", err)
	}
}

// Without the scope admin at this moment nobody manages keys, and nobody gets a key for
// the whole server who has none.
func TestMayNotManage(t *testing.T) {
	s := newServer(t)
	keys, local := signin.NewKeys(s.keys, ""), signin.NewKeys(s.keys, "local")
	some, _ := s.create(t, "acme", auth.Read, "*")
	denied := func(why string, keys *signin.Keys, p console.Person) {
		t.Helper()
		list, err := keys.List(t.Context(), p, "")
		_, made, cerr := keys.Create(t.Context(), p, request)
		_, next, oerr := keys.Rotate(t.Context(), p, some.ID, 0)
		_, rerr := keys.Revoke(t.Context(), p, some.ID)
		for _, err := range []error{err, cerr, oerr, rerr} {
			if !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), "scope admin") || len(list.Keys) > 0 || made+next != "" {
				t.Errorf("%s: %v", why, err)
			}
		}
	}
	for _, scopes := range []auth.Scopes{auth.Read | auth.Write | auth.Metrics, auth.Read} {
		_, text := s.create(t, "acme", scopes, "*")
		p, _ := s.enter(t, text)
		denied("no admin", keys, p)
		denied("no admin", local, p)
	}
	denied("without a key", keys, console.Person{ID: "local", Admin: true, Open: true})
	admin, text := s.create(t, "acme", auth.Admin, "*")
	p, _ := s.enter(t, text)
	for _, id := range []string{"", some.ID} {
		var err error
		if r := (console.KeyRequest{Scopes: []string{"admin", "metrics"}}); id == "" {
			_, _, err = keys.Create(t.Context(), p, r)
		} else {
			all := auth.Read | auth.Metrics
			_, serr := s.keys.Set(t.Context(), id, auth.Change{Scopes: &all})
			testkit.Must(t, serr)
			_, _, err = keys.Rotate(t.Context(), p, id, time.Hour)
		}
		if !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), "metrics") {
			t.Errorf("a key with metrics for an admin without: %v", err)
		}
	}
	read := auth.Read
	testkit.Must(t, testkit.Err(s.keys.Set(t.Context(), admin.ID, auth.Change{Scopes: &read})))
	denied("not admin any more", keys, p)
	testkit.Must(t, testkit.Err(s.keys.Revoke(t.Context(), admin.ID)))
	denied("revoked", keys, p)
}

// The log says who signed in, made, rotated and revoked a key, with the ids of both keys, and
// without a secret.
func TestLogOfKeys(t *testing.T) {
	s := newServer(t)
	admin, text := s.create(t, "acme", auth.Read|auth.Admin, "*")
	p, session := s.enter(t, text)
	manager := signin.NewKeys(s.keys, "")
	key, made, err := manager.Create(t.Context(), p, console.KeyRequest{Name: "laptop", Agents: []string{"planner"}, Scopes: []string{"read"}})
	testkit.Must(t, err)
	_, rotated, err := manager.Rotate(t.Context(), p, key.ID, 0)
	testkit.Must(t, err)
	testkit.Must(t, testkit.Err(manager.Revoke(t.Context(), p, key.ID)))
	said := s.log.String()
	for _, line := range []string{
		`msg="a key was made" key=` + admin.ID + ` tenant=acme agents=* scopes=read,admin by=operator`,
		`msg="a person has signed in" key=` + admin.ID + ` tenant=acme address=192.0.2.1`,
		`msg="a key was made" key=` + key.ID + ` tenant=acme agents=planner scopes=read by=` + admin.ID,
		`msg="a key was rotated" key=` + key.ID + ` tenant=acme agents=planner scopes=read by=` + admin.ID,
		`msg="a key was revoked" key=` + key.ID + ` tenant=acme agents=planner scopes=read by=` + admin.ID,
	} {
		if strings.Count(said, line+"\n") != 1 {
			t.Errorf("the log does not have %s:\n%s", line, said)
		}
	}
	for _, secret := range []string{text, made, rotated, session} {
		if strings.Contains(said, secret[12:]) || strings.Contains(said, "laptop") {
			t.Errorf("the log has a secret or a name:\n%s", said)
		}
	}
}
