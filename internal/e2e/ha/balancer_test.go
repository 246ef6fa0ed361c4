package ha

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
)

// Caddy runs as in deploy/compose.yaml, in front of three servers. Clients of both eras work,
// with keys that belong to different servers. When the server of a key is killed, its calls
// go to another one.
func TestBalancer(t *testing.T) {
	db := pgtest.URL(t)
	const host = "memory.example.com"
	servers := startServers(t, 3, db, "--host", host, "--trusted-proxy", "127.0.0.1")
	var addresses []string
	for _, s := range servers {
		addresses = append(addresses, s.address())
	}
	_, key := newKey(t, db, "--agents", "a")
	address, roots := process.Caddy(t, filepath.Join("..", "..", "..", "deploy", "servers.Caddyfile"), host, "SCRATCHPAD_UPSTREAMS="+strings.Join(addresses, " "))
	web := process.Behind(address, roots)
	t.Cleanup(web.CloseIdleConnections)
	url := "https://" + host + "/mcp"
	for range 4 {
		_, key := newKey(t, db, "--agents", "a")
		for _, version := range []string{modern, "2025-06-18"} {
			if err := useSession(t, web, url, key, version); err != nil {
				t.Errorf("version %s behind the proxy: %v", version, err)
			}
		}
	}
	if res, err := web.Get("https://" + host + "/metrics"); err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("/metrics behind the proxy: %v, %v, want 404", res, err)
	}
	c, f := &client{key: key, web: web}, new(tries)
	for _, s := range servers[:2] {
		s.Kill()
		if _, err := c.keepCalling(t.Context(), []string{url}, 0, f, "append_log", `"path":"l","entry":"x"`, ""); err != nil {
			t.Errorf("after a server was killed: %v", err)
		}
	}
	t.Logf("tries again: %v", f.why)
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
