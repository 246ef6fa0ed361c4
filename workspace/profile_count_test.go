package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// A profileStore counts the profiles that are listed, and calls put before a record is
// stored.
type profileStore struct {
	workspace.Store
	listed atomic.Int64
	most   atomic.Int64 // of one list
	put    func(key string)
}

func (s *profileStore) System(ctx context.Context) workspace.Records {
	return profileRecords{s.Store.System(ctx), s}
}

type profileRecords struct {
	workspace.Records
	s *profileStore
}

func (r profileRecords) List(prefix, after string, limit int) ([]workspace.Record, error) {
	list, err := r.Records.List(prefix, after, limit)
	if strings.HasPrefix(prefix, "profile/") {
		r.s.listed.Add(int64(len(list)))
		r.s.most.Store(max(r.s.most.Load(), int64(len(list))))
	}
	return list, err
}

func (r profileRecords) Put(key string, value []byte, revision int64) (int64, error) {
	if put := r.s.put; put != nil {
		put(key)
	}
	return r.Records.Put(key, value, revision)
}

// Whoever asks for one profile too many again and again makes the server count the others
// once a minute, and never all of them at once. What a killed process has counted in vain is
// found then.
func TestProfilesAreCountedSeldom(t *testing.T) {
	clock := testkit.NewClock()
	store := &profileStore{Store: memstore.New()}
	base := serviceOn(t, store, workspace.Options{Now: clock.Now})
	svc, err := base.Tenant("t", workspace.StoreLimits{Agents: 300})
	testkit.Must(t, err)
	for i := range 300 {
		testkit.Must(t, testkit.Err(svc.UpdateProfile(t.Context(), fmt.Sprint("a", i), named("n"))))
	}
	for range 20 {
		if _, err := svc.UpdateProfile(t.Context(), "more", named("n")); !errors.Is(err, workspace.ErrQuota) {
			t.Errorf("got %v", err)
		}
	}
	if n, most := store.listed.Load(), store.most.Load(); n != 300 || most > 100 {
		t.Errorf("%d profiles were listed, up to %d at once", n, most)
	}
	raw := store.Store.System(t.Context())
	for _, gone := range []string{"a1", "a2"} { // as by a process that was killed before it counted
		kept, err := raw.Get("profile/t/" + gone)
		testkit.Must(t, err)
		testkit.Must(t, raw.Delete(kept.Key, kept.Revision))
	}
	clock.Advance(time.Minute)
	for i, want := range []error{nil, nil, workspace.ErrQuota} {
		if _, err := svc.UpdateProfile(t.Context(), fmt.Sprint("b", i), named("n")); !errors.Is(err, want) {
			t.Errorf("the profile %d: %v, want %v", i, err, want)
		}
	}
}

// An agent that is deleted while somebody archives it is not archived, and neither is a
// later one of its name.
func TestArchiveOfDeletedAgent(t *testing.T) {
	for _, before := range []string{"archived/", "profile/"} {
		store := &profileStore{Store: memstore.New()}
		svc := serviceOn(t, store, workspace.Options{})
		_, err := svc.UpdateProfile(t.Context(), "a", named("n"))
		testkit.Must(t, err)
		store.put = func(key string) {
			if strings.HasPrefix(key, before) {
				store.put = nil
				testkit.Must(t, testkit.Err(svc.DeleteAgent(t.Context(), "a")))
			}
		}
		gone := errors.New("gone")
		_, err = svc.UpdateProfile(t.Context(), "a", func(p workspace.Profile, found bool) (workspace.Profile, error) {
			if p.Archived = time.Now(); !found {
				return p, gone
			}
			return p, nil
		})
		if !errors.Is(err, gone) {
			t.Errorf("before %s: %v", before, err)
		}
		write(t, agentOf(t, svc, "a"), "f", "text")
	}
}

// An agent that its profile calls archived refuses writes, also if the process that archived it
// was killed on the way.
func TestArchiveCutShort(t *testing.T) {
	for kill := 1; kill <= 2; kill++ {
		store, puts := &profileStore{Store: memstore.New()}, 0
		svc := serviceOn(t, store, workspace.Options{})
		testkit.Must(t, testkit.Err(svc.UpdateProfile(t.Context(), "a", named("n"))))
		store.put = func(string) {
			if puts++; puts == kill {
				panic("killed")
			}
		}
		func() {
			defer func() { recover() }()
			svc.UpdateProfile(t.Context(), "a", func(p workspace.Profile, _ bool) (workspace.Profile, error) {
				p.Archived = time.Now()
				return p, nil
			})
		}()
		store.put = nil
		later := serviceOn(t, store, workspace.Options{})
		p, _, err := later.Profile(t.Context(), "a")
		testkit.Must(t, err)
		_, err = agentOf(t, later, "a").WriteFile(t.Context(), "f", []byte("x"), workspace.WriteOptions{})
		if !p.Archived.IsZero() && !errors.Is(err, workspace.ErrArchived) {
			t.Errorf("killed at put %d: the profile says archived, and a write says %v", kill, err)
		}
	}
}
