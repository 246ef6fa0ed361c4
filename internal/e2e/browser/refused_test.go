package browser

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A person who is signed in opens the page of somebody else, on another port of the same
// machine, so that the browser sends the cookie along. It cannot send a change, show the
// console in a frame, or read a page.
func TestAnotherSiteCanDoNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.write("claude-code", "planner", "plan.txt", "the plan\n")
	p := signIn(t, s.origin, s.newKey("read,write,admin", "--name", "Ada"), view{})
	const at = "/a/planner/files/plan.txt"
	p.visit(at + "?view=delete")
	token := evaluate[string](p, "document.querySelector('[name=token]').value")

	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		case "/frame":
			fmt.Fprint(w, document(`<iframe title="x" src="`+s.origin+at+`"></iframe>`))
		default:
			// The worst case: the other site knows the token.
			fmt.Fprint(w, document(`<form method=post action="`+s.origin+at+`"><input type=hidden name=do value=delete><input type=hidden name=version value=1><input type=hidden name=token value="`+token+`"><button>Win</button></form>`))
		}
	}))
	t.Cleanup(other.Close)
	evil := newTab(t, p.ctx, other.URL, view{})
	evil.visit("/")
	evil.expect("foreign request: " + s.origin)
	evil.expect("status: 403")
	evil.follow("button", "Win")
	evil.see("Another site has sent this request. Nothing was done.")

	evil.expect("CSP: frame-ancestors")
	evil.expect("browser: error: ")
	evil.expect("failed: net::ERR_")
	evil.visit("/frame")
	evil.met("CSP: frame-ancestors")
	evil.met("failed: net::ERR_")
	evil.visit("/")
	evil.expect("browser: error: Access to fetch")
	if got := evaluate[string](evil, "fetch('"+s.origin+at+"', {credentials: 'include'}).then(a => a.text(), e => 'refused')"); got != "refused" {
		t.Errorf("another site reads %.100q", got)
	}
	if got := s.run("files", "cat", "plan.txt", "--agent", "planner"); got != "the plan\n" {
		t.Errorf("after all that the file is %q", got)
	}
	p.follow("button", "Delete plan.txt") // the person may
	p.find("heading", "planner")
}

// A form that was opened before somebody signed out changes nothing, and what was typed is
// not lost. A session ends with its key, at every server, within a second.
func TestSessionEndsWithItsKey(t *testing.T) {
	t.Parallel()
	servers := startServers(t, 2, filepath.Join(t.TempDir(), "team.db"))
	s := servers[0]
	s.write("claude-code", "planner", "plan.txt", "the plan\n")
	key := s.newKey("read,write", "--name", "Ada")
	p := signIn(t, s.origin, key, view{})
	p.visit("/a/planner/files/plan.txt?view=edit")
	p.fill("textbox", "Text", "the plan of Ada\n")
	second := p.another()
	second.visit("/")
	second.follow("button", "Sign out")
	p.see("You are signed out. Copy your text")
	second.fill("textbox", "API key", key)
	second.follow("button", "Sign in")
	second.find("heading", "Agents")
	p.expect("status: 403")
	p.follow("button", "Save")
	p.see("Your text was not saved. Copy it")
	if got := p.find("textbox", "Your text was not saved").value(); got != "the plan of Ada\n" {
		t.Errorf("after a stale token the text is %q", got)
	}
	p.review("stale")
	if got := s.run("files", "cat", "plan.txt", "--agent", "planner"); got != "the plan\n" {
		t.Errorf("with a stale token the file became %q", got)
	}

	far := signIn(t, servers[1].origin, key, view{})
	far.visit("/a/planner")
	second.visit("/a/planner/files/plan.txt")
	far.see("Live")
	second.see("Live")
	s.run("keys", "revoke", keyID(key))
	second.find("heading", "Sign in")
	far.find("heading", "Sign in")
	far.fill("textbox", "API key", key)
	far.expect("status: 403")
	far.follow("button", "Sign in")
	far.see("This key is wrong, has expired or was revoked.")
}

// keyID returns the id of a key, which its text begins with.
func keyID(key string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(key, "sp_"), "_")
	return id
}

// The link of scratchpad console lets one browser in. Whoever has it after that gets
// nothing.
func TestLinkOfConsoleWorksOnce(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "own.db")
	cmd := exec.Command(program(t), "console", "--no-open", "--db", db)
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = t.Output()
	must(t, cmd.Start())
	done := make(chan error, 1)
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	go func() { done <- cmd.Wait() }()
	link := strings.TrimSpace(line)
	origin, _, found := strings.Cut(link, "/signin?token=")
	if !found {
		t.Fatalf("the command printed %q, want a link", line)
	}

	p := open(t, origin, view{})
	p.visit(link)
	p.find("heading", "Agents")
	p.see("No agent has stored anything yet")
	if got := p.where(); strings.Contains(got, "token") {
		t.Errorf("the token is still in the address: %s", got)
	}
	p.review("console-empty")
	thief := open(t, origin, view{})
	thief.expect("status: 403")
	thief.visit(link)
	thief.none("heading", "Agents")
	thief.review("link-used")
	thief.visit("/")
	thief.none("heading", "Agents")

	s := &server{t: t, db: db}
	s.run("files", "write", "plan.txt", filepath.Join(module, "LICENSE"), "--agent", "planner")
	p.see("planner") // live from another process
	p.follow("link", "Keys")
	p.see("There is no key yet")
	p.review("keys-empty")
	p.visit("/")
	p.see("Live")
	p.expect("failed: net::ERR_")
	must(t, cmd.Process.Signal(syscall.SIGINT))
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("after Ctrl-C the command ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("after Ctrl-C the command does not end")
	}
	p.see("Connection lost")
	p.met("failed: net::ERR_")
}
