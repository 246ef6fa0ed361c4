package ha

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
)

// balance starts a proxy that sends each request to the server that choose names.
func balance(t *testing.T, servers []*server, choose func(*http.Request) int) (address string) {
	t.Helper()
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: servers[choose(r.In)%len(servers)].address})
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL + "/mcp"
}

// turns sends each request to the next server.
func turns() func(*http.Request) int {
	var n atomic.Int64
	return func(*http.Request) int { return int(n.Add(1)) }
}

// byKey sends the requests of a key to one server.
func byKey(r *http.Request) int {
	sum := 0
	for _, b := range []byte(r.Header.Get("Authorization")) {
		sum += int(b)
	}
	return sum
}

// Calls of the protocol without sessions may go to any server. A session of the earlier
// protocols is known to the server that began it: at another one it does not exist, and
// the client has to begin again. If the requests of a key go to one server, sessions work.
func TestSessions(t *testing.T) {
	db := pgtest.URL(t)
	servers := startServers(t, 3, db)
	_, key := newKey(t, db, "--agents", "a")
	for _, c := range []struct {
		name, version string
		choose        func(*http.Request) int
		works         bool
	}{
		{"no sessions, one server after the other", modern, turns(), true},
		{"no sessions, by key", modern, byKey, true},
		{"sessions, one server after the other", "2025-06-18", turns(), false},
		{"sessions, by key", "2025-06-18", byKey, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := useSession(t, http.DefaultClient, balance(t, servers, c.choose), key, c.version)
			if c.works && err != nil {
				t.Error(err)
			}
			if !c.works && (err == nil || !strings.Contains(err.Error(), "session not found") && !strings.Contains(err.Error(), "Not Found")) {
				t.Errorf("a session at another server ends with %v, want that it is not found", err)
			}
		})
	}
}

// useSession lets the SDK's client make calls in a version of the protocol.
func useSession(t *testing.T, web *http.Client, url, key, version string) error {
	t.Helper()
	web = &http.Client{Transport: keyed{key, web}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "ha", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: web, MaxRetries: -1, DisableStandaloneSSE: true},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	defer session.Close()
	for i := range 6 {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "append_log", Arguments: map[string]any{"path": "log", "entry": fmt.Sprint(i)}})
		if err != nil {
			return err
		}
		if got.IsError {
			return fmt.Errorf("append_log: %+v", got.Content)
		}
	}
	return nil
}

// keyed adds a key to the requests of a client.
type keyed struct {
	key string
	web *http.Client
}

// RoundTrip implements [http.RoundTripper].
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return k.web.Do(r)
}
