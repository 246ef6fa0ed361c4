package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/providertest"
)

// teamHost is the name by which clients call the server behind the proxy.
const teamHost = "memory.example.com"

// A team is a server with the proxy of deploy before it. Both are on loopback, as on one
// machine with systemd.
type team struct {
	proxy   string // host:port
	roots   *x509.CertPool
	key     string // of all agents
	watcher string // a key with the scope metrics
	direct  string // the server's own URL
	metrics string // host:port, for everybody
}

// newTeam starts a server with more flags, and the proxy. The server's settings for
// it are variables, as deploy/README.md puts them into /etc/scratchpad.env.
func newTeam(t *testing.T, flags ...string) *team {
	t.Helper()
	t.Setenv("SCRATCHPAD_SERVE_HOST", teamHost)
	t.Setenv("SCRATCHPAD_SERVE_TRUSTED_PROXY", "127.0.0.1/32")
	db := filepath.Join(t.TempDir(), "test.db")
	create := func(args ...string) string {
		return strings.TrimSpace(process.Run(t, scratchpadPath, append([]string{"keys", "create", "--db", db}, args...)...))
	}
	s := &team{key: create("--agents", "*"), watcher: create("--scopes", "metrics"), metrics: process.FreeAddress(t)}
	url := process.Serve(t, scratchpadPath, append([]string{"--db", db, "--metrics-addr", s.metrics}, flags...)...)
	s.direct = strings.TrimSuffix(url, "/mcp")
	s.start(t)
	return s
}

// client returns a client with an address of its own. It knows the proxy by its name.
func (s *team) client(t *testing.T, from, key string) *http.Client {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.roots},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", s.proxy)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: bearer{key, transport}}
}

// connect connects an MCP client to the server through the proxy.
func (s *team) connect(t *testing.T, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: "https://" + teamHost + "/mcp", HTTPClient: s.client(t, "127.0.0.1", s.key), MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// status returns the status and the text of the answer to a request.
func status(t *testing.T, client *http.Client, method, url string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestProxy runs the proxy with TLS before the server. A client works through it by the
// name that the server does not have itself, and routes that are not for clients are closed.
func TestProxy(t *testing.T) {
	s := newTeam(t)
	watcher := &http.Client{Transport: bearer{s.watcher, http.DefaultTransport}}
	if code, _ := status(t, watcher, "GET", s.direct+"/metrics"); code != http.StatusOK {
		t.Errorf("the server itself, GET /metrics = %d, want 200", code)
	}
	client := s.client(t, "127.0.0.1", s.watcher)
	for path, want := range map[string]int{"/metrics": 404, "/": 404, "/healthz": 200, "/readyz": 200} {
		if code, text := status(t, client, "GET", "https://"+teamHost+path); code != want {
			t.Errorf("GET %s = %d %.100q, want %d", path, code, text, want)
		}
	}
	session := s.connect(t, nil)
	defer session.Close()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_file", Arguments: m{"agent_id": "e2e", "path": "plan.md", "content": "x"}})
	if err != nil || got.IsError {
		t.Errorf("write_file through the proxy: %v, %+v", err, got)
	}
}

// Who guesses keys is locked out by the address of the client, not by the proxy's. What the
// client itself says of its address does not count.
func TestProxyAddresses(t *testing.T) {
	s := newTeam(t)
	url := "https://" + teamHost + "/mcp"
	guesser := s.client(t, "127.0.0.2", "sp_wrong")
	last := 0
	for range 11 {
		last, _ = status(t, guesser, "GET", url)
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the answer to the eleventh wrong key is %d, want 429", last)
	}
	if code, _ := status(t, s.client(t, "127.0.0.2", s.key), "GET", url, "X-Forwarded-For", "192.0.2.1"); code != http.StatusTooManyRequests {
		t.Errorf("with another address in X-Forwarded-For it is %d, want 429", code)
	}
	if code, text := status(t, s.client(t, "127.0.0.3", "sp_wrong"), "GET", url); code != http.StatusUnauthorized {
		t.Errorf("another client gets %d %q, want 401", code, text)
	}
}

// The proxy passes progress on while the call is under way. When a client vanishes, the
// proxy leaves the server too.
func TestProxyStreams(t *testing.T) {
	told, asked := make(chan struct{}, 100), make(chan struct{}, 100)
	release := make(chan struct{})
	model := providertest.AnthropicFunc(func([]byte) providertest.Reply {
		asked <- struct{}{}
		<-release
		return providertest.Reply{Text: "A summary."}
	})
	defer model.Close()
	defer close(release)
	t.Setenv("ANTHROPIC_API_KEY", "key")
	s := newTeam(t, "--summarizer", "anthropic", "--summary-base-url", model.URL, "--summary-window", "3000")
	session := s.connect(t, &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { told <- struct{}{} }})
	defer session.Close()
	content := strings.Repeat("# A title\n\nSome text below the title that says a little.\n\n", 2000)
	if got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_file", Arguments: m{"agent_id": "e2e", "path": "long.md", "content": content}}); err != nil || got.IsError {
		t.Fatalf("write_file: %v, %+v", err, got)
	}
	ctx, vanish := context.WithCancel(t.Context())
	defer vanish()
	ended := make(chan error, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "summarize_file", Arguments: m{"agent_id": "e2e", "path": "long.md"}}
		params.SetProgressToken("p")
		_, err := session.CallTool(ctx, params)
		ended <- err
	}()
	wait(t, asked, "the model is not asked")
	release <- struct{}{} // one part is done, the others wait
	wait(t, told, "no progress comes through the proxy while the call is under way")
	if n := s.calls(t); n == "0" {
		t.Error("no call is under way at the server")
	}
	vanish()
	if err := <-ended; err == nil {
		t.Error("the call of a client that vanished has an answer")
	}
	session.Close()
	for began := time.Now(); s.calls(t) != "0"; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s calls of a client that vanished are still under way", s.calls(t))
		}
	}
}

// wait waits for a signal, and fails without one.
func wait(t *testing.T, signal <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(20 * time.Second):
		t.Fatal(otherwise)
	}
}

// calls returns how many requests to /mcp the server counts under way.
func (s *team) calls(t *testing.T) string {
	t.Helper()
	_, text := status(t, http.DefaultClient, "GET", "http://"+s.metrics+"/metrics")
	_, rest, ok := strings.Cut(text, "\nscratchpad_http_calls ")
	n, _, _ := strings.Cut(rest, "\n")
	if !ok {
		t.Fatalf("no scratchpad_http_calls in %.1000s", text)
	}
	return n
}

// start runs Caddy with the Caddyfile of deploy on free ports of loopback, and with
// certificates of its own authority.
func (s *team) start(t *testing.T) {
	t.Helper()
	s.proxy, s.roots = process.Caddy(t, filepath.Join(root, "deploy", "Caddyfile"), teamHost, "SCRATCHPAD_UPSTREAM="+strings.TrimPrefix(s.direct, "http://"))
}
