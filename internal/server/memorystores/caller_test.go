package memorystores_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/server/memorystores"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// every are requests for all routes, with the scopes that each needs. The store is %s, the
// memory %[2]s and the version %[3]s.
var every = []struct {
	method, path, body string
	need               auth.Scopes
}{
	{"POST", "/%s", `{}`, both}, {"GET", "/%s", "", auth.Read}, {"POST", "/%s/archive", "", both}, {"DELETE", "/%s", "", auth.Write},
	{"POST", "/%s/memories", `{"path":"/new","content":""}`, auth.Write}, {"GET", "/%s/memories", "", auth.Read},
	{"GET", "/%s/memories/%[2]s", "", auth.Read}, {"POST", "/%s/memories/%[2]s", `{}`, both}, {"DELETE", "/%s/memories/%[2]s", "", auth.Write},
	{"GET", "/%s/memory_versions", "", auth.Read}, {"GET", "/%s/memory_versions/%[3]s", "", auth.Read}, {"POST", "/%s/memory_versions/%[3]s/redact", "", both},
}

// What is not the caller's, and what does not exist, are the same bytes.
func TestNotYoursAndNotThere(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		owner := w.newStore(t)
		m := owner.memory("/secret", "x")
		owner.made(memories+"/"+m.str("id"), object{"content": "y"})
		same := func(a, b answer) {
			t.Helper()
			clean := func(a answer, agent string) string {
				for _, name := range []string{"Request-Id"} {
					a.text = strings.ReplaceAll(a.text, a.header.Get(name), "ID")
				}
				for _, name := range []string{"Request-Id", "X-Request-Id", "Date"} {
					a.header.Del(name)
				}
				return strings.ReplaceAll(fmt.Sprint(a.status, a.header, a.text), agent, "AGENT")
			}
			if a, b := clean(a, "memstore_a"), clean(b, "memstore_0"); a != b {
				t.Errorf("what is there is\n%s\nand what is not\n%s", a, b)
			}
		}
		strangers := []*client{w.in(t, "other", both, "*"), w.in(t, "other", both, "a")} // who may have an agent of this name themselves
		for _, c := range append(strangers, w.of(t, both, "b"), w.of(t, both, "b*", "c"), w.of(t, both, "A"), w.of(t, both, "aa*"), w.of(t, auth.Read, "b"), w.of(t, auth.Write, "b"), w.of(t, auth.Admin|auth.Metrics, "*")) {
			for _, e := range every {
				if e.method == "POST" && e.path == "/%s/memories" && slices.Contains(strangers, c) {
					continue // it would make a store of their own
				}
				ask := func(agent string) answer {
					return c.ask(e.method, fmt.Sprintf(strings.ReplaceAll(e.path, "%s", "%[1]s"), "memstore_"+agent, m.str("id"), m.str("memory_version_id")), e.body)
				}
				a := ask("a")
				same(a, ask("0"))
				if a.status != 404 && a.status != 403 || strings.Contains(a.text, "secret") {
					t.Errorf("%s: %d %s", a.asked, a.status, a.text)
				}
			}
			if got := c.get(""); strings.Contains(got.text, "memstore_a") {
				t.Errorf("the list is %s", got.text)
			}
		}
		if got := owner.get(memories + "/" + m.str("id")).ok().str("content"); got != "y" {
			t.Errorf("the memory is %q", got)
		}
	})
}

// A key may do what its scopes say.
func TestScopes(t *testing.T) {
	testkit.SkipInShort(t)
	worlds(t, func(t *testing.T, w *world) {
		owner := w.newStore(t)
		first := owner.memory("/m", "x")
		owner.made(memories+"/"+first.str("id"), object{"content": "y"})
		for _, has := range []auth.Scopes{auth.Read, auth.Write, auth.Admin | auth.Metrics} {
			c := w.of(t, has, "*")
			for _, e := range append(every, every[1]) {
				if has.Has(e.need) && (e.method == "DELETE" || e.method == "POST") {
					continue // it works, and the others need what is there
				}
				a := c.ask(e.method, fmt.Sprintf(strings.ReplaceAll(e.path, "%s", "%[1]s"), "memstore_a", first.str("id"), first.str("memory_version_id")), e.body)
				if has.Has(e.need) {
					a.ok()
				} else {
					a.fails(403, "permission_error", "your key may not")
				}
			}
		}
		blind := w.of(t, auth.Write, "*")
		blind.post("", object{"name": "mine"}).ok()
		blind.remove(memories+"/"+first.str("id")+"?expected_content_sha256="+sumOf("y")).fails(403, "permission_error", "may not read")
		blind.made(memories, object{"path": "/blind", "content": "x"})
		blind.remove(memories + "/" + first.str("id")).ok()
		blind.remove("/memstore_a").ok()
	})
}

// Both generations of the API are known, but not at once.
func TestBetas(t *testing.T) {
	w := newWorld(t, memstore.New(), nil)
	c := w.newStore(t)
	const agents, memory = "managed-agents-2026-04-01", "agent-memory-2026-07-22"
	for _, good := range []string{"", agents, memory, "x, " + memory, memory + "," + memory} {
		c.with("Anthropic-Beta", good).get("/memstore_a").ok()
	}
	c.with("Anthropic-Beta", agents+", "+memory).get("/memstore_a").fails(400, "invalid_request_error", "send one of them")
	c.with("Anthropic-Beta", agents).with("Anthropic-Beta", memory).get("/memstore_a").fails(400, "invalid_request_error", "send one of them")
	c.with("Anthropic-Version", "2026-10-21").with("Anthropic-Workspace-Id", "w").get("/memstore_a?beta=true").ok()
}

// A method that a route does not have is refused, and so is a page of another site, which
// needs no key at a server with --no-auth.
func TestMethodAndOrigin(t *testing.T) {
	testkit.SkipInShort(t)
	w := newWorld(t, memstore.New(), func(_ *memorystores.Options, o *httpserver.Options) {
		o.Anonymous = func(context.Context) (auth.Caller, bool, error) {
			agents, err := auth.ParseAgents("*")
			return auth.Caller{ID: "local", Tenant: "house", Agents: agents, Scopes: both}, true, err
		}
	})
	c := w.newStore(t)
	for path, allow := range map[string]string{"": "POST, GET", "/memstore_a": "GET, POST, DELETE", "/memstore_a/archive": "POST", "/memstore_a/memories/x": "GET, POST, DELETE", "/memstore_a/memory_versions": "GET", "/memstore_a/memory_versions/x": "GET"} {
		for _, method := range []string{"PUT", "PATCH", "OPTIONS", "TRACE", "BREW"} {
			if a := c.ask(method, path, "").fails(405, "invalid_request_error", "use "); a.header.Get("Allow") != allow {
				t.Errorf("%s: %v, want %s", a.asked, a.header["Allow"], allow)
			}
		}
		if a := c.ask("HEAD", path, ""); a.status != 405 || a.text != "" {
			t.Errorf("%s: %d %q", a.asked, a.status, a.text)
		}
	}
	c.key = ""
	c.get("/memstore_a").ok()
	for _, foreign := range []*client{c.with("Sec-Fetch-Site", "cross-site"), c.with("Sec-Fetch-Site", "same-site"), c.with("Origin", "https://evil.example")} {
		for _, e := range every {
			foreign.ask(e.method, fmt.Sprintf(strings.ReplaceAll(e.path, "%s", "%[1]s"), "memstore_a", "mem_1", "memver_1_1"), e.body).fails(403, "permission_error", "cross-origin")
		}
	}
}

// Whoever asks too often is told when to come back, and so is whoever asks too often for one
// agent.
func TestRates(t *testing.T) {
	w := newWorld(t, memstore.New(), func(_ *memorystores.Options, o *httpserver.Options) {
		o.AgentRate = auth.Rate{PerSecond: 0.001, Burst: 5}
	})
	c := w.newStore(t) // which counts for a
	for range 4 {
		c.get("/memstore_a").ok()
	}
	if a := c.get("/memstore_a").fails(429, "rate_limit_error", "too many calls for this memory store"); a.header.Get("Retry-After") == "" {
		t.Errorf("the headers are %v", a.header)
	}
	for range 3 {
		w.of(t, both, "b").get("/memstore_a").fails(404, "not_found_error", "")
	}
	agents := must(auth.ParseAgents("*"))(t)
	key, text, err := w.keys.Create(t.Context(), auth.Grant{Tenant: "house", Agents: agents, Scopes: both, Rate: auth.Rate{PerSecond: 0.001, Burst: 2}})
	testkit.Must(t, err)
	d := &client{T: t, url: w.url, id: key.ID, key: text}
	d.get("").ok()
	d.get("").ok()
	if a := d.get("").fails(429, "rate_limit_error", "requests a second"); a.header.Get("Retry-After") == "" {
		t.Errorf("the headers are %v", a.header)
	}
}

// A body has a length and a time, and bodies together have a memory.
func TestBodies(t *testing.T) {
	w := newWorld(t, memstore.New(), nil)
	c, other := w.newStore(t), w.in(t, "other", both, "*")
	long := `{"name":"` + strings.Repeat("x", 1<<20) + `"}`
	chunked := func(text string) string {
		return fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(text), text)
	}
	ask := func(c *client, rest string) (*bufio.Reader, net.Conn) {
		conn := must(net.Dial("tcp", strings.TrimPrefix(w.url, "http://")))(t)
		t.Cleanup(func() { conn.Close() })
		testkit.Must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		fmt.Fprintf(conn, "POST /v1/memory_stores HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\n%s", c.key, rest)
		return bufio.NewReader(conn), conn
	}
	status := func(in *bufio.Reader) int {
		res := must(http.ReadResponse(in, nil))(t)
		defer res.Body.Close()
		testkit.Must(t, testkit.Err(io.Copy(io.Discard, res.Body)))
		return res.StatusCode
	}
	in, _ := ask(c, fmt.Sprintf("Content-Length: %d\r\n\r\n", len(long))) // the rest need not come
	if got := status(in); got != 413 {
		t.Errorf("a body that is too long: %d", got)
	}
	in, _ = ask(c, chunked(long))
	if got := status(in); got != 413 {
		t.Errorf("a chunked body that is too long: %d", got)
	}
	in, _ = ask(c, chunked(`{"name":"chunked"}`))
	if got := status(in); got != 200 {
		t.Errorf("a chunked body: %d", got)
	}
	testkit.SkipUnlessLong(t) // the rest waits for five seconds
	var slow []net.Conn
	for range 5 { // nearly all that a tenant may have
		_, conn := ask(c, "Content-Length: 1048576\r\n\r\n{")
		slow = append(slow, conn)
	}
	time.Sleep(500 * time.Millisecond) // they come first
	big := body(t, object{"path": "/b", "content": strings.Repeat("\x00", 100_000)})
	c.post(memories, big).fails(429, "rate_limit_error", "your tenant") // the slow ones end some seconds later
	c.made("", object{"name": "small"})
	other.made("", object{"name": "large", "description": strings.Repeat("x", 1000), "metadata": object{}})
	other.post("/memstore_large/memories", big).ok()
	for _, conn := range slow {
		conn.Close()
	}
	c.post(memories, big).ok()
}

// An error of the store tells nothing of the machine.
func TestErrorsOfStore(t *testing.T) {
	testkit.SkipInShort(t)
	for kind, want := range map[error]struct {
		status int
		kind   string
		words  string
	}{
		workspace.ErrBusy:         {503, "api_error", ""},
		workspace.ErrStorageFull:  {503, "api_error", "ask the operator to make room"},
		workspace.ErrReadOnly:     {503, "api_error", "takes no writes"},
		workspace.ErrCorrupt:      {500, "api_error", ""},
		fmt.Errorf("open /etc/x"): {500, "api_error", "internal error"},
	} {
		store := &broken{Store: memstore.New()}
		w := newWorld(t, store, nil)
		c := w.newStore(t)
		store.err.Store(&kind)
		a := c.get(memories)
		if e, _ := a.body["error"].(map[string]any); a.status != want.status || e["type"] != want.kind || !strings.Contains(a.text, want.words) || strings.Contains(a.text, "/etc") {
			t.Errorf("%v: %d %s", kind, a.status, a.text)
		}
		if again := a.header.Get("Retry-After") != ""; again != (kind == workspace.ErrBusy) {
			t.Errorf("%v: the headers are %v", kind, a.header)
		}
		store.err.Store(nil)
	}
}
