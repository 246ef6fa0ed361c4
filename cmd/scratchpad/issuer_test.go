package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

const testAudience = "https://memory.example.com/mcp"

// An issuer signs access tokens, and shows its public key on a loopback address.
type issuer struct {
	url string
	key ed25519.PrivateKey
}

func newIssuer(t testing.TB) *issuer {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	testkit.Must(t, err)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig","kid":"k","x":%q}]}`, base64.RawURLEncoding.EncodeToString(public))
	}))
	t.Cleanup(h.Close)
	return &issuer{h.URL, private}
}

// flags are those of a server that accepts the issuer's tokens.
func (i *issuer) flags() []string {
	return []string{"--oauth-issuer", i.url, "--oauth-audience", testAudience, "--oauth-jwks-url", i.url + "/jwks"}
}

// token returns a token for agents of a tenant.
func (i *issuer) token(t testing.TB, tenant, subject, scope string, agents ...string) string {
	t.Helper()
	return i.sign(t, map[string]any{
		"iss": i.url, "aud": testAudience, "sub": subject, "exp": time.Now().Add(time.Hour).Unix(), "tenant": tenant, "agents": agents, "scope": scope,
	})
}

// sign returns a token with some claims.
func (i *issuer) sign(t testing.TB, claims map[string]any) string {
	t.Helper()
	part := func(v any) string {
		b, err := json.Marshal(v)
		testkit.Must(t, err)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	body := part(map[string]string{"alg": "EdDSA", "kid": "k", "typ": "at+jwt"}) + "." + part(claims)
	return body + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(i.key, []byte(body)))
}

// mixed returns texts that are no tokens: with the claims of one and the signature of
// another, unsigned, or cut.
func mixed(mine, theirs string) []string {
	m, v := strings.Split(mine, "."), strings.Split(theirs, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	return []string{m[0] + "." + v[1] + "." + m[2], none + "." + v[1] + ".", v[0] + "." + v[1], v[0] + "." + v[1] + "."}
}
