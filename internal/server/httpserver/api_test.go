package httpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// Below /v1 all errors are in the form of the API, whoever they come from.
func TestErrorsOfAPI(t *testing.T) {
	testkit.SkipInShort(t)
	failures := auth.NewFailures(nil)
	s := serve(t, Options{MCP: text("mcp"), Console: text("console"), Failures: failures, Rate: auth.Rate{PerSecond: 0.01, Burst: 3}, MemoryStores: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") })}, nil)
	const key = "X-Api-Key: " + goodKey
	for _, c := range []struct {
		method, path, header string
		status               int
		kind                 string
	}{
		{"GET", "/v1", key, 404, "not_found_error"},
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
		{"DELETE", "/v1/memory_stores/a/b", withKey, 500, "api_error"},
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
