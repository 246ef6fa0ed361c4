package console_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// keyring has keys of the tenants that their ids begin with. A person's tenant is in the
// person's id.
type keyring struct {
	mu    sync.Mutex // guards what follows
	keys  []console.Key
	texts []string // of all keys that were shown
	asked int      // calls
	page  int      // keys of a page
	fail  error    // of what changes a key
}

// with calls a function with a key, if it is one of the person's tenant, and returns the key.
func (k *keyring) with(p console.Person, id string, do func(*console.Key)) (console.Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked++
	i := slices.IndexFunc(k.keys, func(key console.Key) bool { return key.ID == id })
	if i < 0 || !strings.HasPrefix(id, p.ID[:4]) {
		return console.Key{}, workspace.Errorf(workspace.ErrNotFound, "no key of %s has the id %s", p.ID, id)
	}
	do(&k.keys[i])
	return k.keys[i], nil
}

func (k *keyring) List(_ context.Context, p console.Person, after string) (l console.KeyList, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked++
	for _, key := range k.keys {
		if key.ID <= after || !strings.HasPrefix(key.ID, p.ID[:4]) {
			continue
		}
		if len(l.Keys) == k.page {
			l.Next = l.Keys[k.page-1].ID
			break
		}
		l.Keys = append(l.Keys, key)
	}
	return l, nil
}

func (k *keyring) Show(_ context.Context, p console.Person, id string) (console.Key, error) {
	return k.with(p, id, func(*console.Key) {})
}

func (k *keyring) Create(_ context.Context, p console.Person, r console.KeyRequest) (console.Key, string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked++; k.fail != nil {
		return console.Key{}, "", k.fail
	}
	now := time.Now()
	key := console.Key{ID: fmt.Sprintf("%s%04d", p.ID[:4], len(k.keys)), Name: r.Name, Agents: r.Agents, Scopes: r.Scopes, Created: now, Live: true}
	if r.Lifetime > 0 {
		key.Expires = now.Add(r.Lifetime)
	}
	k.keys = append(k.keys, key)
	return key, k.text(), nil
}

func (k *keyring) text() string {
	k.texts = append(k.texts, fmt.Sprintf("sp_secret_%d_%x", len(k.texts), time.Now().UnixNano()))
	return k.texts[len(k.texts)-1]
}

func (k *keyring) Rotate(_ context.Context, p console.Person, id string, _ time.Duration) (key console.Key, text string, err error) {
	key, err = k.with(p, id, func(*console.Key) { text = k.text() })
	return key, text, err
}

func (k *keyring) Revoke(_ context.Context, p console.Person, id string) (console.Key, error) {
	return k.with(p, id, func(key *console.Key) { key.Live, key.Revoked = false, time.Now() })
}

// withKeys serves a console with keys of two tenants to Ada of the first one, and to Bob
// and Eve, who have no admin.
func withKeys(t *testing.T, k *keyring) (ada *browser, log *bytes.Buffer) {
	t.Helper()
	k.page = 100
	all := everybody(newService(t))
	all.ID = "acme-ada"
	bob, eve := all, all
	bob.ID, bob.Admin = "acme-bob", false
	eve.ID, eve.Metrics = "acme-eve", false
	log = &bytes.Buffer{}
	ada = open(t, console.Options{
		People: people{"ada": all, "bob": bob, "eve": eve}, Keys: k, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Config: func(_ context.Context, agent, key string) []console.Config {
			return []console.Config{{Client: "Claude Code", Where: "in a terminal", Text: "connect " + agent + " with " + key}}
		},
	}, "ada")
	return ada, log
}

// newKey is a form that makes a key.
func newKey() url.Values {
	return url.Values{"do": {"create"}, "name": {"laptop"}, "agents": {"planner"}, "scopes": {"read", "write"}, "lifetime": {"7d"}}
}

var stampField = regexp.MustCompile(`name="stamp" value="([^"]+)"`)

// fill sends a form with the token and the stamp of the page where it is.
func (b *browser) fill(page string, form url.Values) (status int, answer string) {
	b.t.Helper()
	_, text := b.get(page)
	m := stampField.FindStringSubmatch(text)
	if m == nil {
		b.t.Fatalf("%s has no stamp:\n%s", page, text)
	}
	form.Set("stamp", m[1])
	form.Set("token", tokenOf(b.t, text))
	return b.post("/keys", form)
}

func TestKeys(t *testing.T) {
	ring := &keyring{}
	ada, log := withKeys(t, ring)
	var pages []string // all that was sent
	see := func(status int, page string) string {
		t.Helper()
		if status != http.StatusOK {
			t.Errorf("%d:\n%s", status, page)
		}
		pages = append(pages, page)
		return page
	}
	has := func(page string, all ...string) {
		t.Helper()
		for _, text := range all {
			if !strings.Contains(page, text) {
				t.Errorf("there is no %q in\n%s", text, page)
			}
		}
	}
	has(see(ada.get("/keys")), "There is no key yet", "Create key")
	made := see(ada.fill("/keys", newKey()))
	has(made, "Key created", "connect planner with "+ring.texts[0], `data-copy="#key"`, "may read, write for <code><bdi>planner</bdi></code>")
	k := ring.keys[0]
	if k.Name != "laptop" || fmt.Sprint(k.Agents, k.Scopes) != "[planner] [read write]" || k.Expires.Sub(k.Created) != 7*24*time.Hour {
		t.Errorf("the key is %+v", k)
	}
	has(see(ada.get("/keys")), "laptop", k.ID, "Rotate<", "Revoke<")
	has(see(ada.get("/keys?rotate="+k.ID)), "Rotate the key <bdi>laptop</bdi>?", "works for 24 more hours", "planner")
	rotated := see(ada.fill("/keys?rotate="+k.ID, url.Values{"do": {"rotate"}, "id": {k.ID}, "overlap": {"1h"}}))
	has(rotated, "Key rotated", ring.texts[1], "The old key works for 1 more hour.")
	has(see(ada.get("/keys?revoke="+k.ID)), "Revoke the key <bdi>laptop</bdi>?", "planner")
	has(see(ada.submit("/keys", "/keys", url.Values{"do": {"revoke"}, "id": {k.ID}})), "<h1>Keys</h1>", "Revoked <time")
	for _, address := range []string{"/keys?rotate=", "/keys?revoke="} {
		if page := see(ada.get(address + k.ID)); strings.Contains(page, `name="do"`) {
			t.Errorf("%s of a revoked key has a button:\n%s", address, page)
		}
	}
	for _, text := range ring.texts {
		n := 0
		for _, page := range pages {
			if strings.Contains(page, text) {
				n++
			}
		}
		if n != 1 || strings.Contains(log.String(), text) {
			t.Errorf("%s is on %d pages; the log is\n%s", text, n, log)
		}
	}
}

// A form that was sent twice makes one key, and shows its text once.
func TestKeyFormTwice(t *testing.T) {
	ring := &keyring{}
	ada, _ := withKeys(t, ring)
	form := newKey()
	if status, page := ada.fill("/keys", form); status != http.StatusOK || !strings.Contains(page, ring.texts[0]) {
		t.Fatalf("%d:\n%s", status, page)
	}
	for range 3 {
		if status, page := ada.post("/keys", form); status != http.StatusConflict || strings.Contains(page, "sp_secret") || !strings.Contains(page, "sent before") {
			t.Errorf("again: %d\n%s", status, page)
		}
	}
	form = url.Values{"do": {"rotate"}, "id": {ring.keys[0].ID}, "overlap": {"0"}}
	if _, page := ada.fill("/keys?rotate="+ring.keys[0].ID, form); !strings.Contains(page, "The old key has ended.") {
		t.Errorf("rotated:\n%s", page)
	}
	if _, page := ada.post("/keys", form); strings.Contains(page, "sp_secret") || !strings.Contains(page, "sent before") {
		t.Errorf("rotated again:\n%s", page)
	}
	if len(ring.keys) != 1 || len(ring.texts) != 2 {
		t.Errorf("there are %d keys, %d texts", len(ring.keys), len(ring.texts))
	}
}

// A form that has done nothing can be sent again. One that may have done something cannot.
func TestKeyFormAfterError(t *testing.T) {
	ring := &keyring{fail: workspace.Errorf(workspace.ErrQuota, "key limit reached")}
	ada, _ := withKeys(t, ring)
	form := newKey()
	if status, page := ada.fill("/keys", form); status != http.StatusInsufficientStorage || !strings.Contains(page, "Key limit reached.") || !strings.Contains(page, `value="laptop"`) {
		t.Errorf("at the limit: %d\n%s", status, page)
	}
	ring.fail = nil
	if _, page := ada.post("/keys", form); !strings.Contains(page, "sp_secret") {
		t.Errorf("after the limit:\n%s", page)
	}
	ring.fail = workspace.ErrOutcomeUnknown
	form = newKey()
	if status, _ := ada.fill("/keys", form); status != http.StatusInternalServerError {
		t.Errorf("an outcome that is not known: %d", status)
	}
	ring.fail = nil
	if _, page := ada.post("/keys", form); !strings.Contains(page, "sent before") {
		t.Errorf("after an outcome that is not known:\n%s", page)
	}
	for _, stamp := range []string{"", "x", strings.Repeat("x", 1000)} {
		form.Set("stamp", stamp)
		if status, page := ada.post("/keys", form); status != http.StatusBadRequest {
			t.Errorf("with the stamp %q: %d\n%s", stamp, status, page)
		}
	}
	if len(ring.keys) != 1 {
		t.Errorf("there are %d keys", len(ring.keys))
	}
}

// A value that the form does not offer is refused, and the agents are those that were typed.
func TestKeyFormFields(t *testing.T) {
	testkit.SkipInShort(t)
	ring := &keyring{}
	ada, _ := withKeys(t, ring)
	wrong := newKey()
	wrong.Set("lifetime", "for ever")
	if status, page := ada.fill("/keys", wrong); status != http.StatusBadRequest || len(ring.keys) != 0 {
		t.Errorf("%d:\n%s", status, page)
	}
	form := newKey()
	form.Set("agents", " team-*,a b\n*,,")
	if ada.fill("/keys", form); fmt.Sprint(ring.keys[0].Agents) != "[team-* a b *]" {
		t.Errorf("the agents are %v", ring.keys[0].Agents)
	}
}

// Without admin there are no keys: no link, no page, no change.
func TestKeysNeedAdmin(t *testing.T) {
	testkit.SkipInShort(t)
	ring := &keyring{keys: []console.Key{{ID: "acme0000", Name: "canary", Live: true}}}
	ada, _ := withKeys(t, ring)
	bob := visit(t, ada.url, "bob")
	if _, page := bob.get("/"); strings.Contains(page, "/keys") {
		t.Errorf("there is a link:\n%s", page)
	}
	for _, query := range []string{"", "?after=acme", "?revoke=acme0000", "?rotate=acme0000", "?revoke=none"} {
		if status, page := bob.get("/keys" + query); status != http.StatusForbidden || strings.Contains(page, "canary") {
			t.Errorf("/keys%s: %d\n%s", query, status, page)
		}
	}
	_, page := ada.get("/keys")
	for _, do := range []string{"create", "rotate", "revoke", ""} {
		form := newKey()
		form.Set("do", do)
		form.Set("id", "acme0000")
		form.Set("overlap", "0")
		form.Set("stamp", stampField.FindStringSubmatch(page)[1])
		if status, answer := bob.submit("/", "/keys", form); status != http.StatusForbidden || strings.Contains(answer, "canary") || strings.Contains(answer, "sp_secret") {
			t.Errorf("%q: %d\n%s", do, status, answer)
		}
	}
	if ring.asked != 1 {
		t.Errorf("the keys were asked %d times, want once by Ada", ring.asked)
	}
	if _, page := visit(t, ada.url, "eve").get("/keys"); strings.Contains(page, `value="metrics"`) || !strings.Contains(page, `value="admin"`) {
		t.Errorf("a person without metrics can give it:\n%s", page)
	}
}

// The key of another tenant and one that does not exist are the same.
func TestForeignKey(t *testing.T) {
	testkit.SkipInShort(t)
	ring := &keyring{keys: []console.Key{{ID: "acme0000", Name: "ours", Live: true}, {ID: "beta0000", Name: "canary", Live: true}}}
	ada, _ := withKeys(t, ring)
	_, list := ada.get("/keys")
	answers := map[string]int{}
	for _, id := range []string{"beta0000", "beta0001", "x", "", "<script>"} {
		for _, address := range []string{"/keys?revoke=", "/keys?rotate="} {
			_, page := ada.get(address + url.QueryEscape(id))
			answers[page]++
		}
		for _, do := range []string{"revoke", "rotate"} {
			form := url.Values{"do": {do}, "id": {id}, "overlap": {"0"}}
			form.Set("token", tokenOf(t, list))
			_, page := ada.get("/keys?rotate=acme0000")
			form.Set("stamp", stampField.FindStringSubmatch(page)[1])
			status, page := ada.post("/keys", form)
			if answers[page]++; status != http.StatusNotFound {
				t.Errorf("%s %q: %d", do, id, status)
			}
		}
	}
	if len(answers) != 1 {
		t.Errorf("there are %d different answers: %v", len(answers), answers)
	}
	if !ring.keys[1].Live || len(ring.texts) > 0 || strings.Contains(list, "canary") {
		t.Errorf("the key of the other tenant is %+v, texts %v, the list\n%s", ring.keys[1], ring.texts, list)
	}
}

// Names are text, whatever is in them, and long lists of agents are cut.
func TestHostileKeys(t *testing.T) {
	testkit.SkipInShort(t)
	hostile := "<img src=x onerror=alert(1)>\u202e\x00\"'"
	many := slices.Repeat([]string{hostile}, 100)
	ring := &keyring{keys: []console.Key{{ID: "acme0000", Name: hostile, Agents: many, Scopes: []string{hostile}, Live: true, Own: true}}}
	ada, _ := withKeys(t, ring)
	for _, address := range []string{"/keys", "/keys?revoke=acme0000", "/keys?rotate=acme0000"} {
		_, page := ada.get(address)
		if strings.Contains(page, "<img") || strings.ContainsAny(page, "\u202e\x00") || !strings.Contains(page, "&lt;img src=x") {
			t.Errorf("%s:\n%s", address, page)
		}
	}
	if _, page := ada.get("/keys"); !strings.Contains(page, "and 96 more") || !strings.Contains(page, "yours") {
		t.Errorf("the list:\n%s", page)
	}
	if _, page := ada.get("/keys?revoke=acme0000"); !strings.Contains(page, "signs you out") {
		t.Errorf("of one's own key:\n%s", page)
	}
	_, page := ada.fill("/keys?rotate=acme0000", url.Values{"do": {"rotate"}, "id": {"acme0000"}, "overlap": {"24h"}})
	if strings.Contains(page, "<img") || strings.ContainsAny(page, "\u202e\x00") {
		t.Errorf("rotated:\n%s", page)
	}
}
