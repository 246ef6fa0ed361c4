package ha

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
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
		for _, isModern := range []bool{true, false} {
			c := process.NewClient(func() string { return url }, key, isModern)
			c.Web = web
			for i := range 6 {
				if _, err := c.Call(t.Context(), "append_log", fmt.Sprintf(`"path":"log","entry":"%d"`, i), ""); err != nil {
					t.Errorf("call %d behind the proxy, without sessions: %v: %v", i, isModern, err)
				}
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
