package httpserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// writePair writes a certificate with a name, and its key.
func writePair(t testing.TB, dir, name string) (cert, key string) {
	t.Helper()
	k := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k))(t)
	pk := must(x509.MarshalPKCS8PrivateKey(k))(t)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	testkit.Must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	testkit.Must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pk}), 0o600))
	return cert, key
}

// dialTLS connects with some versions of TLS.
func (s *served) dialTLS(o *tls.Config) (*client, *tls.Conn, error) {
	c := s.dial()
	o.InsecureSkipVerify = true // the name is looked at
	secure := tls.Client(c.Conn, o)
	err := secure.Handshake()
	c.Conn = secure
	c.in.Reset(secure)
	return c, secure, err
}

func (s *served) certificateName(t *testing.T) string {
	t.Helper()
	_, c, err := s.dialTLS(&tls.Config{})
	testkit.Must(t, err)
	return c.ConnectionState().PeerCertificates[0].Subject.CommonName
}

func secured(t *testing.T, dir string, log *testkit.Buffer) *served {
	t.Helper()
	cert, key := writePair(t, dir, "one")
	return serve(t, Options{TLSCert: cert, TLSKey: key, Logger: logTo(log)}, func(s *Server) {
		s.limits.reading = 2 * time.Millisecond
	})
}

// Calls go over TLS 1.2 and above, on one connection, before and after it was idle.
func TestTLS(t *testing.T) {
	var log testkit.Buffer
	s := secured(t, t.TempDir(), &log)
	c, conn, err := s.dialTLS(&tls.Config{NextProtos: []string{"h2", "http/1.1"}})
	testkit.Must(t, err)
	if p := conn.ConnectionState().NegotiatedProtocol; p != "http/1.1" {
		t.Errorf("the protocol is %q", p)
	}
	for range 2 {
		if a := c.send(appends()).read("POST"); !a.isAppended() {
			t.Fatal(a)
		}
	}
	if _, _, err := s.dialTLS(&tls.Config{MaxVersion: tls.VersionTLS12}); err != nil {
		t.Errorf("TLS 1.2: %v", err)
	}
	if _, _, err := s.dialTLS(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is accepted")
	}
	if a := s.ask("GET", "/healthz", ""); a.status != 400 || !strings.Contains(a.text, "HTTPS") {
		t.Errorf("without TLS: %v, want 400", a)
	}
}

// A new pair is taken. A broken one, or half of one, leaves the old one, and is logged once.
func TestTLSReload(t *testing.T) {
	dir := t.TempDir()
	var log testkit.Buffer
	s := secured(t, dir, &log)
	if name := s.certificateName(t); name != "one" {
		t.Fatalf("the certificate is %s", name)
	}
	other := t.TempDir()
	writePair(t, other, "two")
	move := func(name string) {
		testkit.Must(t, os.Rename(filepath.Join(other, name), filepath.Join(dir, name)))
	}
	move("cert.pem")
	eventually(t, "half of a pair is not logged", func() bool { return strings.Contains(log.String(), "stays in force") })
	time.Sleep(20 * time.Millisecond)
	if n := strings.Count(log.String(), "stays in force"); n != 1 {
		t.Errorf("a problem is logged %d times", n)
	}
	if name := s.certificateName(t); name != "one" {
		t.Errorf("with half of a pair, the certificate is %s", name)
	}
	move("key.pem")
	eventually(t, "the new pair is not taken", func() bool { return s.certificateName(t) == "two" })
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "cert.pem"), []byte("broken"), 0o600))
	eventually(t, "a broken file is not logged", func() bool { return strings.Count(log.String(), "stays in force") == 2 })
	testkit.Must(t, os.Remove(filepath.Join(dir, "cert.pem")))
	eventually(t, "a missing file is not logged", func() bool { return strings.Count(log.String(), "stays in force") == 3 })
	if name := s.certificateName(t); name != "two" {
		t.Errorf("with a broken pair, the certificate is %s", name)
	}
	writePair(t, dir, "three")
	eventually(t, "the third pair is not taken", func() bool { return s.certificateName(t) == "three" })
}

// New refuses files that are not a pair.
func TestTLSFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir, "one")
	for _, o := range []Options{{TLSCert: cert}, {TLSKey: key}, {TLSCert: key, TLSKey: cert}, {TLSCert: cert, TLSKey: filepath.Join(dir, "none")}} {
		o.MCP = who
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
