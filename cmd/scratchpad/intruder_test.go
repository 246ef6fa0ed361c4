package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testing/intruder"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite"
)

// An actor is a caller of a server: the victim or the intruder.
type actor struct {
	credential string
	id         string // of an API key; "": the credential is a token
	tenant     string
	agent      string
	bound      bool // to the agent
}

// A duel is an intruder and a victim.
type duel struct {
	name             string
	intruder, victim actor
	metrics          string // a key that may see metrics alone
}

// A cast makes the actors of duels in one database.
type cast struct {
	t      testing.TB
	keys   *auth.Keys
	issuer *issuer
	all    []actor
}

func newCast(t testing.TB, db string) *cast {
	t.Helper()
	store, err := sqlite.Open(t.Context(), db, sqlite.Options{})
	testkit.Must(t, err)
	c := &cast{t: t, keys: auth.NewKeys(store, auth.Options{}), issuer: newIssuer(t)}
	t.Cleanup(func() { // the context of the test has ended
		_ = c.keys.Close(t.Context())
		testkit.Must(t, store.Close())
	})
	return c
}

// key makes an actor with an API key. The first of the patterns is its agent, without a star.
func (c *cast) key(tenant, name string, scopes auth.Scopes, patterns ...string) actor {
	c.t.Helper()
	agents, err := auth.ParseAgents(patterns...)
	testkit.Must(c.t, err)
	key, text, err := c.keys.Create(c.t.Context(), auth.Grant{Tenant: tenant, Name: name, Agents: agents, Scopes: scopes})
	testkit.Must(c.t, err)
	return c.add(actor{credential: text, id: key.ID, tenant: tenant}, patterns)
}

// token makes an actor with an access token.
func (c *cast) token(tenant, subject string, patterns ...string) actor {
	c.t.Helper()
	return c.add(actor{credential: c.issuer.token(c.t, tenant, subject, "read write", patterns...), tenant: tenant}, patterns)
}

func (c *cast) add(a actor, patterns []string) actor {
	a.agent, a.bound = strings.TrimSuffix(patterns[0], "*"), len(patterns) == 1 && !strings.HasSuffix(patterns[0], "*")
	c.all = append(c.all, a)
	return a
}

const both = auth.Read | auth.Write

// duels are of callers with keys and with tokens, of one tenant and of two, whose agents
// have the same name or not.
func (c *cast) duels() []duel {
	metrics := c.key("watchers", "", auth.Metrics, "*").credential
	secret := "CANARY7f3a802" // in the names of the victims' keys and in their subjects
	return []duel{
		{"agents of a tenant", c.key("mates", "mine", both, "mallory-1"), c.key("mates", secret, both, "victoria-1"), metrics},
		{"tenants with the same agents", c.key("fox-1", "mine", both, "planner-x*"), c.key("hens-1", secret, both, "planner-x*"), metrics},
		{"a token and a key", c.token("fox-2", "mallory", "planner", "writer"), c.key("hens-2", secret, both, "planner"), metrics},
		{"a key and a token", c.key("fox-3", "mine", both, "planner"), c.token("hens-3", secret, "planner"), metrics},
		{"tokens", c.token("folk", "mallory", "mallory-2"), c.token("folk", secret, "victoria-2", "victoria-3"), metrics},
		{"a subject in two tenants", c.token("fox-4", secret, "planner"), c.token("hens-4", secret, "planner"), metrics},
	}
}

// odd returns headers with credentials that the intruder can make up from its own and from
// what is no secret of the victim. Each comes from another address, so that none is blocked.
func (d duel) odd(r *rand.Rand) http.Header {
	mine := d.intruder.credential
	list := [][]string{
		{mine, ""}, {"", mine}, {mine, mine}, {mine[:len(mine)/2]}, {mine + "."}, {mine + ", Bearer " + mine}, {mine + " " + d.victim.id}, {d.metrics}, {d.metrics}, {d.metrics, mine},
		{mine + "\tx"}, {strings.ToUpper(mine)}, {"sp_" + d.victim.id}, {"sp_"}, {"null"}, {""}, {strings.Repeat("A", 5000)},
	}
	for _, credential := range d.guesses() {
		list = append(list, []string{credential}, []string{credential, mine})
	}
	h := http.Header{"X-Forwarded-For": {fmt.Sprintf("198.51.%d.%d", r.IntN(256), r.IntN(256))}}
	if r.IntN(8) == 0 {
		h["X-Forwarded-For"] = append([]string{"127.0.0.1"}, h["X-Forwarded-For"]...)
	}
	scheme := []string{"Bearer ", "Bearer ", "Bearer ", "bearer ", "BEARER  ", "Basic ", "Bearer", ""}[r.IntN(8)]
	for i, credential := range list[r.IntN(len(list))] {
		name := "Authorization"
		if i == 1 && r.IntN(2) == 0 {
			name = []string{"authorization", "Proxy-Authorization", "X-Api-Key", "Cookie"}[r.IntN(4)]
		}
		h[name] = append(h[name], scheme+credential)
	}
	return h
}

// guesses returns credentials with the id or the claims of the victim, and with a secret or
// a signature that is not the victim's.
func (d duel) guesses() (list []string) {
	mine := d.intruder.credential
	switch {
	case d.victim.id != "":
		secret := strings.Repeat("A", 43)
		if d.intruder.id != "" {
			secret = mine[12:55]
		}
		list = append(list, withChecksum("sp_"+d.victim.id+"_"+secret))
	case d.intruder.id == "":
		list = mixed(mine, d.victim.credential)
	}
	return list
}

// withChecksum adds the checksum of an API key, which is no secret.
func withChecksum(text string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var sum [6]byte
	for i, n := len(sum)-1, crc32.ChecksumIEEE([]byte(text)); i >= 0; i, n = i-1, n/62 {
		sum[i] = digits[n%62]
	}
	return text + string(sum[:])
}

// as sends the requests of an actor. A request with odd headers keeps them.
func (a actor) as(web *http.Client) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		if r.Header["X-Forwarded-For"] == nil {
			r.Header.Set("Authorization", "Bearer "+a.credential)
		}
		return web.Do(r)
	}
}

// fight runs the intruder of a duel against a server.
func (d duel) fight(t testing.TB, url string, requests int, seed uint64) intruder.Report {
	t.Helper()
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer web.CloseIdleConnections()
	var names []string
	if d.victim.tenant != d.intruder.tenant {
		names = append(names, d.victim.tenant)
	}
	if d.victim.agent != d.intruder.agent {
		names = append(names, d.victim.agent)
	}
	if d.victim.id != "" {
		names = append(names, d.victim.id)
	}
	report, err := intruder.Run(t.Context(), intruder.Options{
		URL: url + "/mcp", Intruder: d.intruder.as(web), Victim: d.victim.as(web),
		IntruderAgent: d.intruder.agent, VictimAgent: d.victim.agent, IntruderBound: d.intruder.bound, VictimBound: d.victim.bound,
		Names: names, Odd: d.odd, Requests: requests, Seed: seed,
		Routes: []string{"/metrics", "/metrics", "/healthz", "/readyz", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"},
	})
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	return report
}

// traced receives the traces of servers that begin after it.
func traced(t *testing.T) *testkit.Buffer {
	t.Helper()
	all := new(testkit.Buffer)
	h := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(all, r.Body) }))
	t.Cleanup(h.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", h.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	return all
}

var canary = regexp.MustCompile("(?i)CANARY7f3a.{0,30}")

// shown returns what a text holds that nobody may see: marks, credentials, and headers.
func (c *cast) shown(text string) []string {
	found := canary.FindAllString(text, 5)
	for _, a := range c.all {
		_, secret, _ := strings.Cut(a.credential, a.id+"_") // of a key
		if a.id == "" {
			_, secret, _ = strings.Cut(a.credential, ".")
		}
		if strings.Contains(text, secret[:20]) || strings.Contains(text, secret[len(secret)-20:]) {
			found = append(found, "the credential of "+a.tenant+"/"+a.agent)
		}
	}
	if strings.Contains(text, "Bearer ") {
		found = append(found, "an Authorization header")
	}
	return found
}

// checkShown checks that what the operator sees holds nothing that nobody may see.
func (c *cast) checkShown(t *testing.T, log *testkit.Buffer, metrics string, traces *testkit.Buffer) {
	t.Helper()
	for what, text := range map[string]string{"log": log.String(), "metrics": metrics, "traces": traces.String()} {
		if found := c.shown(text); found != nil {
			t.Errorf("the %s show %q", what, found)
		}
	}
}

// checkOwn checks that the lines of the log about a key's calls name no other tenant.
func (c *cast) checkOwn(t *testing.T, log string) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(log) {
		for _, a := range c.all {
			if a.id == "" || !strings.Contains(line, "key="+a.id+" ") {
				continue
			}
			lines++
			for _, other := range c.all {
				if named := strings.Contains(line, "tenant="+other.tenant+" "); named != (other.tenant == a.tenant) {
					t.Errorf("a call of %s of %s is logged as %s", a.id, a.tenant, line)
				}
			}
		}
	}
	if lines == 0 {
		t.Errorf("the log has %d lines of calls", lines)
	}
}

// Generated requests show nothing of another caller, whoever the two are: not to the
// caller, and not to whoever reads the log, the metrics and the traces.
func TestIntruder(t *testing.T) {
	db := filepath.Join(t.TempDir(), "team.db")
	c, traces := newCast(t, db), traced(t)
	duels := c.duels()
	r := serve(t, append(c.issuer.flags(), "--db", db, "--debug", "--rate", "0", "--rate-agent", "0", "--trusted-proxy", "127.0.0.0/8")...)
	answered := map[string]int{}
	var mu sync.Mutex // guards answered
	t.Run("duels", func(t *testing.T) {
		for _, d := range duels {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				report := d.fight(t, r.url, testkit.Pick(120, 1000, 50_000), 11)
				for _, leak := range report.Leaks {
					t.Errorf("%.3000s", leak)
				}
				mu.Lock()
				defer mu.Unlock()
				for kind, n := range report.Answered {
					answered[kind] += n
				}
			})
		}
	})
	for _, tool := range []string{"read_file", "write_file", "edit_file", "move_file", "read_log", "append_log", "search", "changes", "resources/read", "completion/complete", "tools/list"} {
		if testkit.Long() && answered[tool+" 2025-06-18"]+answered[tool+" 2026-07-28"] == 0 {
			t.Errorf("no %s succeeds: the requests prove little", tool)
		}
	}
	status, metrics := r.get(t, "/metrics", duels[0].metrics)
	if status != http.StatusOK || !strings.Contains(metrics, `scratchpad_requests_total{outcome="ok",tool="read_file"}`) {
		t.Errorf("metrics: %d %.300s", status, metrics)
	}
	r.stop(t)
	c.checkShown(t, r.log, metrics, traces)
	c.checkOwn(t, r.log.String())
	for _, a := range c.all {
		if strings.Contains(metrics, a.tenant) || a.agent != "" && strings.Contains(metrics, a.agent) {
			t.Errorf("the metrics name %s or %s", a.tenant, a.agent)
		}
	}
	if n := strings.Count(traces.String(), `"traceId"`); n == 0 {
		t.Errorf("%d spans were sent", n)
	}
}

const testAudience = "https://memory.example.com/mcp"

// An issuer signs access tokens, and shows its public key on a loopback address.
type issuer struct {
	url string
	key ed25519.PrivateKey
}

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	testkit.Must(t, err)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig","kid":"k","x":%q}]}`, base64.RawURLEncoding.EncodeToString(public))
	}))
	t.Cleanup(h.Close)
	return &issuer{h.URL, private}
}

// flags are those of a server that accepts the issuer's tokens.
func (i *issuer) flags() []string {
	return []string{"--oauth-issuer", i.url, "--oauth-audience", testAudience, "--oauth-jwks-url", i.url + "/jwks"}
}

// token returns a token for agents of a tenant.
func (i *issuer) token(t testing.TB, tenant, subject, scope string, agents ...string) string {
	t.Helper()
	return i.sign(t, map[string]any{
		"iss": i.url, "aud": testAudience, "sub": subject, "exp": time.Now().Add(time.Hour).Unix(), "tenant": tenant, "agents": agents, "scope": scope,
	})
}

// sign returns a token with some claims.
func (i *issuer) sign(t testing.TB, claims map[string]any) string {
	t.Helper()
	part := func(v any) string {
		b, err := json.Marshal(v)
		testkit.Must(t, err)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	body := part(map[string]string{"alg": "EdDSA", "kid": "k", "typ": "at+jwt"}) + "." + part(claims)
	return body + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(i.key, []byte(body)))
}

// mixed returns texts that are no tokens: with the claims of one and the signature of
// another, unsigned, or cut.
func mixed(mine, theirs string) []string {
	m, v := strings.Split(mine, "."), strings.Split(theirs, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	return []string{m[0] + "." + v[1] + "." + m[2], none + "." + v[1] + ".", v[0] + "." + v[1], v[0] + "." + v[1] + "."}
}
