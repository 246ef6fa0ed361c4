package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/console"
)

func TestSignIn(t *testing.T) {
	svc := newService(t)
	all := people{"ada": everybody(svc)}
	b := open(t, console.Options{People: all, Version: "1.0"}, "")
	if _, page := b.get("/"); !strings.Contains(page, "<h1>Sign in</h1>") {
		t.Errorf("without a session:\n%s", page)
	}
	if status, page := b.post("/signin", url.Values{"key": {"eve"}}); status != http.StatusForbidden || !strings.Contains(page, "This key is wrong") {
		t.Errorf("a wrong key: %d\n%s", status, page)
	}
	if status, page := b.post("/signin", url.Values{"key": {"ada"}}); status != http.StatusOK || !strings.Contains(page, "<h1>Agents</h1>") {
		t.Errorf("a good key: %d\n%s", status, page)
	}
	if status, page := b.submit("/", "/signout", url.Values{}); status != http.StatusOK || !strings.Contains(page, "<h1>Sign in</h1>") {
		t.Errorf("sign out: %d\n%s", status, page)
	}
	if _, page := b.get("/"); !strings.Contains(page, "<h1>Sign in</h1>") {
		t.Errorf("after signing out:\n%s", page)
	}
}

// A form counts only with the token of the session that it was made for.
func TestFormToken(t *testing.T) {
	svc := newService(t)
	all := people{"ada": everybody(svc), "bob": everybody(svc)}
	ada := open(t, console.Options{People: all}, "ada")
	bob := visit(t, ada.url, "bob")
	_, page := bob.get("/")
	for _, token := range []string{"", "x", tokenOf(t, page)} {
		if status, _ := ada.post("/signout", url.Values{"token": {token}}); status != http.StatusForbidden {
			t.Errorf("with the token %q: %d, want 403", token, status)
		}
	}
}
