package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// named makes a profile with a name.
func named(name string) func(workspace.Profile, bool) (workspace.Profile, error) {
	return func(p workspace.Profile, _ bool) (workspace.Profile, error) {
		p.Name = name
		return p, nil
	}
}

func TestProfile(t *testing.T) {
	clock := testkit.NewClock()
	svc, _ := newService(t, workspace.Options{Now: clock.Now})
	ctx := t.Context()
	if _, found, err := svc.Profile(ctx, "a"); found || err != nil {
		t.Fatal(found, err)
	}
	made, err := svc.UpdateProfile(ctx, "a", named("Notes"))
	testkit.Must(t, err)
	clock.Advance(time.Hour)
	changed, err := svc.UpdateProfile(ctx, "a", func(p workspace.Profile, found bool) (workspace.Profile, error) {
		if !found || p.Name != "Notes" {
			t.Errorf("change gets %+v, %t", p, found)
		}
		p.Metadata, p.Created = map[string]string{"team": "blue"}, time.Time{}
		return p, nil
	})
	if err != nil || !changed.Created.Equal(made.Created) || changed.Updated.Sub(made.Updated) != time.Hour || changed.Metadata["team"] != "blue" {
		t.Errorf("got %+v, %v after %+v", changed, err, made)
	}
	if p, found, err := svc.Profile(ctx, "a"); !found || err != nil || fmt.Sprint(p) != fmt.Sprint(changed) {
		t.Errorf("got %+v, %t, %v, want %+v", p, found, err, changed)
	}
	if deleted, err := svc.DeleteAgent(ctx, "a"); !deleted || err != nil {
		t.Errorf("DeleteAgent = %t, %v", deleted, err)
	}
	if _, found, err := svc.Profile(ctx, "a"); found || err != nil {
		t.Errorf("the profile outlives the agent: %t, %v", found, err)
	}
}

func TestProfileIsChecked(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	for name, p := range map[string]workspace.Profile{
		"name is empty": {},
		"name has 256 characters, allowed are 255":  {Name: strings.Repeat("ü", 256)},
		"name is not valid UTF-8":                   {Name: "\xff"},
		"description has 1025 characters":           {Name: "n", Description: strings.Repeat("d", 1025)},
		"metadata has 17 pairs, allowed are 16":     {Name: "n", Metadata: pairs(17)},
		"a key of metadata is empty":                {Name: "n", Metadata: map[string]string{"": "v"}},
		"a key of metadata has 65 characters":       {Name: "n", Metadata: map[string]string{strings.Repeat("k", 65): "v"}},
		`the value of metadata "k" has 513 charact`: {Name: "n", Metadata: map[string]string{"k": strings.Repeat("v", 513)}},
	} {
		_, err := svc.UpdateProfile(t.Context(), "a", func(workspace.Profile, bool) (workspace.Profile, error) { return p, nil })
		if !errors.Is(err, workspace.ErrInvalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
	refused := errors.New("refused")
	if _, err := svc.UpdateProfile(t.Context(), "a", func(p workspace.Profile, _ bool) (workspace.Profile, error) { return p, refused }); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	if list, err := svc.Profiles(t.Context(), workspace.AgentsQuery{Patterns: []string{"*"}}); len(list) > 0 || err != nil {
		t.Errorf("something was stored: %v, %v", list, err)
	}
}

func pairs(n int) map[string]string {
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprint(i)] = ""
	}
	return all
}

// Profiles of one tenant are limited and listed apart from those of others.
func TestProfilesOfTenants(t *testing.T) {
	base, _ := newService(t, workspace.Options{})
	a, err := base.Tenant("a", workspace.StoreLimits{Agents: 3})
	testkit.Must(t, err)
	b, err := base.Tenant("a-b", workspace.StoreLimits{})
	testkit.Must(t, err)
	ctx := t.Context()
	for _, name := range []string{"z", "x", "y"} {
		testkit.Must(t, testkit.Err(a.UpdateProfile(ctx, name, named(name))))
	}
	testkit.Must(t, testkit.Err(b.UpdateProfile(ctx, "x", named("other"))))
	if _, err := a.UpdateProfile(ctx, "fourth", named("n")); !errors.Is(err, workspace.ErrQuota) {
		t.Errorf("a fourth profile: %v", err)
	}
	if _, err := a.UpdateProfile(ctx, "x", named("again")); err != nil {
		t.Errorf("a change at the limit: %v", err)
	}
	first, err := a.Profiles(ctx, workspace.AgentsQuery{Patterns: []string{"*"}, Limit: 2})
	testkit.Must(t, err)
	rest, err := a.Profiles(ctx, workspace.AgentsQuery{Patterns: []string{"*"}, After: "y", Limit: 2})
	testkit.Must(t, err)
	if got := fmt.Sprint(first[0].Agent, first[1].Agent, len(first), rest[0].Agent, len(rest)); got != "xy2z1" && got != "x y 2 z 1" {
		t.Errorf("got %s", got)
	}
	testkit.Must(t, testkit.Err(a.DeleteAgent(ctx, "y")))
	if _, err := a.UpdateProfile(ctx, "fourth", named("n")); err != nil {
		t.Errorf("after one was deleted: %v", err)
	}
}

// What is archived is read and deleted, and not written, in every Service within a second.
// Nobody takes it back, but a new agent may have the name.
func TestArchived(t *testing.T) {
	synctest.Test(t, archived)
}

func archived(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	other := serviceOn(t, store, workspace.Options{})
	ws, elsewhere := agentOf(t, svc, "a"), agentOf(t, other, "a")
	write(t, ws, "keep.md", "old")
	write(t, elsewhere, "gone.md", "old")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	_, err := svc.UpdateProfile(t.Context(), "a", func(workspace.Profile, bool) (workspace.Profile, error) {
		return workspace.Profile{Name: "n", Archived: at}, nil
	})
	testkit.Must(t, err)
	p, err := svc.UpdateProfile(t.Context(), "a", func(p workspace.Profile, _ bool) (workspace.Profile, error) {
		p.Archived = time.Time{}
		return p, nil
	})
	if err != nil || !p.Archived.Equal(at) {
		t.Errorf("it is not archived any more: %+v, %v", p, err)
	}
	for _, w := range []*workspace.Workspace{ws, elsewhere} {
		eventually(t, func() bool {
			_, err := w.WriteFile(t.Context(), "keep.md", []byte("new"), workspace.WriteOptions{})
			return errors.Is(err, workspace.ErrReadOnly) && errors.Is(err, workspace.ErrArchived)
		})
		if _, err := w.AppendLog(t.Context(), "log", []byte("entry")); !errors.Is(err, workspace.ErrReadOnly) {
			t.Errorf("AppendLog: %v", err)
		}
		if _, err := w.MoveFile(t.Context(), "keep.md", "moved.md", workspace.MoveOptions{}); !errors.Is(err, workspace.ErrReadOnly) {
			t.Errorf("MoveFile: %v", err)
		}
	}
	if r, err := ws.DeleteFile(t.Context(), "gone.md", workspace.DeleteOptions{}); err != nil || !r.Deleted {
		t.Errorf("DeleteFile = %+v, %v", r, err)
	}
	write(t, agentOf(t, svc, "b"), "f", "others write on")
	testkit.Must(t, testkit.Err(svc.DeleteAgent(t.Context(), "a")))
	eventually(t, func() bool {
		_, err := elsewhere.WriteFile(t.Context(), "new.md", []byte("new"), workspace.WriteOptions{})
		return err == nil
	})
}

// eventually waits until a condition holds.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for range 6000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it did not happen")
}

func wantMark(t *testing.T, ws *workspace.Workspace, name string, want int64, there bool) {
	t.Helper()
	if got, found, err := ws.Mark(t.Context(), name); err != nil || got != want || found != there {
		t.Errorf("Mark(%s) = %d, %v, %v, want %d, %v", name, got, found, err, want, there)
	}
}

func setMark(t *testing.T, ws *workspace.Workspace, name string, revision int64) {
	t.Helper()
	testkit.Must(t, ws.SetMark(t.Context(), name, revision))
}

func TestMark(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	a, b := agentOf(t, svc, "a"), agentOf(t, svc, "b")
	wantMark(t, a, "m", 0, false)
	setMark(t, a, "m", 0)
	wantMark(t, a, "m", 0, true)
	setMark(t, a, "m", 7)
	setMark(t, a, "m", 5) // a slower reader
	wantMark(t, a, "m", 7, true)
	wantMark(t, a, "n", 0, false)
	wantMark(t, b, "m", 0, false)
	setMark(t, b, "m", 1)
	testkit.Must(t, testkit.Err(svc.DeleteAgent(t.Context(), "a")))
	wantMark(t, a, "m", 0, false)
	wantMark(t, b, "m", 1, true)
}

func TestMarkRefused(t *testing.T) {
	ws := newWorkspace(t, workspace.Options{})
	for _, name := range []string{"", "a/b", "a b", "ä", strings.Repeat("x", 129)} {
		wantErr(t, "SetMark of "+name, ws.SetMark(t.Context(), name, 1), workspace.ErrInvalid)
		_, _, err := ws.Mark(t.Context(), name)
		wantErr(t, "Mark of "+name, err, workspace.ErrInvalid)
	}
	wantErr(t, "SetMark below 0", ws.SetMark(t.Context(), "m", -1), workspace.ErrInvalid)
	for i := range 100 {
		setMark(t, ws, fmt.Sprint("m", i), 1)
	}
	wantErr(t, "SetMark of one more", ws.SetMark(t.Context(), "more", 1), workspace.ErrQuota, "100 marks")
	setMark(t, ws, "m3", 2)
	wantMark(t, ws, "m3", 2, true)
}

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
