package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/memorystores"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const storesURL = "/v1/memory_stores"

// A rest sends requests for memory stores with the key of an actor.
type rest struct {
	actor
	url string
	web *http.Client
}

// A restTry is a request.
type restTry struct {
	operation, method, path string // the path is escaped, with its query
	body                    string
	header                  map[string]string
}

func (q *restTry) String() string {
	plain := unescaped(q.path)
	return fmt.Sprintf("%s %s %s %s %v", q.method, q.path, plain, q.body, q.header)
}

func (a rest) send(t testing.TB, q *restTry) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), q.method, a.url+storesURL+q.path, strings.NewReader(q.body))
	testkit.Must(t, err)
	r.Header.Set("X-Api-Key", a.credential)
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	res, err := a.web.Do(r)
	testkit.Must(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	return res.StatusCode, fmt.Sprint(res.Header, string(body))
}

// A stalker makes requests for the memory of a victim.
type stalker struct {
	*rand.Rand
	me, victim rest
	own, other []string // ids and cursors that each may know
}

// storeRoutes are the routes, with S for a store, M for a memory and V for a version.
var storeRoutes = map[string]string{
	"stores.create": "POST ", "stores.list": "GET ", "stores.retrieve": "GET /S", "stores.update": "POST /S", "stores.delete": "DELETE /S", "stores.archive": "POST /S/archive",
	"memories.create": "POST /S/memories", "memories.list": "GET /S/memories", "memories.retrieve": "GET /S/memories/M", "memories.update": "POST /S/memories/M", "memories.delete": "DELETE /S/memories/M",
	"memory_versions.list": "GET /S/memory_versions", "memory_versions.retrieve": "GET /S/memory_versions/V", "memory_versions.redact": "POST /S/memory_versions/V/redact",
}

func (g *stalker) one(list ...string) string { return append(list, "")[g.IntN(max(1, len(list)))] }

// id returns an id with a prefix: one's own, the victim's, or one that is neither.
func (g *stalker) id(prefix string) string {
	with := func(ids []string) (all []string) {
		for _, id := range ids {
			if strings.HasPrefix(id, prefix) {
				all = append(all, id)
			}
		}
		return all
	}
	own, other := with(g.own), with(g.other)
	id := g.one(append(other, own...)...)
	switch n := g.IntN(10); {
	case n < 6 && len(own) > 0:
		id = g.one(own...)
	case n == 9:
		id = g.one(prefix, prefix+"1")
	}
	if g.IntN(10) == 0 {
		id = g.one(id+"%00", "%2e%2e%2f"+id, id+"%2Fmemories", strings.ToUpper(id), "..", id+"*", id+",memstore_"+g.victim.agent)
	}
	return id
}

func (g *stalker) next() *restTry {
	operations := memorystores.Operations()
	q := &restTry{operation: operations[g.IntN(len(operations))], header: map[string]string{}}
	method, pattern, _ := strings.Cut(storeRoutes[q.operation], " ")
	q.method = g.one(method, method, method, method, method, method, "GET", "POST", "DELETE")
	store := g.id("memstore_")
	if (q.operation == "stores.archive" || q.method == "DELETE") && g.IntN(12) > 0 { // else nothing of its own is left
		store = "memstore_" + g.victim.agent
	}
	q.path = strings.NewReplacer("/S", "/"+store, "/M", "/"+g.id("mem_"), "/V", "/"+g.id("memver_")).Replace(pattern)
	values := url.Values{}
	for name, value := range map[string]string{
		"limit": g.one("1", "100", "20"), "page": g.id("page_"), "view": g.one("full", "full", "basic"), "path_prefix": g.one("/", "/notes/", "/"+g.victim.agent+"/"), "depth": g.one("0", "1"),
		"include_archived": "true", "memory_id": g.id("mem_"), "api_key_id": g.one(g.victim.id, g.me.id), "operation": g.one("created", "modified"), "expected_content_sha256": strings.Repeat("0", 64),
	} {
		if g.IntN(12) == 0 {
			values.Set(name, value)
		}
	}
	if len(values) > 0 {
		q.path += "?" + values.Encode()
	}
	if q.method == "POST" && !strings.HasSuffix(pattern, "/archive") && !strings.HasSuffix(pattern, "/redact") {
		body := map[string]any{"name": g.one("mine", "made"), "path": g.one("/own", "/made/x", "/shared", "/shared/x"), "content": fmt.Sprint("mine ", g.IntN(1000))}
		for name := range body {
			if stores := strings.HasPrefix(q.operation, "stores."); stores != (name == "name") || q.operation == "memories.update" && g.IntN(2) == 0 {
				delete(body, name)
			}
		}
		text, _ := json.Marshal(body)
		q.body = string(text)
	}
	if g.IntN(10) == 0 {
		q.header[g.one("Anthropic-Workspace-Id", "X-Stainless-Retry-Count", "Authorization", "X-Agent-Id", "Anthropic-Beta")] = g.one("1", g.victim.agent, "Bearer "+g.me.credential, "Bearer sp_"+g.victim.id, "agent-memory-2026-07-22")
	}
	return q
}

// routine is what somebody does with a store of its own. The ids are those of the last
// memory and of the version before its last one.
func (g *stalker) routine() []*restTry {
	at, last := "/memstore_"+g.me.agent, map[string]string{}
	for i, id := range g.own {
		kind, _, _ := strings.Cut(id, "_")
		if kind == "memver" && i > 0 && strings.HasSuffix(id, "_1") || kind == "mem" {
			last[kind] = id
		}
	}
	memory, version := at+"/memories/"+last["mem"], at+"/memory_versions/"+last["memver"]
	return []*restTry{
		{"stores.archive", "POST", at + "/archive", "", nil},
		{"stores.delete", "DELETE", at, "", nil},
		{"stores.create", "POST", "", `{"name":"` + g.me.agent + `"}`, nil},
		{"memories.create", "POST", at + "/memories", `{"path":"/routine","content":"mine"}`, nil},
		{"memories.update", "POST", memory, `{"content":"mine too"}`, nil},
		{"memory_versions.redact", "POST", version + "/redact", "", nil},
	}
}

// learn returns the ids and cursors in an answer.
func learn(text string) (ids []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("_-", r) && (r < '0' || r > '9') && (r|32 < 'a' || r|32 > 'z')
	}) {
		for _, prefix := range []string{"mem_", "memver_", "memstore_", "page_"} {
			if strings.HasPrefix(word, prefix) {
				ids = append(ids, word)
			}
		}
	}
	return ids
}

// lists are what an actor sees of its memory.
func (a rest) lists(t testing.TB) (all string) {
	t.Helper()
	for _, path := range []string{"?limit=1", "", "/S", "/S/memories?limit=1", "/S/memories?view=full", "/S/memories?depth=1&limit=1", "/S/memory_versions?limit=1", "/S/memory_versions?view=full"} {
		status, text := a.send(t, &restTry{method: "GET", path: strings.Replace(path, "/S", "/memstore_"+a.agent, 1)})
		all += fmt.Sprint(status, " ", text[strings.Index(text, "{"):], "\n") // the headers differ
	}
	return all
}

// stalk sends requests of a prowl, and returns what leaks.
func (p prowl) stalk(t testing.TB, at string, requests int, seed uint64, answered map[string]bool) (leaks []string) {
	t.Helper()
	web := &http.Client{Transport: &http.Transport{}}
	defer web.CloseIdleConnections()
	g := &stalker{Rand: rand.New(rand.NewPCG(seed, 6)), me: rest{p.intruder, at, web}, victim: rest{p.victim, at, web}}
	if g.me.agent == "" {
		g.me.agent = "planner-y"
	}
	names := []string{g.victim.id}
	if p.intruder.tenant != p.victim.tenant {
		names = append(names, p.victim.tenant)
	} else {
		names = append(names, g.victim.agent)
	}
	before := g.victim.lists(t)
	if !strings.Contains(before, "CANARY7f3a") || strings.Count("\n"+before, "\n200 ") != 8 {
		t.Fatalf("the victim has: %s", before)
	}
	g.other, g.own = learn(before), []string{"memstore_" + g.me.agent}
	for i := range requests {
		q := g.next()
		if plan := g.routine(); i%50 < len(plan) {
			q = plan[i%50]
		}
		status, text := g.me.send(t, q)
		if status == http.StatusOK {
			answered[q.operation] = true
			if g.own = append(g.own, learn(text)...); len(g.own) > 60 {
				g.own = g.own[len(g.own)-60:]
			}
		}
		sent, got := strings.ToLower(q.String()), strings.ToLower(text)
		for _, name := range append(marksOf(got), names...) {
			if name = strings.ToLower(name); strings.Contains(got, name) && !strings.Contains(sent, name) && len(leaks) < 5 {
				leaks = append(leaks, fmt.Sprintf("%s is answered with %d and %s:\n%.2000s", q, status, name, got))
			}
		}
	}
	if after := g.victim.lists(t); after != before {
		leaks = append(leaks, fmt.Sprintf("the victim's memory was\n%.2000s\nand is\n%.2000s", before, after))
	}
	return leaks
}

// Generated requests for memory stores show nothing of another caller, and change nothing of
// it.
func TestIntruderAtTheStores(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	c, traces := newCast(t, db), traced(t)
	metrics := c.key("watchers", "", auth.Metrics, "*").credential
	prowls, fills := c.prowls()
	prowls = append(prowls, prowl{"one agent", c.key("house", "mine", both, "mallory-5"), prowls[0].victim})
	r := serve(t, "--db", db, "--debug", "--rate", "0", "--rate-agent", "0")
	for _, d := range fills {
		d.fight(t, r.url, 0, 1)
	}
	answered := map[string]bool{}
	for _, p := range prowls {
		for _, leak := range p.stalk(t, r.url, testkit.Pick(60, 600, 20_000), 7, answered) {
			t.Errorf("%s: %s", p.name, leak)
		}
	}
	for _, operation := range memorystores.Operations() {
		if testkit.Long() && !answered[operation] {
			t.Errorf("no %s succeeds: the requests prove little", operation)
		}
	}
	_, seen := r.get(t, "/metrics", metrics)
	if !strings.Contains(seen, `scratchpad_requests_total{outcome="ok",tool="memories.retrieve"}`) {
		t.Errorf("the metrics are %.500s", seen)
	}
	r.stop(t)
	if log := r.log.String(); !strings.Contains(log, "tool=memories.create") || strings.Contains(log, "/shared") {
		t.Errorf("the log is %.2000s", log)
	}
	c.checkShown(t, r.log, seen, traces)
}

// asOther changes the caller of every third request.
func asOther(change func(*auth.Caller)) func(*service, *httpserver.Options) {
	return func(_ *service, o *httpserver.Options) {
		var n atomic.Int64
		o.MemoryStores = before(o.MemoryStores, func(r *http.Request) *http.Request {
			c, _ := auth.FromContext(r.Context())
			if n.Add(1)%3 == 0 {
				change(&c)
			}
			return r.WithContext(auth.NewContext(r.Context(), c))
		})
	}
}

// storeFaults are a mistake in each layer of memory stores. Each names its prowl.
var storeFaults = map[string]fault{
	"none":                     {prowl: "two agents"},
	"an agent is not checked":  {prowl: "two agents", http: asOther(func(c *auth.Caller) { c.Agents, _ = auth.ParseAgents("*") })},
	"a prefix is not checked":  {prowl: "a prefix", http: asOther(func(c *auth.Caller) { c.Agents, _ = auth.ParseAgents("victoria-*") })},
	"the scope is not checked": {prowl: "admin alone", http: asOther(func(c *auth.Caller) { c.Scopes |= both })},
	"all tenants are one":      {prowl: "all of another tenant", http: asOther(func(c *auth.Caller) { c.Tenant = "nest" })},
	"an address is in the log": {prowl: "two agents", in: "log", http: func(s *service, o *httpserver.Options) {
		o.MemoryStores = before(o.MemoryStores, func(r *http.Request) *http.Request {
			s.p.log.DebugContext(context.Background(), "call", "headers", r.Header)
			return r
		})
	}},
	"a body is in the log": {prowl: "two agents", in: "log", http: func(s *service, o *httpserver.Options) {
		o.MemoryStores = before(o.MemoryStores, func(r *http.Request) *http.Request {
			if body := copyBody(r); bytes.Contains(body, []byte("content")) {
				s.p.log.Debug("call", "body", body, "key", r.Header.Get("X-Api-Key"))
			}
			return r
		})
	}},
}

// The intruder finds a mistake in each layer of memory stores, and nothing without one.
func TestIntruderFindsALeakOfTheStores(t *testing.T) {
	testkit.SkipUnlessLong(t)
	findFaults(t, storeFaults, 4, func(t *testing.T, c *cast, f fault) func(*faultyService, uint64) int {
		p, fill := prowlOf(t, c, f)
		return func(s *faultyService, seed uint64) int {
			if seed == 0 {
				fill(s)
			}
			return len(p.stalk(t, s.url, 300, 1+seed, map[string]bool{}))
		}
	})
}
