package httpserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// who answers with the caller of a request, and the method.
var who = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	c, ok := auth.FromContext(r.Context())
	if !ok {
		c.ID = "nobody"
	}
	io.WriteString(w, c.ID)
})

// Exactly one header with one credential says who calls.
func TestIdentify(t *testing.T) {
	testkit.SkipInShort(t)
	tokens := func(_ context.Context, credential string) (auth.Caller, error) {
		if credential == "ey.good" {
			return auth.Caller{ID: "user"}, nil
		}
		return auth.Caller{}, auth.ErrUnknown
	}
	s := serve(t, Options{MCP: who, Tokens: tokens, ResourceMetadata: text("x"), ResourceMetadataURL: "https://x.example/meta"}, nil)
	const challenge, meta = `Bearer realm="scratchpad"`, `, resource_metadata="https://x.example/meta"`
	for _, c := range []struct {
		headers   string // lines, separated by |
		status    int
		text      string
		challenge string
	}{
		{"Authorization: Bearer sp_good", 200, "good", ""},
		{"authorization: bEaReR sp_good", 200, "good", ""},
		{"Authorization: Bearer   sp_good  ", 200, "good", ""},
		{"Authorization: Bearer ey.good", 200, "user", ""},
		{"Authorization: Bearer sp_bad", 401, "revoked; send an API key", challenge + `, error="invalid_token"` + meta},
		{"Authorization: Bearer ey.bad", 401, "revoked; send an API key", challenge + `, error="invalid_token"` + meta},
		{"Authorization: Bearer sp_down", 503, "cannot be checked", ""},
		{"X-None: 1", 401, "scratchpad keys create", challenge + meta},
		{"Authorization: Bearer sp_good|Authorization: Bearer sp_good", 400, "2 Authorization headers", challenge + `, error="invalid_request"` + meta},
		{"Authorization: Bearer sp_bad|Authorization: Bearer sp_good", 400, "2 Authorization headers", challenge + `, error="invalid_request"` + meta},
		{"Authorization: Basic c3BfZ29vZDo=", 401, "not of the form", challenge + `, error="invalid_request"` + meta},
		{"Authorization: Bearer", 401, "not of the form", challenge + `, error="invalid_request"` + meta},
		{"Authorization: Bearer sp_good, Bearer sp_good", 401, "not of the form", challenge + `, error="invalid_request"` + meta},
		{"Authorization: Bearer sp_good x", 401, "not of the form", challenge + `, error="invalid_request"` + meta},
		{"X-Api-Key: sp_good", 401, "scratchpad keys create", challenge + meta},
		{"Cookie: key=sp_good", 401, "scratchpad keys create", challenge + meta},
	} {
		a := s.ask("POST", "/mcp?key=sp_good", "", strings.Split(c.headers, "|")...)
		if a.status != c.status || !strings.Contains(a.text, c.text) || a.header.Get("WWW-Authenticate") != c.challenge {
			t.Errorf("%s: %v with %q, want %d %s with %q", c.headers, a, a.header.Get("WWW-Authenticate"), c.status, c.text, c.challenge)
		}
		if after := a.header.Get("Retry-After"); (after != "") != (c.status == 503) {
			t.Errorf("%s: Retry-After is %q", c.headers, after)
		}
	}
}

// Without a credential, the options say who calls.
func TestAnonymous(t *testing.T) {
	testkit.SkipInShort(t)
	local := func(context.Context) (auth.Caller, bool, error) { return auth.Caller{ID: "local"}, true, nil }
	no := func(context.Context) (auth.Caller, bool, error) { return auth.Caller{ID: "x"}, false, nil }
	fails := func(context.Context) (auth.Caller, bool, error) {
		return auth.Caller{ID: "x"}, true, errors.New("canary")
	}
	for name, c := range map[string]struct {
		o      Options
		status int
		text   string
	}{
		"a caller":                   {Options{Anonymous: local}, 200, "local"},
		"refused":                    {Options{Anonymous: no}, 401, "keys create"},
		"an error":                   {Options{Anonymous: fails}, 503, "try again"},
		"nothing about it is said":   {Options{}, 401, "keys create"},
		"a credential is looked at":  {Options{Anonymous: local}, 401, "revoked"},
		"a credential and no key":    {Options{Anonymous: no}, 401, "revoked"},
		"a good one, all the same":   {Options{Anonymous: local}, 200, "good"},
		"metrics are not for nobody": {Options{Anonymous: no, Metrics: text("canary")}, 401, "keys create"},
	} {
		c.o.MCP = who
		s := serve(t, c.o, nil)
		path, header := "/mcp", "X-None: 1"
		switch {
		case strings.HasPrefix(name, "a credential"):
			header = "Authorization: Bearer sp_bad"
		case strings.HasPrefix(name, "a good one"):
			header = withKey
		case strings.HasPrefix(name, "metrics"):
			path = "/metrics"
		}
		if a := s.ask("GET", path, "", header); a.status != c.status || !strings.Contains(a.text, c.text) || strings.Contains(a.text, "canary") {
			t.Errorf("%s: %v, want %d %s", name, a, c.status, c.text)
		}
	}
}

// A request that a proxy passes on needs a credential, because its client may be anywhere.
func TestAnonymousBehindProxy(t *testing.T) {
	local := func(context.Context) (auth.Caller, bool, error) { return auth.Caller{ID: "local"}, true, nil }
	s := serve(t, Options{MCP: who, Anonymous: local}, nil)
	for _, header := range []string{
		"X-Forwarded-For: 203.0.113.9", "x-forwarded-for: 127.0.0.1", "X-Forwarded-For:", "Forwarded: for=203.0.113.9", "X-Real-IP: 203.0.113.9",
		"X-Forwarded-Host: memory.example.com\r\nHost: localhost", "X-Forwarded-Proto: https", "Via: 1.1 proxy",
	} {
		if a := s.ask("POST", "/mcp", "", header); a.status != 401 {
			t.Errorf("%s without a key: %v, want 401", header, a)
		}
		if a := s.ask("POST", "/mcp", "", header, withKey); a.status != 200 {
			t.Errorf("%s with a key: %v, want 200", header, a)
		}
	}
	if a := s.ask("POST", "/mcp", "", "X-None: 1"); a.status != 200 || !strings.Contains(a.text, "local") {
		t.Errorf("without a proxy: %v, want 200 for local", a)
	}
}

// After ten wrong credentials of an address, further wrong ones are told to come later. Right
// ones pass, whether they are known already or not. What is no guess never counts.
func TestFailures(t *testing.T) {
	log := &testkit.Buffer{}
	s := serve(t, Options{
		MCP: who, Logger: logTo(log), Failures: auth.NewFailures(nil), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Known: func(_ context.Context, credential string) (auth.Caller, bool) {
			return auth.Caller{ID: "known"}, credential == "sp_known"
		},
		Tokens: func(_ context.Context, credential string) (auth.Caller, error) {
			switch credential {
			case "ey.good":
				return auth.Caller{ID: "user"}, nil
			case "ey.expired":
				return auth.Caller{}, auth.ErrNoGuess
			}
			return auth.Caller{}, auth.ErrUnknown
		},
	}, nil)
	ask := func(client, credential string) answer {
		t.Helper()
		return s.ask("POST", "/mcp", "", "X-Forwarded-For: 9.9.9.9, "+client, "X-Key: 1", credential)
	}
	for range 12 {
		for _, harmless := range []string{"X-None: 1", "Authorization: Basic x", "Authorization: Bearer sp_down", "Authorization: Bearer ey.expired"} {
			if a := ask("1.2.3.4", harmless); a.status == 429 {
				t.Fatalf("%s counts as a wrong credential: %v", harmless, a)
			}
		}
	}
	expired := s.Stats().FailedCredentials
	for i := range 10 {
		if a := ask("1.2.3.4", "Authorization: Bearer "+[]string{"sp_bad", "other"}[i%2]); a.status != 401 {
			t.Errorf("failure %d: %v, want 401", i, a)
		}
	}
	for _, wrong := range []string{"sp_bad", "other"} {
		a := ask("1.2.3.4", "Authorization: Bearer "+wrong)
		after, _ := strconv.Atoi(a.header.Get("Retry-After"))
		if a.status != 429 || after < 1 || after > 60 || !strings.Contains(a.text, `"id":null`) || !strings.Contains(a.text, "try again in ") {
			t.Errorf("one more wrong credential: %v after %d s, want 429", a, after)
		}
	}
	const told = `msg="too many wrong credentials" address=1.2.3.4 for=`
	if n := strings.Count(log.String(), told); n != 1 {
		t.Errorf("the log has the address %d times, want once:\n%s", n, log)
	}
	for credential, want := range map[string]int{"sp_known": 200, "sp_good": 200, "sp_good2": 200, "ey.good": 200, "ey.expired": 401, "sp_down": 503} {
		if a := ask("1.2.3.4", "Authorization: Bearer "+credential); a.status != want {
			t.Errorf("%s beside wrong ones: %v, want %d", credential, a, want)
		}
	}
	if a := ask("1.2.3.5", "Authorization: Bearer sp_bad"); a.status != 401 {
		t.Errorf("another address: %v", a)
	}
	if got := s.Stats(); expired != 12 || got.FailedCredentials != 12+1+10+1 || got.RefusedBlocked != 2 {
		t.Errorf("%d failed, %d of them before, and %d are told to come later; want 24, 12 and 2", got.FailedCredentials, expired, got.RefusedBlocked)
	}
}
