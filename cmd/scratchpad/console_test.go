package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/failure"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// An opened is a scratchpad console in a process of its own.
type opened struct {
	cmd  *exec.Cmd
	link *url.URL
	err  *testkit.Buffer
	done chan error
}

// openConsole starts scratchpad console and waits for the link.
func openConsole(t *testing.T, variables []string, args ...string) *opened {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"console"}, args...)...)
	cmd.Env = append(environ(), variables...)
	c := &opened{cmd: cmd, err: new(testkit.Buffer), done: make(chan error, 1)}
	cmd.Stderr = c.err
	out, err := cmd.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-c.done
		if t.Failed() {
			t.Logf("scratchpad console said:\n%s", c.err)
		}
	})
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		c.done <- cmd.Wait()
		close(c.done)
	}()
	testkit.Must(t, err)
	a := consoleAnswer{URL: strings.TrimSpace(line)}
	if strings.Contains(strings.Join(args, " "), "--json") {
		testkit.Must(t, json.Unmarshal([]byte(line), &a))
	}
	c.link, err = url.Parse(a.URL)
	testkit.Must(t, err)
	return c
}

// browser returns a client that keeps cookies.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	testkit.Must(t, err)
	c := &http.Client{Jar: jar, Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// visit returns a page of the console. With host the browser thinks that it is at another
// name.
func (c *opened) visit(t *testing.T, b *http.Client, address, host string) (status int, text string) {
	t.Helper()
	at, err := c.link.Parse(address)
	testkit.Must(t, err)
	r, err := http.NewRequestWithContext(t.Context(), "GET", at.String(), nil)
	testkit.Must(t, err)
	r.Host, r.Header = host, http.Header{"Accept": {"text/html"}}
	res, err := b.Do(r)
	page := read(t, res, err)
	return res.StatusCode, page
}

// watch opens an event stream, and waits for its first event.
func (c *opened) watch(t *testing.T, b *http.Client) *http.Response {
	t.Helper()
	at, err := c.link.Parse("/events")
	testkit.Must(t, err)
	res, err := b.Get(at.String())
	testkit.Must(t, err)
	t.Cleanup(func() { res.Body.Close() })
	if hello := make([]byte, 12); res.StatusCode != 200 {
		t.Fatalf("the stream: %d", res.StatusCode)
	} else if _, err := io.ReadFull(res.Body, hello); err != nil || string(hello) != "event: hello" {
		t.Fatalf("the stream begins with %q, %v", hello, err)
	}
	return res
}

// mustEnd waits for a clean end.
func (c *opened) mustEnd(t *testing.T, within time.Duration) {
	t.Helper()
	select {
	case err := <-c.done:
		if err != nil {
			t.Errorf("the console ended with %v, want a clean end", err)
		}
	case <-time.After(within):
		t.Fatalf("the console has not ended after %v", within)
	}
}

// The link lets one browser in, once, to everything of the tenant. A signal ends the
// console at once, even while a page is open.
func TestConsole(t *testing.T) {
	db := filepath.Join(t.TempDir(), "new.db")
	runCommand(t, t.TempDir(), nil, "logs", "append", "decisions", "we ship", "--agent", "alice", "--db", db).must(t, 0)
	c := openConsole(t, nil, "--db", db, "--agent", "alice")
	ada := browser(t)
	if status, page := c.visit(t, ada, c.link.String(), ""); status != 200 || !strings.Contains(page, "decisions") || !strings.Contains(page, "New file") {
		t.Errorf("the link: %d\n%s", status, page)
	}
	for _, part := range []string{"/", "/a/bob", "/signin"} {
		if status, page := c.visit(t, ada, part, ""); status != 200 || !strings.Contains(page, "Sign out") {
			t.Errorf("%s: %d\n%s", part, status, page)
		}
	}
	c.checkStrangers(t, ada)
	stream := c.watch(t, ada)
	testkit.Must(t, c.cmd.Process.Signal(syscall.SIGTERM))
	c.mustEnd(t, waitPatience)
	_, err := io.Copy(io.Discard, stream.Body)
	testkit.Must(t, err)
	said := c.err.String()
	if strings.Contains(said, "calls are cut") || strings.Contains(said, c.link.Query().Get("token")) || !strings.Contains(said, "Ctrl-C") {
		t.Errorf("standard error has %q", said)
	}
}

// checkStrangers tries the door in ways that must not open it. ada is in.
func (c *opened) checkStrangers(t *testing.T, ada *http.Client) {
	t.Helper()
	for _, address := range []string{c.link.String(), "/", "/events", "/a/alice/files/x"} {
		status, page := c.visit(t, browser(t), address, "")
		if strings.Contains(page, "decisions") || strings.Contains(page, "Sign out") || status == 200 && !strings.Contains(page, "lets one browser in, once") {
			t.Errorf("%s for a second browser: %d\n%s", address, status, page)
		}
	}
	if status, page := c.visit(t, ada, "/", "evil.example"); c.link.Hostname() != "127.0.0.1" || status != http.StatusForbidden || strings.Contains(page, "alice") {
		t.Errorf("the console is at %s, and as evil.example: %d\n%s", c.link.Hostname(), status, page)
	}
}

// The console ends by itself when nobody is there. An open page is somebody.
func TestConsoleIdle(t *testing.T) {
	testkit.SkipUnlessLong(t) // it waits
	t.Parallel()
	const idle = 3 * time.Second // a busy machine opens the page within it
	c := openConsole(t, nil, "--db", filepath.Join(t.TempDir(), "a.db"), "--idle", idle.String(), "--json")
	if c.link.Path != "/signin" {
		t.Errorf("--json printed the link %s", c.link)
	}
	ada := browser(t)
	c.visit(t, ada, c.link.String(), "")
	stream := c.watch(t, ada)
	select {
	case err := <-c.done:
		t.Fatalf("with an open page the console ended: %v", err)
	case <-time.After(idle + time.Second):
	}
	stream.Body.Close()
	c.mustEnd(t, waitPatience)
	if said := c.err.String(); !strings.Contains(said, "nobody was there for "+idle.String()) {
		t.Errorf("it said %q", said)
	}
}

// What the console refuses, with the way out.
func TestConsoleRefuses(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		"--addr 0.0.0.0:0":          "scratchpad serve --addr 0.0.0.0:0",
		"--addr nonsense":           "--addr",
		"--db mem:":                 "name a file with --db",
		"--agent a/b":               "--agent",
		"--idle -1s":                "--idle",
		"--db=none/at/all/agent.db": "none/at/all",
	} {
		o := runHere(dir, without("SCRATCHPAD_"), nil, "", append([]string{"console"}, strings.Fields(args)...))
		if o.code != failure.ExitUsage && o.code != failure.ExitDatabase && o.code != failure.ExitNotFound || !strings.Contains(o.err, want) || o.out != "" {
			t.Errorf("%s: exit code %d, %q, %q; want a refusal with %q", args, o.code, o.out, o.err, want)
		}
	}
}

// pages is a browser without a window that finds a server by any name.
func (r *running) pages(t *testing.T) *http.Client {
	t.Helper()
	at, err := url.Parse(r.url)
	testkit.Must(t, err)
	jar, err := cookiejar.New(nil)
	testkit.Must(t, err)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", at.Host)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Jar: jar}
}

// read returns the text of an answer.
func read(t *testing.T, res *http.Response, err error) string {
	t.Helper()
	testkit.Must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	return string(text)
}

// Without TLS, the page for signing in by another name than localhost says that a key would
// travel in clear text. It has no field for a key, and takes none.
func TestConsoleInClearText(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "team.db")
	_, key := newKey(t, db, "local", auth.Read, "*")
	r := serve(t, "--db", db, "--host", "memory.example.com")
	web := r.pages(t)
	for origin, clear := range map[string]bool{"http://memory.example.com": true, "http://localhost:4321": false} {
		res, err := web.Get(origin + "/signin")
		if page := read(t, res, err); strings.Contains(page, "clear text") != clear || strings.Contains(page, `name="key"`) == clear {
			t.Errorf("%s: the page for signing in is\n%s", origin, page)
		}
	}
	res, err := web.PostForm("http://memory.example.com/signin", url.Values{"key": {key}})
	if page := read(t, res, err); res.StatusCode != http.StatusForbidden || !strings.Contains(page, "clear text") {
		t.Errorf("a key in clear text: %d\n%s", res.StatusCode, page)
	}
}

// Where nobody needs a key, the console needs none either, but for what a proxy has passed
// on. The configuration to paste has the address that the browser has.
func TestConsoleWithoutKey(t *testing.T) {
	t.Parallel()
	r := serve(t, "--no-auth", "--db", "mem:")
	for _, c := range []struct {
		header string
		open   bool
	}{{"", true}, {"X-Forwarded-For: 127.0.0.1", false}, {"Forwarded: for=127.0.0.1", false}, {"Via: 1.1 proxy", false}} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", r.url+"/", nil)
		testkit.Must(t, err)
		request.Header.Set("Accept", "text/html")
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			request.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(request)
		page := read(t, res, err)
		if open := strings.Contains(page, "scratchpad "+r.url+"/mcp\n") && !strings.Contains(page, keyVariable); open != c.open || !open && !strings.Contains(page, "<h1>Sign in</h1>") {
			t.Errorf("with %q somebody gets\n%s", c.header, page)
		}
	}
}

func TestServerURL(t *testing.T) {
	for metadata, want := range map[string]string{
		"": "http://127.0.0.1:8080",
		"https://memory.example.com/.well-known/oauth-protected-resource/mcp": "https://memory.example.com",
	} {
		if got := serverURL(metadata, "http://127.0.0.1:8080/"); got != want {
			t.Errorf("%q: %q, want %q", metadata, got, want)
		}
	}
}

// The key stands where a client reads it, and nowhere else.
func TestRemoteConfigs(t *testing.T) {
	const key = "sp_k1234567_secret"
	for name, c := range map[string]struct {
		wantsKey bool
		key      string
		clients  int
		withKey  []string
	}{
		"a new key":  {true, key, 10, []string{"The key", "Zed", "Cline"}},
		"an old key": {true, "", 9, nil},
		"no key":     {false, "", 9, nil},
	} {
		all := remoteConfigs("https://memory.example.com/mcp", c.wantsKey, c.key)
		var withKey []string
		for _, a := range all {
			if strings.Contains(a.Text+a.Where, key) {
				withKey = append(withKey, a.Client)
			}
			if a.Client == "" || a.Where == "" || a.Text == "" || a.Client != "The key" && !strings.Contains(a.Text, "https://memory.example.com/mcp") {
				t.Errorf("%s: %+v", name, a)
			}
			if needs := strings.Contains(a.Text, "SCRATCHPAD_API_KEY") || strings.Contains(a.Text, "Bearer"); needs != c.wantsKey {
				t.Errorf("%s: %s has %q", name, a.Client, a.Text)
			}
		}
		if len(all) != c.clients || strings.Join(withKey, ",") != strings.Join(c.withKey, ",") {
			t.Errorf("%s: %d configurations, and %v have the key", name, len(all), withKey)
		}
	}
	const program = "/opt/it's/scratchpad"
	for _, a := range localConfigs(clientconfig.Server{Command: program, Args: []string{"mcp", "--agent", "a"}}) {
		if a.Where == "" || !strings.Contains(a.Text, "scratchpad") || a.Client == "Claude Code" && a.Text != "claude mcp add scratchpad -- "+native.Quote(program)+" mcp --agent a\n" {
			t.Errorf("%+v", a)
		}
	}
}
