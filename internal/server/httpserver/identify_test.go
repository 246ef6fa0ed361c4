package httpserver

import (
	"context"
	"errors"
	"io"
	"net"
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
		{"Authorization: Bearer sp_down", 503, "cannot be checked", ""},
		{"X-None: 1", 401, "scratchpad keys create", challenge + meta},
		{"Authorization: Bearer sp_good|Authorization: Bearer sp_good", 400, "2 Authorization headers", challenge + `, error="invalid_request"` + meta},
		{"Authorization: Basic c3BfZ29vZDo=", 401, "not of the form", challenge + `, error="invalid_request"` + meta},
		{"Authorization: Bearer", 401, "not of the form", challenge + `, error="invalid_request"` + meta},
		{"Authorization: Bearer sp_good, Bearer sp_good", 401, "not of the form", challenge + `, error="invalid_request"` + meta},
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

// The address of a client is the rightmost that no trusted proxy has.
func TestClientAddress(t *testing.T) {
	s := &Server{o: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"1.2.3.4:5", "", "1.2.3.4"},
		{"1.2.3.4:5", "9.9.9.9", "1.2.3.4"}, // not a proxy of ours
		{"10.0.0.1:5", "", "10.0.0.1"},
		{"10.0.0.1:5", "9.9.9.9", "9.9.9.9"},
		{"10.0.0.1:5", "9.9.9.9,10.1.1.1 , 10.2.2.2", "9.9.9.9"},
		{"10.0.0.1:5", "8.8.8.8|9.9.9.9, 10.1.1.1|10.2.2.2", "9.9.9.9"},
		{"10.0.0.1:5", "10.3.3.3, 10.1.1.1", "10.3.3.3"}, // all are ours
		{"10.0.0.1:5", "9.9.9.9, unknown", "10.0.0.1"},
		{"10.0.0.1:5", "9.9.9.9, garbage, 10.1.1.1", "10.1.1.1"},
		{"10.0.0.1:5", "::ffff:9.9.9.9", "9.9.9.9"},
		{"[::ffff:10.0.0.1]:5", "9.9.9.9", "9.9.9.9"},
		{"[fd00::1%eth0]:5", "[2001:db8::1]:99, [fd00::2]", "2001:db8::1"},
		{"[fd00::1]:5", "[fe80::1%25eth0]:8", "fe80::1"},
		{"10.0.0.1:5", "010.1.1.1", "10.0.0.1"}, // no address to netip
		{"@", "9.9.9.9", "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: c.peer, Header: http.Header{}}
		if c.forwarded != "" {
			r.Header["X-Forwarded-For"] = strings.Split(c.forwarded, "|")
		}
		if got := s.clientAddress(r).String(); got != c.want {
			t.Errorf("%s with %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

// On a loopback address, a name that is not the server's own is refused on every route.
func TestHost(t *testing.T) {
	testkit.SkipInShort(t)
	s := serve(t, Options{Hosts: []string{"pad.example"}}, nil)
	_, port, _ := net.SplitHostPort(s.address)
	for host, want := range map[string]int{
		"localhost": 200, "localhost:1": 200, "localhost:" + port: 200, "127.0.0.1": 200, "127.0.0.1:" + port: 200, "127.9.9.9:7": 200, "[::1]": 200, "[::1]:4321": 200,
		"LOCALHOST": 200, "LocalHost:" + port: 200, "localhost.": 200, "localhost.:" + port: 200, "LOCALHOST.:1": 200, "127.0.0.1.": 200,
		"pad.example": 200, "PAD.example:443": 200, "PAD.example.": 200, "pad.example.:443": 200,
		"localhost..": 403, ".localhost": 403, ".": 403, "pad.example..": 403, "localhost.:1:2": 403,
		"evil.example": 403, "evil.example:" + port: 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "10.0.0.1": 403, "0.0.0.0": 403,
		"[::1%25lo]": 403, "[fe80::1]:80": 403, "xpad.example": 403, "": 403, "localhost:1:2": 403, "2130706433": 403, "evil.example@localhost": 400,
	} {
		for path, request := range map[string]string{
			"/healthz": request("GET", "/healthz", "", "Host: "+host),
			"/mcp":     call("append_log", `{"agent_id":"a","path":"log","entry":"x"}`, withKey, "Host: "+host),
		} {
			if a := s.dial().send(request).read("GET"); a.status != want {
				t.Errorf("Host %q for %s: %v, want %d", host, path, a, want)
			}
		}
	}
}

// On an address that is not loopback, any name will do.
func TestHostBeyondLoopback(t *testing.T) {
	for address, want := range map[string]bool{"192.0.2.1:4321": true, "[2001:db8::1]:4321": true, "127.0.0.1:4321": false, "[::1]:4321": false, "[::ffff:127.0.0.1]:4321": false} {
		local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))
		r := (&http.Request{Host: "pad.example"}).WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(local)))
		if own := new(Server).isOwnHost(r); own != want {
			t.Errorf("at %s the name is own: %v, want %v", address, own, want)
		}
	}
}
