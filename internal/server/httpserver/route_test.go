package httpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func text(s string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) })
}

// Every route answers those who may see it. Nothing else is there.
func TestRoutes(t *testing.T) {
	testkit.SkipInShort(t)
	full := serve(t, Options{
		MCP: text("mcp"), Metrics: text("metrics"), Console: text("console"),
		ResourceMetadata: text("metadata"), ResourceMetadataURL: "https://x.example/meta",
	}, nil)
	bare := serve(t, Options{MCP: text("mcp")}, nil)
	const metricsKey = "Authorization: Bearer sp_metrics"
	for _, c := range []struct {
		s            *served
		method, path string
		header       string
		status       int
		text         string
	}{
		{bare, "POST", "/mcp", withKey, 200, "mcp"},
		{bare, "POST", "/mcp", "", 401, "scratchpad keys create"},
		{bare, "GET", "/healthz", "", 200, `{"ok":true}`},
		{bare, "HEAD", "/healthz", "", 200, ""},
		{bare, "GET", "/readyz", "", 200, `{"ready":true}`},
		{bare, "POST", "/healthz", "", 405, "use GET"},
		{bare, "GET", "/metrics", metricsKey, 404, "nothing here"},
		{bare, "GET", "/", "", 404, "nothing here"},
		{bare, "GET", metadataPath, "", 404, "nothing here"},
		{bare, "POST", "/mcp/", "", 401, `{"jsonrpc":"2.0","id":null,"error":`},
		{bare, "GET", "/mcp/", withKey, 200, "mcp"},
		{bare, "GET", "//mcp", withKey, 404, "nothing here"},
		{bare, "GET", "/x/../mcp", withKey, 404, "nothing here"},
		{bare, "OPTIONS", "*", "", 404, "nothing here"},
		{full, "GET", "/metrics", metricsKey, 200, "metrics"},
		{full, "GET", "/metrics", withKey, 403, "scope metrics"},
		{full, "GET", "/metrics", "", 401, "scratchpad keys create"},
		{full, "GET", "/", "", 200, "console"},
		{full, "GET", metadataPath, "", 200, "metadata"},
		{full, "GET", metadataPath + "/mcp", "", 200, "metadata"},
	} {
		if a := c.s.ask(c.method, c.path, "", "X-Test: 1", orNone(c.header)); a.status != c.status || !strings.Contains(a.text, c.text) || c.text == "" && a.text != "" {
			t.Errorf("%s %s with %q: %v, want %d %s", c.method, c.path, c.header, a, c.status, c.text)
		}
	}
}

// A client of MCP at a wrong path is told the right one, also where the console has all other
// paths.
func TestWrongPath(t *testing.T) {
	testkit.SkipInShort(t)
	for name, s := range map[string]*served{
		"with a console": serve(t, Options{MCP: text("mcp"), Console: text("console")}, nil),
		"without one":    serve(t, Options{MCP: text("mcp")}, nil),
	} {
		for _, path := range []string{"/", "/sse", "/messages", "/mcp/mcp", "/MCP", "/mcp.", "/v1/mcp", "/api/mcp?x=1"} {
			for _, header := range []string{"Content-Type: application/json", "Content-Type: application/json; charset=utf-8", "Mcp-Protocol-Version: 2026-07-28", "Mcp-Session-Id: x"} {
				a := s.ask("POST", path, `{"jsonrpc":"2.0","id":"q","method":"initialize"}`, header)
				if a.status != 404 || !strings.Contains(a.text, "MCP is at /mcp") || !strings.HasPrefix(a.text, `{"jsonrpc":"2.0","id":"q","error":{"code":-32`) {
					t.Errorf("%s: POST %s with %s: %v", name, path, header, a)
				}
			}
			if a := s.ask("GET", path, "", "Accept: text/event-stream"); a.status != 404 || !strings.Contains(a.text, "MCP is at /mcp") {
				t.Errorf("%s: GET %s for events: %v", name, path, a)
			}
		}
	}
	pages := serve(t, Options{MCP: text("mcp"), Console: text("console")}, nil)
	for _, header := range []string{"Content-Type: application/x-www-form-urlencoded", "Content-Type: multipart/form-data; boundary=x"} {
		if a := pages.ask("POST", "/signin", "x=1", header); a.text != "console" {
			t.Errorf("a form of the console: %v", a)
		}
	}
	if a := pages.ask("GET", eventsPath, "", "Accept: text/event-stream"); a.text != "console" {
		t.Errorf("the console's events: %v", a)
	}
}

func orNone(header string) string {
	if header == "" {
		return "X-None: 1"
	}
	return header
}

// What is not there is 404 in the form that the client asks for, and says nothing of what
// the client sent.
func TestFormsOf404(t *testing.T) {
	testkit.SkipInShort(t)
	s := serve(t, Options{MCP: text("mcp")}, nil)
	for accept, want := range map[string][2]string{
		"*/*":                             {"text/plain; charset=utf-8", "there is nothing here"},
		"application/json":                {"application/json", `{"error":"there is nothing here`},
		"application/problem+json, */*":   {"application/json", `{"error":"there is nothing here`},
		"text/html,application/xml;q=0.9": {"text/html; charset=utf-8", "<h1>404 Not Found</h1>"},
		"text/plain":                      {"text/plain; charset=utf-8", "there is nothing here"},
	} {
		a := s.ask("GET", "/canary<script>", "", "Accept: "+accept)
		if a.status != 404 || a.header.Get("Content-Type") != want[0] || !strings.Contains(a.text, want[1]) || strings.Contains(a.text, "canary") {
			t.Errorf("Accept: %s: %v of type %s, want %v", accept, a, a.header.Get("Content-Type"), want)
		}
	}
}

// Every answer has a number of its own, which the handler knows.
func TestRequestID(t *testing.T) {
	s := serve(t, Options{MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, RequestID(r.Context())) })}, nil)
	seen := map[string]bool{}
	for _, a := range []answer{s.ask("POST", "/mcp", "", withKey), s.ask("POST", "/mcp", "", withKey, "X-Request-Id: mine"), s.ask("GET", "/none", "")} {
		id := a.header.Get("X-Request-Id")
		if len(id) != 16 || seen[id] || a.status == 200 && a.text != id {
			t.Errorf("the number is %q in the header and %q for the handler", id, a.text)
		}
		seen[id] = true
	}
}

// A panic is the end of its own request only, and what it says reaches neither the client
// nor the log.
func TestPanic(t *testing.T) {
	var log testkit.Buffer
	s := serve(t, Options{Logger: logTo(&log), MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Do") {
		case "panic":
			panic("canary")
		case "late":
			io.WriteString(w, "half of it")
			http.NewResponseController(w).Flush()
			panic("canary")
		}
		io.WriteString(w, "fine")
	})}, nil)
	other := s.dial()
	for range 3 {
		if a := s.ask("POST", "/mcp", "", withKey, "X-Do: panic"); a.status != 500 || strings.Contains(a.text, "canary") {
			t.Errorf("a panic: %v, want 500", a)
		}
		if a := s.ask("POST", "/mcp", "", withKey, "X-Do: late"); a.status != 0 {
			t.Errorf("a panic in the middle of an answer: %v, want a closed connection", a)
		}
		if a := other.send(request("POST", "/mcp", "", withKey)).read("POST"); a.text != "fine" {
			t.Errorf("another connection: %v", a)
		}
	}
	if n := s.Stats().Panics; n != 6 {
		t.Errorf("%d panics counted, want 6", n)
	}
	if strings.Contains(log.String(), "canary") || !strings.Contains(log.String(), "route_test.go") {
		t.Errorf("the log is %s, want where it happened, without what it said", log.String())
	}
}

// A refusal has the id of the message, if that is one that can be repeated.
func TestRefusalID(t *testing.T) {
	testkit.SkipInShort(t)
	s := serve(t, Options{MCP: who}, nil)
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`:            `7`,
		`{"id":1758000000000000000}`:                          `1758000000000000000`,
		`{"id":"\u0041\/<&>"}`:                                `"\u0041\/<&>"`,
		"\ufeff" + `{"id":8}`:                                 `8`,
		`{"method":"notifications/initialized"}`:              `null`,
		`{"id":null}`:                                         `null`,
		`{"id":{"a":1}}`:                                      `null`,
		`{"id":7`:                                             `null`,
		`[{"id":7}]`:                                          `null`,
		`{"id":"` + strings.Repeat("x", 254) + `"}`:           `"` + strings.Repeat("x", 254) + `"`,
		`{"id":"` + strings.Repeat("x", 255) + `"}`:           `null`,
		`{"id":7,"a":"` + strings.Repeat("x", maxSkip) + `"}`: `null`,
	} {
		a := s.ask("POST", "/mcp", body, "Authorization: Bearer sp_bad")
		if !strings.HasPrefix(a.text, `{"jsonrpc":"2.0","id":`+want+`,"error":`) || a.status != 401 {
			t.Errorf("%.60s: %d %s, want the id %s", body, a.status, a.text, want)
		}
	}
}

// Below /v1 all errors are in the form of the API, whoever they come from.
func TestErrorsOfAPI(t *testing.T) {
	testkit.SkipInShort(t)
	failures := auth.NewFailures(nil)
	s := serve(t, Options{MCP: text("mcp"), Console: text("console"), Failures: failures, Rate: auth.Rate{PerSecond: 0.01, Burst: 2}, MemoryStores: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") })}, nil)
	const key = "X-Api-Key: " + goodKey
	for _, c := range []struct {
		method, path, header string
		status               int
		kind                 string
	}{
		{"GET", "/v1/messages", key, 404, "not_found_error"},
		{"POST", "/v1/mcp", key, 404, "not_found_error"},
		{"POST", "/v1/memory_storesx", key, 404, "not_found_error"},
		{"GET", "/v1/memory_stores", "", 401, "authentication_error"},
		{"GET", "/v1/memory_stores/x", "X-Api-Key: sp_wrong", 401, "authentication_error"},
		{"GET", "/v1/memory_stores", key + "\r\n" + withKey + "x", 400, "invalid_request_error"},
		{"GET", "/v1/memory_stores", key + "\r\n" + key, 400, "invalid_request_error"},
		{"GET", "/v1/memory_stores", "X-Api-Key: ", 401, "authentication_error"},
		{"GET", "/v1/memory_stores", "Authorization: Basic eDp4", 401, "authentication_error"},
		{"GET", "/v1/memory_stores", "X-Api-Key: sp_down", 503, "api_error"},
		{"GET", "/v1/memory_stores", key + "\r\nHost: evil.example", 403, "permission_error"},
		{"GET", "/v1/memory_stores", key, 500, "api_error"},
		{"GET", "/v1/memory_stores", key + "\r\n" + withKey, 500, "api_error"},
		{"GET", "/v1/memory_stores", key, 429, "rate_limit_error"},
	} {
		a := s.ask(c.method, c.path, "", "Accept: text/html", orNone(c.header))
		var e struct {
			Type    string
			Error   struct{ Type, Message string }
			Request string `json:"request_id"`
		}
		if err := json.Unmarshal([]byte(a.text), &e); err != nil || a.status != c.status || e.Type != "error" || e.Error.Type != c.kind || e.Error.Message == "" || strings.Contains(a.text, "secret") {
			t.Errorf("%s %s with %q: %v, want %d %s", c.method, c.path, c.header, a, c.status, c.kind)
		}
		if c.path == "/v1/mcp" && !strings.Contains(a.text, "MCP is at /mcp") {
			t.Errorf("%s does not say where MCP is: %v", c.path, a)
		}
		if id := a.header.Get("Request-Id"); id == "" || id != e.Request || id != a.header.Get("X-Request-Id") || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: the headers are %v, and the number is %q", c.path, a.header, e.Request)
		}
		if retry := a.header.Get("Retry-After"); (retry != "") != (c.status == 429 || c.status == 503) {
			t.Errorf("%s: %d with Retry-After %q", c.path, a.status, retry)
		}
	}
}

// Without the API its paths are those of the console, and x-api-key is for the API alone.
func TestAPIAlone(t *testing.T) {
	caller := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := auth.FromContext(r.Context())
		again, _, err := auth.Current(r.Context())
		fmt.Fprint(w, c.ID, again.ID, err)
	})
	with := serve(t, Options{MCP: caller, Console: text("console"), MemoryStores: caller}, nil)
	without := serve(t, Options{MCP: caller, Console: text("console")}, nil)
	const key = "X-Api-Key: " + goodKey
	for _, c := range []struct {
		s      *served
		path   string
		status int
		text   string
	}{
		{with, "/v1/memory_stores", 200, "goodgood<nil>"}, {with, "/v1/memory_stores/", 200, "goodgood<nil>"}, {with, "/mcp", 401, "send an API key"}, {with, "/v1x", 200, "console"}, {with, "//v1/memory_stores", 200, "console"},
		{without, "/v1/memory_stores", 200, "console"}, {without, "/mcp", 401, "send an API key"},
	} {
		if a := c.s.ask("GET", c.path, "", key); a.status != c.status || !strings.Contains(a.text, c.text) {
			t.Errorf("%s: %v, want %d %s", c.path, a, c.status, c.text)
		}
	}
}

// A credential in x-api-key is checked again if the request has taken long.
func TestAPIKeyAgain(t *testing.T) {
	revoked := false
	s := serve(t, Options{MCP: text("mcp"), Keys: func(ctx context.Context, credential string) (auth.Caller, error) {
		if revoked {
			return auth.Caller{}, auth.ErrUnknown
		}
		return verify(ctx, credential)
	}}, nil)
	r, _ := http.NewRequest("GET", "/v1/memory_stores", nil)
	r.Header.Set("X-Api-Key", goodKey)
	s.o.MemoryStores = text("")
	again := s.again(r)
	if c, err := again(t.Context()); err != nil || c.ID != "good" {
		t.Errorf("the caller is %+v, %v", c, err)
	}
	revoked = true
	if _, err := again(t.Context()); err != auth.ErrUnknown {
		t.Errorf("after the revocation: %v", err)
	}
}
