package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// readyServer answers /readyz with a status. It knows no name but localhost, as a server
// on a loopback address.
func readyServer(t *testing.T, status int, text string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "localhost" {
			t.Errorf("healthcheck asks for the host %s", r.Host)
		}
		if status == http.StatusFound {
			w.Header().Set("Location", "/healthz")
		}
		w.WriteHeader(status)
		fmt.Fprintln(w, text)
	})
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// Only a server that says that it is ready is healthy.
func TestHealthcheck(t *testing.T) {
	dir := t.TempDir()
	check := func(variables []string, args ...string) outcome {
		return runCommand(t, dir, append(variables, "HTTP_PROXY=http://127.0.0.1:1"), append([]string{"healthcheck"}, args...)...)
	}
	ready := strings.TrimPrefix(readyServer(t, 200, "{}").URL, "http://")
	_, port, err := net.SplitHostPort(ready)
	testkit.Must(t, err)
	check(nil, "--addr", ready).must(t, 0, "ready: http://"+ready+"/readyz")
	check(nil, "--addr", ready, "--json").must(t, 0, `{"ready":true,"url":"http://`+ready+`/readyz"}`)
	check([]string{"PORT=" + port}).must(t, 0, "ready")
	check(nil, "--addr", ":"+port).must(t, 0, "ready")
	stopping := strings.TrimPrefix(readyServer(t, 503, "{\"reason\":\"it is stopping\x1b[2J\"}").URL, "http://")
	o := check(nil, "--addr", stopping)
	if o.must(t, 1, "503", "it is stopping"); strings.Contains(o.err, "\x1b") {
		t.Errorf("%q drives the terminal", o.err)
	}
	check(nil, "--addr", strings.TrimPrefix(readyServer(t, 302, "").URL, "http://")).must(t, 1, "302")
	check(nil, "--addr", "127.0.0.1:1", "--json").must(t, 1, `"kind":"not_ready"`)
	o = check(nil, "--addr", "127.0.0.1:1")
	if o.must(t, 1, "start one with scratchpad serve", "--addr"); strings.Count(o.err, "127.0.0.1") != 1 || strings.Contains(o.err, "dial") {
		t.Errorf("the address is in %q more than once", o.err)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	defer silent.Close()
	check(nil, "--addr", silent.Addr().String(), "--timeout", "50ms").must(t, 1, "does not answer within 50ms")
}

// A server with TLS is known by its certificate, whatever name that is for.
func TestHealthcheckTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	s.StartTLS()
	defer s.Close()
	dir := t.TempDir()
	file, other := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "other.pem")
	writeFile(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	writeFile(t, other, otherCertificate(t))
	addr := s.Listener.Addr().String()
	run := func(args ...string) outcome {
		return runCommand(t, dir, nil, append([]string{"healthcheck", "--addr", addr}, args...)...)
	}
	run("--tls-cert", file).must(t, 0, "ready: https://")
	run("--tls-cert", other).must(t, 1, "another certificate")
	run("--tls-cert", filepath.Join(dir, "none")).must(t, 2, "none")
	run().must(t, 1, "uses TLS; give its certificate with --tls-cert")
}

// otherCertificate returns the PEM of a certificate that no server has.
func otherCertificate(t *testing.T) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	testkit.Must(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	raw, err := x509.CreateCertificate(rand.Reader, &template, &template, public, private)
	testkit.Must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
}
