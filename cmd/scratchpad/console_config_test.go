package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

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
	at, err := clientconfig.ParseURL("https://memory.example.com")
	testkit.Must(t, err)
	const key = "sp_k1234567_secret"
	for name, c := range map[string]struct {
		wantsKey bool
		key      string
		clients  int
		withKey  []string
	}{
		"a new key":  {true, key, 11, []string{"The key", "Claude Desktop", "Zed", "Cline"}},
		"an old key": {true, "", 10, nil},
		"no key":     {false, "", 10, nil},
	} {
		all := remoteConfigs(at, c.wantsKey, c.key)
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
