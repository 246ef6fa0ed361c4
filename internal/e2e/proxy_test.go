package e2e

import (
	"bufio"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
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
}

// newTeam starts a server and the proxy. The server's settings for
// it are variables, as deploy/README.md puts them into /etc/scratchpad.env.
func newTeam(t *testing.T) *team {
	t.Helper()
	t.Setenv("SCRATCHPAD_SERVE_HOST", teamHost)
	t.Setenv("SCRATCHPAD_SERVE_TRUSTED_PROXY", "127.0.0.1/32")
	db := filepath.Join(t.TempDir(), "test.db")
	create := func(args ...string) string {
		return strings.TrimSpace(process.Run(t, scratchpadPath, append([]string{"keys", "create", "--db", db}, args...)...))
	}
	s := &team{key: create("--agents", "*"), watcher: create("--scopes", "metrics")}
	url := process.Serve(t, scratchpadPath, "--db", db)
	s.direct = strings.TrimSuffix(url, "/mcp")
	s.proxy, s.roots = process.Caddy(t, filepath.Join(root, "deploy", "Caddyfile"), teamHost, "SCRATCHPAD_UPSTREAM="+strings.TrimPrefix(s.direct, "http://"))
	return s
}

// client returns a client with a key, which knows the proxy by its name.
func (s *team) client(t *testing.T, key string) *http.Client {
	t.Helper()
	web := process.Behind(s.proxy, s.roots)
	t.Cleanup(web.CloseIdleConnections)
	return &http.Client{Transport: bearer{key, web.Transport}}
}

// status returns the status and the text of the answer to a request.
func status(t *testing.T, client *http.Client, method, url string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	testkit.Must(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	testkit.Must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	return res.StatusCode, string(text)
}

// TestProxy runs the proxy with TLS before the server. A client works through it by the
// name that the server does not have itself, and routes that are not for clients are closed.
// People sign in at the console. The browser gets a cookie for https alone, and an open page
// hears at once of what an agent writes.
func TestProxy(t *testing.T) {
	s := newTeam(t)
	watcher := &http.Client{Transport: bearer{s.watcher, http.DefaultTransport}}
	if code, _ := status(t, watcher, "GET", s.direct+"/metrics"); code != http.StatusOK {
		t.Errorf("the server itself, GET /metrics = %d, want 200", code)
	}
	client := s.client(t, s.watcher)
	for path, want := range map[string]int{"/metrics": 404, "/Metrics": 404, "//metrics": 404, "/a/../metrics": 404, "/debug": 404, "/": 401, "/keys": 401, "/healthz": 200, "/readyz": 200} {
		if code, text := status(t, client, "GET", "https://"+teamHost+path); code != want {
			t.Errorf("GET %s = %d %.100q, want %d", path, code, text, want)
		}
	}
	browser := process.Behind(s.proxy, s.roots)
	defer browser.CloseIdleConnections()
	jar, err := cookiejar.New(nil)
	testkit.Must(t, err)
	browser.Jar = jar
	page := "https://" + teamHost + "/a/planner"
	if code, text := status(t, browser, "GET", page, "Accept", "text/html"); code != http.StatusOK || !strings.Contains(text, `name="key"`) {
		t.Fatalf("before signing in, %s = %d %.2000s, want the page for signing in", page, code, text)
	}
	res, err := browser.PostForm("https://"+teamHost+"/signin", url.Values{"key": {s.key}, "next": {"/a/planner"}})
	testkit.Must(t, err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Request.URL.String() != page {
		t.Fatalf("signing in = %d at %s, want the page %s", res.StatusCode, res.Request.URL, page)
	}
	if cookie := res.Request.Header.Get("Cookie"); !strings.HasPrefix(cookie, "__Host-scratchpad=") {
		t.Errorf("the browser sends the cookie %.20q, want __Host-scratchpad", cookie)
	}
	events := listen(t, browser, "https://"+teamHost+"/events?agent=planner")
	if got := wait(t, events, "no event comes through the proxy"); got != "hello" {
		t.Errorf("the first event is %q, want hello", got)
	}
	use(t, connect(t, streamable("https://"+teamHost+"/mcp", s.client(t, s.key))), "write_file", m{"agent_id": "planner", "path": "plan.md", "content": "x"})
	if got := wait(t, events, "no event comes after a write"); got != "change" {
		t.Errorf("the event after a write is %q, want change", got)
	}
	if code, text := status(t, browser, "GET", page, "Accept", "text/html"); code != http.StatusOK || !strings.Contains(text, "plan.md") {
		t.Errorf("after the write, %s = %d %.2000s, want the file", page, code, text)
	}
}

// listen returns the names of the events of a stream, as they arrive.
func listen(t *testing.T, client *http.Client, url string) <-chan string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	testkit.Must(t, err)
	res, err := client.Do(req)
	testkit.Must(t, err)
	t.Cleanup(func() { res.Body.Close() })
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("GET %s = %d %q, want a stream of events", url, res.StatusCode, kind)
	}
	events := make(chan string, 100)
	go func() {
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() {
			if name, found := strings.CutPrefix(lines.Text(), "event: "); found {
				events <- name
			}
		}
	}()
	return events
}

// wait waits for a signal, and fails without one.
func wait[T any](t *testing.T, signals <-chan T, otherwise string) (signal T) {
	t.Helper()
	select {
	case signal = <-signals:
	case <-time.After(time.Minute):
		t.Fatal(otherwise)
	}
	return signal
}
