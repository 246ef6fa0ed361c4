package memorystores_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/server/access"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/memorystores"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A meddler is a store in which somebody else does something at the worst moment.
type meddler struct {
	workspace.Store
	written atomic.Pointer[func()]           // called once, after a write
	viewed  atomic.Pointer[func()]           // called once, after what an agent holds was read
	read    atomic.Pointer[func(key string)] // called before a record is read
}

// Update implements [workspace.Store].
func (m *meddler) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	err := m.Store.Update(ctx, o, fn)
	if f := m.written.Swap(nil); f != nil && err == nil {
		(*f)()
	}
	return err
}

// View implements [workspace.Store].
func (m *meddler) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	err := m.Store.View(ctx, o, fn)
	if f := m.viewed.Swap(nil); f != nil && err == nil {
		(*f)()
	}
	return err
}

// System implements [workspace.Store].
func (m *meddler) System(ctx context.Context) workspace.Records {
	return meddledRecords{m.Store.System(ctx), m}
}

type meddledRecords struct {
	workspace.Records
	m *meddler
}

func (r meddledRecords) Get(key string) (workspace.Record, error) {
	if f := r.m.read.Load(); f != nil {
		(*f)(key)
	}
	return r.Records.Get(key)
}

// write writes a file of an agent of the tenant house.
func (w *world) write(t *testing.T, agent, path, text string) {
	t.Helper()
	ws := must(w.svc.Agent(agent))(t)
	testkit.Must(t, testkit.Err(ws.WriteFile(t.Context(), path, []byte(text), workspace.WriteOptions{})))
}

// newMeddled returns a server over a meddler.
func newMeddled(t *testing.T) (*world, *meddler) {
	m := &meddler{Store: memstore.New()}
	return newWorld(t, m, nil), m
}

// A change of a store that somebody deletes at the same time does not bring it back.
func TestChangeOfDeletedStore(t *testing.T) {
	w, m := newMeddled(t)
	c := w.of(t, both, "*")
	for path, change := range map[string]any{"": object{"name": "new"}, "/archive": ""} {
		c.made("", object{"name": "a"})
		reads := 0
		meddle := func(key string) {
			if key != "profile/house/a" {
				return
			}
			if reads++; reads == 2 { // after the store was found
				m.read.Store(nil)
				testkit.Must(t, testkit.Err(w.svc.DeleteAgent(t.Context(), "a")))
			}
		}
		m.read.Store(&meddle)
		c.post("/memstore_a"+path, change).fails(http.StatusNotFound, "not_found_error", `there is no memory store "memstore_a"`)
		c.get("/memstore_a").fails(http.StatusNotFound, "not_found_error", "")
		if all := c.get("").data("id"); len(all) > 0 {
			t.Errorf("the stores %q", all)
		}
		w.write(t, "a", "new.md", "text") // its writes are not refused
		testkit.Must(t, testkit.Err(w.svc.DeleteAgent(t.Context(), "a")))
	}
}

// What others write right after a change takes nothing from its answer.
func TestAnswerOfOvertakenChange(t *testing.T) {
	for _, how := range []string{"create", "update", "rename"} {
		w, m := newMeddled(t)
		c := w.of(t, both, "*")
		c.made("", object{"name": "a"})
		id := c.memory("/old.md", "old").str("id")
		many := func() {
			for i := range 20 { // more than versions are kept
				w.write(t, "a", map[string]string{"create": "f.md", "update": "old.md", "rename": "f.md"}[how], fmt.Sprint(i))
			}
		}
		m.written.Store(&many)
		var got answer
		switch how {
		case "create":
			got = c.post("/memstore_a/memories?view=full", object{"path": "/f.md", "content": "mine"})
		case "update":
			got = c.post("/memstore_a/memories/"+id+"?view=full", object{"content": "mine"})
		case "rename":
			got = c.post("/memstore_a/memories/"+id+"?view=full", object{"path": "/f.md", "content": "mine"})
		}
		sum := sha256.Sum256([]byte("mine"))
		if got.ok(); got.str("content") != "mine" || got.str("content_sha256") != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %s", how, got.text)
		}
	}
}

// A key gets its stores, however many others there are.
func TestStoresAmongMany(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWorld(t, memstore.New(), nil)
	base := must(workspace.New(w.store, workspace.Options{}))(t)
	svc := must(base.Tenant("house", workspace.StoreLimits{Agents: -1}))(t)
	agents := []string{"a", "z"}
	for i := range 5500 {
		agents = append(agents, fmt.Sprintf("m-%d", i))
	}
	for _, name := range agents {
		must(svc.UpdateProfile(t.Context(), name, func(p workspace.Profile, _ bool) (workspace.Profile, error) {
			p.Name = name
			return p, nil
		}))(t)
	}
	for patterns, want := range map[string]string{"z": "z", "z*": "z", "a z": "a z", "a* z* a": "a z"} {
		all, n := w.of(t, auth.Read, strings.Fields(patterns)...).pages("", "name")
		if strings.Join(all, " ") != want || n > 1 {
			t.Errorf("%s: %q on %d pages", patterns, all, n)
		}
	}
}

// A server that takes paths of ASCII alone still lists what is there.
func TestUnicodeMemoryOnASCIIServer(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWorld(t, memstore.New(), func(o *memorystores.Options, _ *httpserver.Options) {})
	for i := range 60 { // more than are looked at together
		w.write(t, "a", fmt.Sprintf("ünï/%d.md", i), "text")
	}
	w.write(t, "a", "ünï.md", "text")
	base := must(workspace.New(w.store, workspace.Options{}))(t)
	ascii := newWorld(t, w.store, func(o *memorystores.Options, _ *httpserver.Options) {
		o.Door = access.New(base, func(context.Context, string) (workspace.StoreLimits, error) { return workspace.StoreLimits{}, nil })
	})
	c := ascii.of(t, both, "*")
	if all, _ := c.pages("/memstore_a/memories?view=full", "content"); len(all) != 61 || all[0] != "text" {
		t.Errorf("got %q", all)
	}
	if all, _ := c.pages("/memstore_a/memories?depth=1&limit=1", "path"); fmt.Sprint(all) != "[/ünï.md /ünï/]" {
		t.Errorf("got %q", all)
	}
	id := c.get("/memstore_a/memories").data("id")[0]
	c.get("/memstore_a/memories/" + id).ok()
}

// A version that is redacted while a page is made is in it without anything that tells its
// content. A memory of which others write many versions stays in a page.
func TestPageOfOvertakenVersions(t *testing.T) {
	w, m := newMeddled(t)
	c := w.of(t, both, "*")
	c.made("", object{"name": "a"})
	first := c.memory("/f.md", "secret")
	id := first.str("id")
	c.made("/memstore_a/memories/"+id, object{"content": "harmless"})
	ws := must(w.svc.Agent("a"))(t)
	redact := func() {
		testkit.Must(t, testkit.Err(ws.RedactVersion(t.Context(), "f.md", 1, workspace.RedactOptions{})))
	}
	m.viewed.Store(&redact)
	sum := first.str("content_sha256")
	if a := c.get("/memstore_a/memory_versions?view=full").ok(); strings.Contains(a.text, "secret") || strings.Contains(a.text, sum) || a.data("redacted_at")[1] == "<nil>" {
		t.Errorf("got %s", a.text)
	}
	many := func() {
		for i := range 20 {
			w.write(t, "a", "f.md", fmt.Sprint(i))
		}
	}
	for _, path := range []string{"/memories?view=full&path_prefix=/", "/memories/" + id} {
		m.viewed.Store(&many)
		if a := c.get("/memstore_a" + path).ok(); !strings.Contains(a.text, `"content":"19"`) {
			t.Errorf("%s: %s", path, a.text)
		}
	}
}
