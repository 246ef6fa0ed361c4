package browser

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/security"

	"github.com/agent-scratchpad/scratchpad/internal/e2e/process"
)

// foreignName is a name that the browser finds at this machine.
const foreignName = "memory.example.com"

// writeTLS writes a certificate and its key, and returns the flags that name them.
func writeTLS(t *testing.T) []string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.StartTLS()
	defer s.Close()
	dir, pair := t.TempDir(), s.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	must(t, err)
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return []string{"--tls-cert", cert, "--tls-key", key}
}

// A person signs in over the server's own TLS, by a foreign name and by localhost, makes a
// key, and is told the address with https. The browser keeps the cookie for https alone.
func TestOwnTLS(t *testing.T) {
	s := &server{t: t, db: filepath.Join(t.TempDir(), "team.db")}
	key := s.newKey("read,admin")
	started := process.Start(t, program(t), append(writeTLS(t), "--db", s.db, "--host", foreignName)...)
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
