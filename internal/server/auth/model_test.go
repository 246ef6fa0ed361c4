package auth_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"pgregory.net/rapid"
)

// model is what the keys of two processes should be.
type model struct {
	clock   *testkit.Clock
	keys    [2]*auth.Keys
	all     []*modelKey
	changed [2]time.Time // the last change by each process
}

type modelKey struct {
	id      string
	texts   []string
	until   []time.Time // of each text; zero: as long as the key
	expires time.Time
	revoked bool
	scopes  auth.Scopes
	people  []*modelSession
}

// modelSession is a session of a key.
type modelSession struct {
	text   string
	secret int // of the texts of the key
	until  time.Time
	ended  bool
}

// Two processes that change and use keys do what a list of keys does. What one of them
// has changed may take half a second in the other.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{clock: testkit.NewClock()}
		s := &spy{Store: memstore.New(), clock: m.clock}
		for i := range m.keys {
			m.keys[i] = auth.NewKeys(s, auth.Options{Now: m.clock.Now})
			defer m.keys[i].Close(context.Background())
		}
		t.Repeat(map[string]func(*rapid.T){
			"create": m.create, "rotate": m.rotate, "set": m.set, "revoke": m.revoke, "begin": m.begin, "end": m.end, "": m.verify,
			"wait": func(t *rapid.T) {
				d := rapid.SampledFrom([]time.Duration{time.Microsecond, 249 * time.Millisecond, 250 * time.Millisecond, held, time.Minute, time.Hour, 7 * time.Hour})
				m.clock.Advance(d.Draw(t, "wait"))
			},
		})
	})
}

func (m *model) draw(t *rapid.T) (key *modelKey, by int) {
	if len(m.all) == 0 {
		t.Skip("there is no key yet")
	}
	return rapid.SampledFrom(m.all).Draw(t, "key"), rapid.IntRange(0, 1).Draw(t, "by")
}

func (m *model) create(t *rapid.T) {
	by := rapid.IntRange(0, 1).Draw(t, "by")
	agents, err := auth.ParseAgents("*")
	testkit.Must(t, err)
	key, text, err := m.keys[by].Create(context.Background(), auth.Grant{Tenant: "team", Agents: agents, Scopes: auth.Read})
	m.did(t, by, err)
	m.all = append(m.all, &modelKey{id: key.ID, texts: []string{text}, until: make([]time.Time, 1), scopes: auth.Read})
}

func (m *model) did(t *rapid.T, by int, err error) {
	t.Helper()
	testkit.Must(t, err)
	m.changed[by] = m.clock.Now()
}

func (m *model) live(k *modelKey) bool {
	return !k.revoked && (k.expires.IsZero() || m.clock.Now().Before(k.expires))
}

func (m *model) rotate(t *rapid.T) {
	k, by := m.draw(t)
	overlap := rapid.SampledFrom([]time.Duration{0, held, time.Minute}).Draw(t, "overlap")
	_, text, err := m.keys[by].Rotate(context.Background(), k.id, overlap)
	now, valid := m.clock.Now(), 0
	for i, until := range k.until {
		if end := now.Add(overlap); until.IsZero() || end.Before(until) {
			until = end
		}
		if now.Before(until) {
			valid++
		}
		if err == nil {
			k.until[i] = until
		}
	}
	if (err == nil) != (m.live(k) && valid < 8) || err != nil && !errors.Is(err, workspace.ErrInvalid) {
		t.Fatalf("Rotate = %v; the key is %+v", err, k)
	}
	if err == nil {
		m.did(t, by, nil)
		k.texts, k.until = append(k.texts, text), append(k.until, time.Time{})
	}
}

func (m *model) set(t *rapid.T) {
	k, by := m.draw(t)
	lifetime := rapid.SampledFrom([]time.Duration{0, held, time.Minute}).Draw(t, "lifetime")
	scopes := auth.Scopes(rapid.IntRange(1, 15).Draw(t, "scopes"))
	_, err := m.keys[by].Set(context.Background(), k.id, auth.Change{Lifetime: &lifetime, Scopes: &scopes})
	if k.revoked {
		if !errors.Is(err, workspace.ErrInvalid) {
			t.Fatalf("Set of a revoked key = %v", err)
		}
		return
	}
	m.did(t, by, err)
	k.scopes, k.expires = scopes, time.Time{}
	if lifetime > 0 {
		k.expires = m.clock.Now().Add(lifetime)
	}
}

func (m *model) revoke(t *rapid.T) {
	k, by := m.draw(t)
	_, err := m.keys[by].Revoke(context.Background(), k.id)
	m.did(t, by, err)
	k.revoked = true
}

func (m *model) begin(t *rapid.T) {
	k, by := m.draw(t)
	secret := rapid.IntRange(0, len(k.texts)-1).Draw(t, "secret")
	want, now := m.valid(k, secret), m.clock.Now()
	session, c, until, err := m.keys[by].Sessions().Begin(context.Background(), k.texts[secret])
	if (err == nil) != want && (err == nil || m.sure(by)) {
		t.Fatalf("Begin with secret %d = %v, expected %v; the key is %+v", secret, err, want, k)
	}
	if err != nil {
		return
	}
	end := now.Add(12 * time.Hour)
	for _, other := range []time.Time{k.expires, k.until[secret]} {
		if !other.IsZero() && other.Before(end) {
			end = other
		}
	}
	if !until.Equal(end) || c.Key != k.id {
		t.Fatalf("Begin gives %+v until %v, expected %v; the key is %+v", c, until, end, k)
	}
	k.people = append(k.people, &modelSession{text: session, secret: secret, until: until})
}

func (m *model) end(t *rapid.T) {
	k, by := m.draw(t)
	if len(k.people) == 0 {
		t.Skip("the key has no session yet")
	}
	s := rapid.SampledFrom(k.people).Draw(t, "session")
	m.did(t, by, m.keys[by].Sessions().End(context.Background(), s.text))
	s.ended = true
}

// sure reports whether a process must know all changes.
func (m *model) sure(by int) bool { return m.clock.Now().Sub(m.changed[1-by]) >= held }

func (m *model) valid(k *modelKey, secret int) bool {
	return m.live(k) && (k.until[secret].IsZero() || m.clock.Now().Before(k.until[secret]))
}

// verify compares every secret and every session in both processes.
func (m *model) verify(t *rapid.T) {
	for by, keys := range m.keys {
		sure := m.sure(by)
		for _, k := range m.all {
			for i, s := range k.people {
				want := m.valid(k, s.secret) && !s.ended && m.clock.Now().Before(s.until)
				c, err := keys.Sessions().Verify(context.Background(), s.text)
				if errors.Is(err, auth.ErrUnavailable) || sure && ((err == nil) != want || err == nil && (c.Scopes != k.scopes || c.Key != k.id)) {
					t.Fatalf("process %d: session %d: %+v, %v, expected %v; the key is %+v, the session %+v", by, i, c, err, want, k, s)
				}
			}
			for i, text := range k.texts {
				want := m.valid(k, i)
				c, err := keys.Verify(context.Background(), text)
				if errors.Is(err, auth.ErrUnavailable) || sure && (err == nil) != want {
					t.Fatalf("process %d: secret %d: %v, expected %v; the key is %+v", by, i, err, want, k)
				}
				if err == nil && sure && (c.Scopes != k.scopes || c.Key != k.id) {
					t.Fatalf("process %d: the owner is %+v; the key is %+v", by, c, k)
				}
			}
		}
	}
}
