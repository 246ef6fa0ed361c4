package mcpserver_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/mcpserver"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// headers are the headers of a request that is right, with some changed. A value of "" takes a
// header away.
func headers(now bool, session string, changed map[string]string) http.Header {
	all := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if now {
		all.Set("Mcp-Protocol-Version", modern)
		all.Set("Mcp-Method", "tools/list")
	} else {
		all.Set("Mcp-Protocol-Version", legacy)
	}
	if session != "" {
		all.Set("Mcp-Session-Id", session)
	}
	for name, value := range changed {
		if all.Del(name); value != "" {
			all.Set(name, value)
		}
	}
	return all
}

// round makes a request with exactly these headers.
func round(t *testing.T, h http.Handler, verb, body string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), verb, "http://localhost/mcp", strings.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const (
	listNow    = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` + requestMeta + `}}}`
	listBefore = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
)

// Whatever allows JSON is served, because the answer is JSON.
func TestAccept(t *testing.T) {
	testkit.SkipInShort(t)
	server := newServer(t, "a")
	h := server.Handler()
	session := round(t, h, "POST", initialize, headers(false, "", nil)).Header().Get("Mcp-Session-Id")
	round(t, h, "POST", initialized, headers(false, session, nil))
	for accept, served := range map[string]bool{
		"": true, "application/json": true, "application/*": true, "*/*": true, "APPLICATION/JSON": true, "application/json;q=0.9": true, "application/json; charset=utf-8": true,
		"text/html, application/json": true, "text/html, */*;q=0.1": true, "text/event-stream, application/json": true, "application/json, text/event-stream": true, " , application/json": true,
		"text/html": false, "text/event-stream": false, "text/plain, image/*": false, "application/xml": false,
	} {
		changed := map[string]string{"Accept": accept}
		for name, w := range map[string]*httptest.ResponseRecorder{
			"initialize":   round(t, h, "POST", initialize, headers(false, "", changed)),
			"in a session": round(t, h, "POST", listBefore, headers(false, session, changed)),
			"2026":         round(t, h, "POST", listNow, headers(true, "", changed)),
			"a call of 2026": round(t, h, "POST", request("1", "get_usage_stats", "{}"),
				headers(true, "", map[string]string{"Accept": accept, "Mcp-Method": "tools/call", "Mcp-Name": "get_usage_stats"})),
		} {
			switch a := parsed(t, w.Body.String()); {
			case served && (w.Code != 200 || a.Result == nil || w.Header().Get("Content-Type") != "application/json"):
				t.Errorf("%s with Accept %q: %d %s, want JSON", name, accept, w.Code, w.Body)
			case !served && (w.Code != 406 || a.Error == nil || !strings.Contains(a.Error.Message, "send Accept: application/json") || string(a.ID) != "1"):
				t.Errorf("%s with Accept %q: %d %s, want 406", name, accept, w.Code, w.Body)
			}
		}
	}
}

// Every error is one of JSON-RPC with the id of the request, and says what to do.
func TestHTTPErrors(t *testing.T) {
	testkit.SkipInShort(t)
	h := newServer(t, "a").Handler()
	session := round(t, h, "POST", initialize, headers(false, "", nil)).Header().Get("Mcp-Session-Id")
	round(t, h, "POST", initialized, headers(false, session, nil))
	supported := strings.Join(mcpserver.Protocols(), ", ")
	type change = map[string]string
	for name, c := range map[string]struct {
		verb, body string
		header     http.Header
		status     int
		id, way    string
	}{
		"a call without a session":        {"POST", listBefore, headers(false, "", nil), 400, "1", "send the Mcp-Session-Id that initialize answered"},
		"a notification without one":      {"POST", initialized, headers(false, "", nil), 400, "null", "send the Mcp-Session-Id that initialize answered"},
		"a read of events without one":    {"GET", "", headers(false, "", nil), 400, "null", "send the Mcp-Session-Id that initialize answered"},
		"an unknown session":              {"POST", listBefore, headers(false, "none", nil), 404, "1", "begin a new one with initialize"},
		"a batch":                         {"POST", "[" + listBefore + "]", headers(false, session, nil), 400, "null", "send one object at a time"},
		"a batch of 2026":                 {"POST", "\ufeff[" + listNow + "]", headers(true, "", nil), 400, "null", "send one object at a time"},
		"a doubled id":                    {"POST", `{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`, headers(false, session, nil), 400, "1", "give it once"},
		"an id that is null":              {"POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, headers(false, session, nil), 400, "null", "must be a string or a number"},
		"no JSON":                         {"POST", "{", headers(false, session, nil), 400, "null", "send one JSON-RPC message"},
		"no body":                         {"POST", "", headers(false, session, nil), 400, "null", "send one JSON-RPC message"},
		"no version of JSON-RPC":          {"POST", `{"id":4,"method":"ping"}`, headers(false, session, nil), 400, "4", `jsonrpc must be "2.0"`},
		"a foreign Origin":                {"POST", listNow, headers(true, "", change{"Origin": "https://evil.example"}), 403, "null", "without a browser"},
		"a page of another site":          {"POST", listBefore, headers(false, session, change{"Sec-Fetch-Site": "cross-site"}), 403, "null", "without a browser"},
		"another kind of content":         {"POST", listNow, headers(true, "", change{"Content-Type": "text/plain"}), 415, "1", "send Content-Type: application/json"},
		"PUT":                             {"PUT", listBefore, headers(false, session, nil), 405, "null", "send messages with POST"},
		"GET of 2026":                     {"GET", "", headers(true, "", nil), 405, "null", "send messages with POST"},
		"a resumed POST":                  {"POST", listBefore, headers(false, session, change{"Last-Event-Id": "1"}), 400, "1", "Last-Event-ID"},
		"an unknown new version":          {"POST", listNow, headers(true, "", change{"Mcp-Protocol-Version": "2027-01-01"}), 400, "1", supported},
		"two versions":                    {"POST", listNow, headers(true, "", change{"Mcp-Protocol-Version": modern + ", " + legacy}), 400, "1", supported},
		"an unknown version in _meta":     {"POST", strings.ReplaceAll(listNow, modern, "2099-01-01"), headers(true, "", nil), 400, "1", "send the same in both: supported versions of the protocol are " + supported},
		"a number for a version":          {"POST", strings.ReplaceAll(listNow, `"`+modern+`"`, "20260728"), headers(true, "", nil), 400, "1", supported},
		"a number for a version at first": {"POST", strings.ReplaceAll(initialize, `"2025-06-18"`, "2025"), headers(false, "", nil), 400, "1", supported},
		"2026 in _meta, not in headers":   {"POST", listNow, headers(false, "", change{"Mcp-Protocol-Version": ""}), 400, "1", "send Mcp-Protocol-Version: " + modern},
		"2026 in _meta within a session":  {"POST", listNow, headers(false, session, nil), 400, "1", "send Mcp-Protocol-Version: " + modern},
		"no header for the method":        {"POST", listNow, headers(true, "", change{"Mcp-Method": ""}), 400, "1", "missing required Mcp-Method header"},
		"an unknown method":               {"POST", `{"jsonrpc":"2.0","id":6,"method":"nope"}`, headers(false, session, nil), 400, "6", `method not found: "nope"`},
		"a request without an id":         {"POST", `{"jsonrpc":"2.0","method":"tools/list"}`, headers(false, session, nil), 400, "null", "missing id"},
		"an unknown tool":                 {"POST", toolCall(5, "none", "{}"), headers(false, session, nil), 200, "5", "tools/list has"},
	} {
		w := round(t, h, c.verb, c.body, c.header)
		a := parsed(t, w.Body.String())
		if w.Code != c.status || a.Error == nil || string(a.ID) != c.id || !strings.Contains(a.Error.Message, c.way) || a.Error.Code > -32000 || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v %s, want %d for the id %s with %q", name, w.Code, w.Header(), w.Body, c.status, c.id, c.way)
		}
	}
	for _, body := range []string{initialize, `{"jsonrpc":"2.0","id":1,"method":"ping"}`} {
		if w := round(t, h, "POST", body, headers(false, "", change{"Mcp-Protocol-Version": ""})); w.Code != 200 || parsed(t, w.Body.String()).Result == nil {
			t.Errorf("%s needs no session: %d %s", body, w.Code, w.Body)
		}
	}
}

// The version that a request on stdio names is one that there is, too.
func TestVersionOnStdio(t *testing.T) {
	w := newWire(t, newServer(t, "a"))
	for _, version := range []string{`"2099-01-01"`, `"latest"`, `""`, `2026`, `null`, `[]`} {
		w.send(strings.Replace(listNow, `"`+modern+`"`, version, 1) + "\n")
		if a := w.must(); a.Error == nil || a.Error.Code != -32022 || !strings.Contains(a.Error.Message, strings.Join(mcpserver.Protocols(), ", ")) || !strings.Contains(a.raw, `"supported":["2026-07-28",`) {
			t.Errorf("the version %s: %s", version, a.raw)
		}
	}
	w.send(listBefore + "\n")
	if a := w.must(); a.Error == nil || a.Error.Code != -32600 || !strings.Contains(a.Error.Message, "send initialize first") {
		t.Errorf("a call before initialize: %s", a.raw)
	}
}

// A name of this machine is compared without case, and may end in a dot. Other names are
// refused on a loopback address, or a page could reach the server by one.
func TestHostNames(t *testing.T) {
	testkit.SkipInShort(t)
	h := newServerWith(t, mcpserver.Options{Bound: true, Workspace: workspaces(newService(t, workspace.Options{}), "a")}).Handler()
	local := net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4321})
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST": 200, "LocalHost:4321": 200, "localhost.": 200, "localhost.:4321": 200, "127.0.0.1:4321": 200, "[::1]:4321": 200,
		"localhost..": 403, "evil.example": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "": 403,
	} {
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, local), "POST", "http://x/mcp", strings.NewReader(listNow))
		r.Header, r.Host = headers(true, "", map[string]string{"Origin": "http://" + strings.ToLower(host)}), host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want || want == 403 && (parsed(t, w.Body.String()).Error == nil || !strings.Contains(w.Body.String(), "use localhost")) {
			t.Errorf("Host %q: %d %s, want %d", host, w.Code, w.Body, want)
		}
	}
}
