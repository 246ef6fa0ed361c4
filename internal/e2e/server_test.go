package e2e

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// A target is a server that one client talks to, over stdio or over HTTP.
type target struct {
	command []string // stdio: starts the binary, with a witness before it
	url     string   // HTTP
	key     string   // HTTP: "" if the server wants none

	dir  string    // stdio: the folder that the witness writes to
	http *recorder // HTTP: the witness
}

// headers returns those of every HTTP request.
func (g *target) headers() map[string]string {
	if g.key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + g.key}
}

// overStdio returns the real binary on a new database.
func overStdio(t *testing.T) *target {
	t.Helper()
	self, err := os.Executable()
	testkit.Must(t, err)
	dir := t.TempDir()
	return &target{
		dir:     dir,
		command: []string{self, recordArgument, dir, scratchpadPath, "mcp", "--db", filepath.Join(dir, "test.db"), "--summarizer", "outline"},
	}
}

// overHTTP starts the real binary on loopback, on a new database, with a witness before it.
func overHTTP(t *testing.T) *target {
	t.Helper()
	at, err := url.Parse(process.Serve(t, scratchpadPath, "--db", filepath.Join(t.TempDir(), "test.db"),
		"--no-auth", "--rate", "0", "--rate-agent", "0", "--summarizer", "outline", "--max-read-tokens", "0"))
	testkit.Must(t, err)
	witness := &recorder{next: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: at.Scheme, Host: at.Host}) }}}
	server := httptest.NewServer(witness)
	t.Cleanup(server.Close)
	return &target{url: server.URL + "/mcp", http: witness}
}

// check checks what passed between the client and the server, after the client has
// closed: that they spoke this version of the protocol only, and that each process ended
// with exit code 0.
func (g *target) check(t *testing.T, version string) {
	t.Helper()
	var messages []message
	if g.http != nil {
		messages = g.http.seen()
		for _, m := range messages {
			if sessions := version < stateless; sessions != (m.session != "") {
				t.Errorf("session %q in version %s: %.100q", m.session, version, m.text)
				break
			}
		}
	} else {
		var exits []exit
		messages, exits = processes(t, g.dir)
		for _, e := range exits {
			if e != (exit{}) {
				t.Errorf("the server ended with %+v, want exit code 0 at the end of its input", e)
			}
		}
	}
	if got := spoken(t, messages); len(got) != 1 || got[0] != version {
		t.Errorf("tools were called in versions %q of the protocol, want %q alone", got, version)
	}
}
