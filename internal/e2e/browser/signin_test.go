package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/security"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

// signIn opens the console and signs in with a key.
func signIn(t testing.TB, origin, key string, v view) *tab {
	t.Helper()
	p := open(t, origin, v)
	p.visit("/")
	p.fill("textbox", "API key", key)
	p.follow("button", "Sign in")
	p.find("heading", "Agents")
	return p
}

// A person signs in with a wrong key, with a good one by keys alone, and signs out.
func TestSigningIn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	key := s.newKey("read,write,admin")
	p := open(t, s.origin, view{})
	p.visit("/?order=size")
	p.see("Sign in")
	p.none("link", "Agents")
	p.review("signin")
	p.fill("textbox", "API key", "sp_wrong")
	p.expect("status: 403")
	p.follow("button", "Sign in")
	p.see("This key is wrong, has expired or was revoked.")
	p.review("signin-refused")
	p.tabTo("textbox", "API key")
	p.write(key)
	p.enter()
	p.find("heading", "Agents")
	p.see("No agent has stored anything yet")
	p.review("agents-empty")
	if got := p.where(); got != "/?order=size" {
		t.Errorf("after signing in the page is %s, want the one that was asked for", got)
	}

	second := p.another()
	second.visit("/")
	second.find("heading", "Agents")
	stranger := open(t, s.origin, view{})
	stranger.visit("/")
	stranger.find("heading", "Sign in")

	p.follow("button", "Sign out")
	p.find("heading", "Sign in")
	second.find("heading", "Sign in") // by itself
}

// foreignName is a name that the browser finds at this machine.
const foreignName = "memory.example.com"

// A person signs in over the server's own TLS, by a foreign name, makes a key, and is told the
// address with https. The browser keeps the cookie for https alone.
func TestOwnTLS(t *testing.T) {
	t.Parallel()
	s := &server{t: t, db: filepath.Join(t.TempDir(), "team.db")}
	key := s.newKey("read,admin")
	_, cert, secret := process.WriteTLS(t, t.TempDir())
	at := process.Serve(t, program(t), "--tls-cert", cert, "--tls-key", secret, "--db", s.db, "--host", foreignName)
	origin := strings.Replace(strings.TrimSuffix(at, "/mcp"), "127.0.0.1", foreignName, 1)
	p := open(t, origin, view{})
	call(p, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
	p.visit("/")
	p.fill("textbox", "API key", key)
	p.follow("button", "Sign in")
	p.find("heading", "Agents")
	if !evaluate[bool](p, "window.isSecureContext") {
		t.Error("the page is not secure")
	}
	p.follow("link", "Keys")
	p.fill("textbox", "Name", "laptop")
	p.fill("textbox", "Agents", "*")
	p.follow("button", "Create key")
	p.see(origin + "/mcp")
	cookies := call(p, network.GetCookies, network.GetCookiesParams{}).Cookies
	if len(cookies) != 1 || cookies[0].Name != "__Host-scratchpad" || !cookies[0].Secure || !cookies[0].HTTPOnly {
		t.Errorf("the cookies are %+v, want one __Host-scratchpad for https alone", cookies)
	}
}
