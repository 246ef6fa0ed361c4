package oauth_test

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/oauth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// New keys are found at once, although somebody has sent tokens of unknown keys, and although
// the last one was found a moment ago.
func TestNewKeysAtOnce(t *testing.T) {
	key, stranger := newSigner(t, "k0", "EdDSA"), newSigner(t, "x", "EdDSA")
	i := newIssuer(t, key)
	s := i.server(t, nil)
	passes(t, "the first key", s, key.token(t, i.claims(nil)))
	for n := range 3 {
		fails(t, "unknown kid", s, stranger.token(t, i.claims(nil)), auth.ErrNoGuess)
		key = newSigner(t, fmt.Sprint("k", n+1), "EdDSA")
		i.publish(key)
		passes(t, key.kid, s, key.token(t, i.claims(nil)))
		i.clock.Advance(20 * time.Second)
	}
}

// Unknown keys cost the issuer a request each 10 seconds, and a few more, however many tokens
// come.
func TestUnknownKeys(t *testing.T) {
	key, i, s := trusting(t)
	for n := range 200 {
		stranger := key
		stranger.kid = fmt.Sprint("x", n)
		fails(t, "unknown kid", s, stranger.token(t, i.claims(nil)), auth.ErrUnknown)
		i.clock.Advance(time.Second)
	}
	if got := i.fetches(); got < 20 || got > 26 {
		t.Errorf("the issuer was asked %d times in 200 s, want 20 and 6 more at most", got)
	}
}

// Many tokens at once share one request.
func TestOneFetchAtATime(t *testing.T) {
	key, i, s := trusting(t)
	token := key.token(t, i.claims(nil))
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { passes(t, "at the start", s, token) })
	}
	wg.Wait()
	if got := i.fetches(); got != 1 {
		t.Errorf("the issuer was asked %d times, want once", got)
	}
}

// A kid that two keys have names the one of the token's algorithm.
func TestKidOfTwoKeys(t *testing.T) {
	testkit.SkipInShort(t)
	rs, es, ed := newSigner(t, "k", "RS256"), newSigner(t, "k", "ES256"), newSigner(t, "k", "EdDSA")
	i := newIssuer(t, rs, es)
	s := i.server(t, nil)
	passes(t, "RS256", s, rs.token(t, i.claims(nil)))
	passes(t, "ES256", s, es.token(t, i.claims(nil)))
	fails(t, "EdDSA, which nobody has", s, ed.token(t, i.claims(nil)), auth.ErrUnknown)
}

func TestNoKid(t *testing.T) {
	testkit.SkipInShort(t)
	one, two, es := newSigner(t, "", "RS256"), newSigner(t, "k2", "RS256"), newSigner(t, "", "ES256")
	i := newIssuer(t, one, es)
	s := i.server(t, nil)
	passes(t, "the only RS256 key", s, one.token(t, i.claims(nil)))
	passes(t, "the only ES256 key", s, es.token(t, i.claims(nil)))
	i.publish(one, two)
	i.clock.Advance(time.Hour + time.Second)
	for range 20 { // the keys are in no order
		fails(t, "one of two keys", s, one.token(t, i.claims(nil)), auth.ErrUnknown)
	}
	passes(t, "the one that has a name", s, two.token(t, i.claims(nil)))
}

// The issuer's last keys are good for an hour. Then nobody knows.
func TestIssuerIsAway(t *testing.T) {
	key, next := newSigner(t, "k1", "EdDSA"), newSigner(t, "k2", "EdDSA")
	i := newIssuer(t, key)
	s := i.server(t, nil)
	verify := func(what string, want error) {
		t.Helper()
		if want == nil {
			passes(t, what, s, key.token(t, i.claims(nil)))
			return
		}
		fails(t, what, s, key.token(t, i.claims(nil)), want)
	}
	down := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"keys":[`+testJSON(t, key.jwk())+`]}`)
	}
	i.spoil(down)
	verify("500 from the start", auth.ErrUnavailable)
	i.spoil(nil)
	verify("back", nil)
	i.spoil(down)
	i.clock.Advance(time.Hour)
	verify("away for an hour", nil)
	fails(t, "unknown kid meanwhile", s, next.token(t, i.claims(nil)), auth.ErrUnknown)
	i.clock.Advance(time.Second)
	verify("away for more than an hour", auth.ErrUnavailable)
	i.spoil(nil)
	verify("back again", nil)
}

func TestBadKeySets(t *testing.T) {
	testkit.SkipInShort(t)
	key := newSigner(t, "k1", "RS256")
	good := testJSON(t, key.jwk())
	many := func(n int) string { return `{"keys":[` + strings.Repeat(`{"kty":"?"},`, n-1) + good + `]}` }
	edit := func(changes m) string {
		k := key.jwk()
		for name, v := range changes {
			k[name] = v
		}
		return `{"keys":[` + testJSON(t, k) + `]}`
	}
	for what, c := range map[string]struct {
		answer string
		want   error
	}{
		"no JSON":              {"<html>", auth.ErrUnavailable},
		"nothing":              {"", auth.ErrUnavailable},
		"no keys":              {`{}`, auth.ErrUnavailable},
		"huge":                 {`{"keys":[` + good + `]}` + strings.Repeat(" ", 1<<20), auth.ErrUnavailable},
		"deep":                 {strings.Repeat("[", 1<<19), auth.ErrUnavailable},
		"101 keys":             {many(101), auth.ErrUnavailable},
		"100 keys":             {many(100), nil},
		"an empty list":        {`{"keys":[]}`, auth.ErrUnknown},
		"of another use":       {edit(m{"use": "enc"}), auth.ErrUnknown},
		"of another algorithm": {edit(m{"alg": "PS256"}), auth.ErrUnknown},
		"of this algorithm":    {edit(m{"alg": "RS256"}), nil},
		"a secret key":         {`{"keys":[{"kty":"oct","kid":"k1","k":"AAAA"}]}`, auth.ErrUnknown},
		"a bad key before":     {`{"keys":[{"kty":"RSA","kid":"k1"},` + good + `]}`, nil},
		"a key of another's":   {`{"keys":[` + testJSON(t, newSigner(t, "k1", "RS256").jwk()) + `,` + good + `]}`, auth.ErrUnknown},
	} {
		i := newIssuer(t, key)
		i.spoil(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.answer) })
		s := i.server(t, nil)
		if c.want == nil {
			passes(t, what, s, key.token(t, i.claims(nil)))
		} else {
			fails(t, what, s, key.token(t, i.claims(nil)), c.want)
		}
	}
}

// A key of another size is unknown. With a key that is known, only the signature is wrong.
func TestSizeOfKeys(t *testing.T) {
	testkit.SkipInShort(t)
	for bits, known := range map[int]bool{1024: false, 2046: false, 2048: true, 4096: true, 4098: false, 8192: false} {
		n := big.NewInt(1)
		n.SetBit(n, bits-1, 1)
		key := signer{"k1", "RS256", sizedKey{n}}
		i := newIssuer(t, key)
		_, err := i.server(t, nil).Verify(t.Context(), key.token(t, i.claims(nil)))
		if !errors.Is(err, auth.ErrUnknown) || errors.Is(err, auth.ErrNoGuess) == known {
			t.Errorf("%d bits: %v", bits, err)
		}
	}
}

func TestDiscovery(t *testing.T) {
	testkit.SkipInShort(t)
	key := newSigner(t, "k1", "EdDSA")
	const openID, rfc8414 = "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"
	for what, c := range map[string]struct {
		path string // of the issuer
		at   string
		text string // %s is the URL of the server
		want error
	}{
		"OpenID":                     {"", openID, `{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, nil},
		"RFC 8414":                   {"", rfc8414, `{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, nil},
		"OpenID below a path":        {"/t/1", "/t/1" + openID, `{"issuer":"%[1]s/t/1","jwks_uri":"%[1]s/keys"}`, nil},
		"RFC 8414 below a path":      {"/t/1", rfc8414 + "/t/1", `{"issuer":"%[1]s/t/1","jwks_uri":"%[1]s/keys"}`, nil},
		"an issuer that ends in a /": {"/", openID, `{"issuer":"%[1]s/","jwks_uri":"%[1]s/keys"}`, nil},
		"nowhere":                    {"", "/other", `{"issuer":"%[1]s","jwks_uri":"%[1]s/keys"}`, auth.ErrUnavailable},
		"another issuer":             {"", openID, `{"issuer":"https://evil.example.com","jwks_uri":"%[1]s/keys"}`, auth.ErrUnavailable},
		"a / too many":               {"", openID, `{"issuer":"%[1]s/","jwks_uri":"%[1]s/keys"}`, auth.ErrUnavailable},
		"no keys":                    {"", openID, `{"issuer":"%[1]s"}`, auth.ErrUnavailable},
		"keys without https":         {"", openID, `{"issuer":"%[1]s","jwks_uri":"http://192.0.2.1/keys"}`, auth.ErrUnavailable},
		"huge":                       {"", openID, `{"issuer":"%[1]s","x":"` + strings.Repeat("a", 1<<20) + `","jwks_uri":"%[1]s/keys"}`, auth.ErrUnavailable},
	} {
		i := newIssuer(t, key)
		i.meta = map[string]string{c.at: fmt.Sprintf(c.text, i.URL)}
		s := i.server(t, func(o *oauth.Options) { o.Issuer += c.path })
		if token := key.token(t, i.claims(m{"iss": i.URL + c.path})); c.want == nil {
			passes(t, what, s, token)
		} else {
			fails(t, what, s, token, c.want)
		}
	}
	i := newIssuer(t, key)
	i.meta = nil
	passes(t, "keys from the options", i.server(t, func(o *oauth.Options) { o.JWKSURL = i.URL + "/keys" }), key.token(t, i.claims(nil)))
}

func TestRedirects(t *testing.T) {
	key := newSigner(t, "k1", "EdDSA")
	for to, want := range map[string]error{
		"/again":                auth.ErrUnavailable, // 404
		"/keys?a=b":             auth.ErrUnavailable, // for ever
		"http://192.0.2.1/keys": auth.ErrUnavailable,
		"file:///etc/passwd":    auth.ErrUnavailable,
	} {
		i := newIssuer(t, key)
		i.spoil(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
		fails(t, to, i.server(t, nil), key.token(t, i.claims(nil)), want)
		if got := i.fetches(); got > 6 {
			t.Errorf("%s: the issuer was asked %d times, want 6 at most", to, got)
		}
	}
	i, other := newIssuer(t, key), newIssuer(t, key)
	i.spoil(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/keys", http.StatusFound) })
	passes(t, "to loopback", i.server(t, nil), key.token(t, i.claims(nil)))
}
