package process

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Caddy runs Caddy with a configuration of deploy, for a server of the name host. It returns
// the address of the proxy on loopback, and the root of the certificate that it has made.
// The variables are those of the configuration.
func Caddy(t testing.TB, file, host string, variables ...string) (address string, roots *x509.CertPool) {
	t.Helper()
	caddy, err := exec.LookPath("caddy")
	if err != nil {
		t.Fatal("caddy is missing; install it (Debian: apt-get install -y caddy), and run this again")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	address = FreeAddress(t)
	_, secure, _ := net.SplitHostPort(address)
	options := "admin off\n\tlocal_certs\n\tauto_https disable_redirects\n\thttps_port " + secure +
		"\n\tskip_install_trust"
	config := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(config, []byte(strings.Replace(string(text), "admin off", options, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(caddy, "run", "--config", config, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "SCRATCHPAD_HOST="+host)
	cmd.Env = append(cmd.Env, variables...)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		roots = x509.NewCertPool()
		if authority, err := os.ReadFile(filepath.Join(dir, "caddy", "pki", "authorities", "local",
			"root.crt")); err == nil && roots.AppendCertsFromPEM(authority) {
			web := Behind(address, roots)
			res, err := web.Get("https://" + host + "/healthz")
			web.CloseIdleConnections()
			if err == nil {
				res.Body.Close()
				return address, roots
			}
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the proxy does not answer")
		}
	}
}

// Behind returns a client that finds every host at the address of a proxy.
func Behind(address string, roots *x509.CertPool) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
	}}
}
