package oauth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/server/oauth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const audience = "https://memory.example.com/mcp"

type m map[string]any

// A signer is a private key of an issuer. It signs without the library that the server
// checks signatures with.
type signer struct {
	kid, alg string
	key      crypto.Signer
}

func newSigner(t testing.TB, kid, alg string) signer {
	t.Helper()
	var key crypto.Signer
	var err error
	switch alg {
	case "RS256":
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	case "ES256":
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ES384":
		key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "EdDSA":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	}
	testkit.Must(t, err)
	return signer{kid, alg, key}
}

// A sizedKey is a public RSA key of any size, without the private one.
type sizedKey struct{ n *big.Int }

func (k sizedKey) Public() crypto.PublicKey { return &rsa.PublicKey{N: k.n, E: 65537} }

func (k sizedKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return []byte("wrong"), nil
}

// jwk returns the public key as it stands in a key set.
func (s signer) jwk() m {
	b64 := base64.RawURLEncoding.EncodeToString
	var k m
	switch p := s.key.Public().(type) {
	case *rsa.PublicKey:
		k = m{"kty": "RSA", "n": b64(p.N.Bytes()), "e": "AQAB"}
	case *ecdsa.PublicKey:
		point, err := p.Bytes() // 4, x, y
		if err != nil {
			panic(err)
		}
		size := len(point) / 2
		k = m{"kty": "EC", "crv": p.Curve.Params().Name, "x": b64(point[1 : 1+size]), "y": b64(point[1+size:])}
	case ed25519.PublicKey:
		k = m{"kty": "OKP", "crv": "Ed25519", "x": b64(p)}
	}
	k["use"] = "sig"
	if s.kid != "" {
		k["kid"] = s.kid
	}
	return k
}

// token signs claims, with the header that the signer's algorithm and kid make.
func (s signer) token(t testing.TB, claims any) string {
	t.Helper()
	header := m{"alg": s.alg, "typ": "at+jwt"}
	if s.kid != "" {
		header["kid"] = s.kid
	}
	return s.sign(t, header, claims)
}

// sign signs a header and claims: texts as they are, everything else as JSON.
func (s signer) sign(t testing.TB, header, claims any) string {
	t.Helper()
	input := encode(t, header) + "." + encode(t, claims)
	digest := []byte(input)
	opts := crypto.SignerOpts(crypto.Hash(0))
	if s.alg != "EdDSA" {
		sum := sha256.Sum256(digest)
		digest, opts = sum[:], crypto.SHA256
	}
	var signature []byte
	if key, ok := s.key.(*ecdsa.PrivateKey); ok {
		r, v, err2 := ecdsa.Sign(rand.Reader, key, digest)
		testkit.Must(t, err2)
		size := (key.Curve.Params().BitSize + 7) / 8
		signature = append(r.FillBytes(make([]byte, size)), v.FillBytes(make([]byte, size))...)
	} else {
		signature = must(s.key.Sign(rand.Reader, digest, opts))(t)
	}
	return input + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func encode(t testing.TB, v any) string {
	t.Helper()
	text, ok := v.(string)
	if !ok {
		b := must(json.Marshal(v))(t)
		text = string(b)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// An issuer publishes keys on loopback.
type issuer struct {
	*httptest.Server
	clock *testkit.Clock

	mu     sync.Mutex // guards what follows
	keys   []m
	asked  int               // for the keys
	answer http.HandlerFunc  // for the keys; nil: the key set
	meta   map[string]string // JSON by path
}

func newIssuer(t testing.TB, signers ...signer) *issuer {
	t.Helper()
	i := &issuer{clock: testkit.NewClock()}
	i.publish(signers...)
	i.Server = httptest.NewServer(i)
	i.meta = map[string]string{"/.well-known/openid-configuration": `{"issuer":"` + i.URL + `","jwks_uri":"` + i.URL + `/keys"}`}
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	meta, found := i.meta[r.URL.Path]
	keys, answer := i.keys, i.answer
	if r.URL.Path == "/keys" {
		i.asked++
	}
	i.mu.Unlock()
	switch {
	case r.URL.Path == "/keys" && answer != nil:
		answer(w, r)
	case r.URL.Path == "/keys":
		_ = json.NewEncoder(w).Encode(m{"keys": keys})
	case found:
		_, _ = io.WriteString(w, meta)
	default:
		http.NotFound(w, r)
	}
}

func (i *issuer) publish(signers ...signer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = []m{}
	for _, s := range signers {
		i.keys = append(i.keys, s.jwk())
	}
}

func (i *issuer) spoil(answer http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answer = answer
}

func (i *issuer) fetches() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

// server returns a Server for the issuer, with its clock.
func (i *issuer) server(t testing.TB, edit func(*oauth.Options)) *oauth.Server {
	t.Helper()
	o := oauth.Options{Issuer: i.URL, Audience: audience, Now: i.clock.Now, Logger: slog.New(slog.DiscardHandler)}
	if edit != nil {
		edit(&o)
	}
	s := must(oauth.New(o))(t)
	t.Cleanup(s.Close)
	return s
}

// trusting returns a signer, its issuer and a Server for the issuer.
func trusting(t testing.TB) (signer, *issuer, *oauth.Server) {
	t.Helper()
	key := newSigner(t, "k1", "EdDSA")
	i := newIssuer(t, key)
	return key, i, i.server(t, nil)
}

// claims returns claims that are good for 10 minutes.
func (i *issuer) claims(changes m) m {
	now := i.clock.Now().Unix()
	c := m{"iss": i.URL, "aud": audience, "sub": "alice", "iat": now, "exp": now + 600, "tenant": "acme", "agents": []string{"planner", "team-a-*"}, "scope": "openid read write"}
	for name, v := range changes {
		c[name] = v
		if v == nil {
			delete(c, name)
		}
	}
	return c
}

func fails(t *testing.T, what string, s *oauth.Server, token string, want error) {
	t.Helper()
	c, err := s.Verify(context.Background(), token)
	if !errors.Is(err, want) || c.ID != "" {
		t.Errorf("%s: Verify() = %+v, %v, want %v", what, c, err, want)
	}
}

func passes(t *testing.T, what string, s *oauth.Server, token string) {
	t.Helper()
	if c, err := s.Verify(context.Background(), token); err != nil || c.ID == "" {
		t.Errorf("%s: Verify() = %+v, %v, want a caller", what, c, err)
	}
}

func newServer(t *testing.T, o oauth.Options) *oauth.Server {
	t.Helper()
	o.Issuer = "https://login.example.com/t"
	s := must(oauth.New(o))(t)
	t.Cleanup(s.Close)
	return s
}

func TestMetadata(t *testing.T) {
	s := newServer(t, oauth.Options{Audience: audience})
	if got, want := s.MetadataURL(), "https://memory.example.com/.well-known/oauth-protected-resource/mcp"; got != want {
		t.Errorf("MetadataURL() = %q, want %q", got, want)
	}
	w := httptest.NewRecorder()
	s.Metadata().ServeHTTP(w, httptest.NewRequest("GET", s.MetadataURL(), nil))
	var got oauthex.ProtectedResourceMetadata
	testkit.Must(t, json.Unmarshal(w.Body.Bytes(), &got))
	want := oauthex.ProtectedResourceMetadata{
		Resource: audience, AuthorizationServers: []string{"https://login.example.com/t"},
		ScopesSupported: []string{"read", "write"}, BearerMethodsSupported: []string{"header"}, ResourceName: "Scratchpad",
	}
	if diff := cmp.Diff(want, got); diff != "" || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("metadata (-want +got):\n%s\nheaders %v", diff, w.Header())
	}
	for method, want := range map[string]int{"HEAD": 200, "OPTIONS": 204} {
		w := httptest.NewRecorder()
		s.Metadata().ServeHTTP(w, httptest.NewRequest(method, s.MetadataURL(), nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", method, w.Code, want)
		}
	}
}

// An audience that is a name leads no client here.
func TestNoMetadata(t *testing.T) {
	s := newServer(t, oauth.Options{Audience: "scratchpad"})
	w := httptest.NewRecorder()
	s.Metadata().ServeHTTP(w, httptest.NewRequest("GET", "/.well-known/oauth-protected-resource", nil))
	if got := s.MetadataURL(); got != "" || w.Code != http.StatusNotFound {
		t.Errorf("MetadataURL() = %q and %d, want none and 404", got, w.Code)
	}
	s = newServer(t, oauth.Options{Audience: "scratchpad", Resource: "http://127.0.0.1:4321/"})
	if got, want := s.MetadataURL(), "http://127.0.0.1:4321/.well-known/oauth-protected-resource"; got != want {
		t.Errorf("MetadataURL() = %q, want %q", got, want)
	}
}

// must returns a value, or ends the test with the error.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		testkit.Must(t, err)
		return value
	}
}
