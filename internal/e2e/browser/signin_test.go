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

// checkSigningIn signs in with a wrong key, with a good one by keys alone, and signs out.
func checkSigningIn(t *testing.T, origin, key string, v view) {
	t.Helper()
	p := open(t, origin, v)
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
	if got := p.where(); got != "/?order=size" {
		t.Errorf("after signing in the page is %s, want the one that was asked for", got)
	}

	second := p.another()
	second.visit("/")
	second.find("heading", "Agents")
	stranger := open(t, origin, v)
	stranger.visit("/")
	stranger.find("heading", "Sign in")

	p.follow("button", "Sign out")
	p.find("heading", "Sign in")
	if v.noScript {
		second.reload()
	}
	second.find("heading", "Sign in") // by itself, with JavaScript
}

// A person signs in with a key and out again, with and without JavaScript.
func TestSigningIn(t *testing.T) {
	for _, v := range []view{{}, {width: 360, dark: true, noScript: true}} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			checkSigningIn(t, s.origin, s.newKey("read,write,admin"), v)
			p := signIn(t, s.origin, s.newKey("read,write,admin"), v)
			p.see("No agent has stored anything yet")
			p.review("agents-empty")
		})
	}
}

// foreignName is a name that the browser finds at this machine.
const foreignName = "memory.example.com"

// A person signs in over the server's own TLS, by a foreign name and by localhost, makes a
// key, and is told the address with https. The browser keeps the cookie for https alone.
func TestOwnTLS(t *testing.T) {
	s := &server{t: t, db: filepath.Join(t.TempDir(), "team.db")}
	key := s.newKey("read,admin")
	_, cert, secret := process.WriteTLS(t, t.TempDir())
	started := process.Start(t, program(t), "--tls-cert", cert, "--tls-key", secret, "--db", s.db, "--host", foreignName)
	at := strings.TrimSuffix(started.URL, "/mcp") // https://127.0.0.1:PORT
	for _, name := range []string{foreignName, "localhost"} {
		t.Run(name, func(t *testing.T) {
			origin := strings.Replace(at, "127.0.0.1", name, 1)
			p := open(t, origin, view{})
			call(p, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
			p.visit("/")
			p.fill("textbox", "API key", key)
			p.follow("button", "Sign in")
			p.find("heading", "Agents")
			if got := evaluate[bool](p, "window.isSecureContext"); !got {
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
		})
	}
}
