package oauth_test

import (
	"bytes"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/oauth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

func TestCaller(t *testing.T) {
	testkit.SkipInShort(t)
	for _, alg := range []string{"RS256", "ES256", "EdDSA"} {
		key := newSigner(t, "k1", alg)
		i := newIssuer(t, key)
		s := i.server(t, nil)
		c := must(s.Verify(t.Context(), key.token(t, i.claims(nil))))(t)
		if c.Tenant != "acme" || c.Scopes != auth.Read|auth.Write || !c.Agents.Allow("planner") || !c.Agents.Allow("team-a-1") || c.Agents.Allow("other") || c.Rate != (auth.Rate{}) {
			t.Errorf("%s: Verify() = %+v, want read and write of planner and team-a-* of acme", alg, c)
		}
		if !strings.HasPrefix(c.Key, "oauth:") || len(c.Key) != 18 || strings.Contains(c.Key, "alice") {
			t.Errorf("%s: Key = %q, want oauth: and 12 characters that do not show the subject", alg, c.Key)
		}
	}
}

// The ID is the same for the same owner only, and no two owners share one.
func TestCallerID(t *testing.T) {
	key := newSigner(t, "k1", "EdDSA")
	i, other := newIssuer(t, key), newIssuer(t, key)
	s := i.server(t, nil)
	id := func(s *oauth.Server, c m) auth.Caller {
		caller := must(s.Verify(t.Context(), key.token(t, c)))(t)
		return caller
	}
	first := id(s, i.claims(nil))
	if again := id(s, i.claims(m{"scope": "read", "agents": "planner", "jti": "2"})); again.ID != first.ID || again.Key != first.Key {
		t.Errorf("a second token of the same owner: %q and %q, want %q and %q", again.ID, again.Key, first.ID, first.Key)
	}
	seen := map[string]string{first.ID: "the first"}
	for what, c := range map[string]auth.Caller{
		"other subject": id(s, i.claims(m{"sub": "bob"})),
		"other tenant":  id(s, i.claims(m{"tenant": "acme2"})),
		"other issuer":  id(other.server(t, nil), other.claims(nil)),
		"moved border":  id(s, i.claims(m{"tenant": "acm", "sub": "ealice"})),
	} {
		if before, ok := seen[c.ID]; ok {
			t.Errorf("%s has the same ID as %s: %q", what, before, c.ID)
		}
		seen[c.ID] = what
		if what != "other tenant" && c.Key == first.Key {
			t.Errorf("%s has the same Key: %q", what, c.Key)
		}
	}
}

func TestRefusedClaims(t *testing.T) {
	testkit.SkipInShort(t)
	key, i, s := trusting(t)
	now := i.clock.Now().Unix()
	for what, c := range map[string]m{
		"wrong issuer":           {"iss": "https://evil.example.com"},
		"issuer with a slash":    {"iss": i.URL + "/"},
		"issuer in a list":       {"iss": []string{i.URL}},
		"no issuer":              {"iss": nil},
		"wrong audience":         {"aud": "https://other.example.com/mcp"},
		"audience as a prefix":   {"aud": audience + "/x"},
		"list without audience":  {"aud": []string{"a", "b"}},
		"empty audience":         {"aud": []string{}},
		"no audience":            {"aud": nil},
		"audience and a number":  {"aud": []any{audience, 1}},
		"expired":                {"exp": now - 31},
		"no exp":                 {"exp": nil},
		"exp as a text":          {"exp": "9999999999"},
		"not valid yet":          {"nbf": now + 31},
		"nbf as a text":          {"nbf": "0"},
		"bound to a key":         {"cnf": m{"jkt": "x"}},
		"an ID token's nonce":    {"nonce": "n-0S6_WzA2Mj"},
		"an ID token's at_hash":  {"at_hash": "77QmUPtjPfzWtF2AnpK9RQ"},
		"an ID token's typ":      {"typ": "ID"},
		"a refresh token's typ":  {"typ": "Refresh"},
		"a logout token":         {"events": m{"http://schemas.openid.net/event/backchannel-logout": m{}}},
		"no subject":             {"sub": nil},
		"empty subject":          {"sub": ""},
		"subject as a number":    {"sub": 7},
		"long subject":           {"sub": strings.Repeat("a", 1025)},
		"subject of lost bytes":  {"sub": "alice\ufffd"},
		"no tenant":              {"tenant": nil},
		"empty tenant":           {"tenant": ""},
		"tenant as a path":       {"tenant": "../acme"},
		"no agents":              {"agents": nil},
		"empty agents":           {"agents": []string{}},
		"agents with a number":   {"agents": []any{"planner", 1}},
		"agents with a bad name": {"agents": []string{"planner", "a b"}},
		"too many agents":        {"agents": strings.Split(strings.Repeat("a,", 100)+"a", ",")},
		"no scope":               {"scope": nil},
		"empty scope":            {"scope": ""},
		"only other scopes":      {"scope": "openid profile"},
		"scope in another case":  {"scope": "READ"},
		"scope as an object":     {"scope": m{"read": true}},
		"two scopes in one":      {"scope": []string{"read write"}},
		"a larger token":         {"x": strings.Repeat("a", 16<<10)},
	} {
		fails(t, what, s, key.token(t, i.claims(c)), auth.ErrUnknown)
	}
}

func TestAcceptedClaims(t *testing.T) {
	testkit.SkipInShort(t)
	key, i, s := trusting(t)
	now := i.clock.Now().Unix()
	for what, c := range map[string]m{
		"audience in a list":    {"aud": []string{"x", audience}},
		"just expired":          {"exp": now - 29},
		"exp with a fraction":   {"exp": float64(now) + 0.5},
		"exp far away":          {"exp": 1e300},
		"nbf just ahead":        {"nbf": now + 30},
		"one agent":             {"agents": "planner"},
		"all agents":            {"agents": "*"},
		"scopes in a list":      {"scope": []string{"openid", "read", "read"}},
		"claims that say no":    {"nbf": nil, "cnf": nil, "nonce": nil, "typ": nil},
		"typ of a bearer token": {"typ": "Bearer"},
	} {
		passes(t, what, s, key.token(t, i.claims(c)))
	}
}

// A token that the issuer has signed is not a guess, and neither is one of a key that the
// issuer may have soon. All else is.
func TestNoGuess(t *testing.T) {
	key, i, s := trusting(t)
	stranger, next := newSigner(t, "k1", "EdDSA"), newSigner(t, "k2", "EdDSA")
	for what, c := range map[string]struct {
		token string
		guess bool
	}{
		"expired":          {key.token(t, i.claims(m{"exp": 1})), false},
		"wrong audience":   {key.token(t, i.claims(m{"aud": "https://other.example.com"})), false},
		"no scope":         {key.token(t, i.claims(m{"scope": "openid"})), false},
		"no claims at all": {key.sign(t, m{"alg": "EdDSA", "kid": "k1"}, "null"), false},
		"unknown kid":      {next.token(t, i.claims(nil)), false},
		"wrong signature":  {stranger.token(t, i.claims(nil)), true},
		"garbage":          {"a.b.c", true},
		"too long":         {strings.Repeat("a", 17<<10), true},
	} {
		if _, err := s.Verify(t.Context(), c.token); !errors.Is(err, auth.ErrUnknown) || errors.Is(err, auth.ErrNoGuess) == c.guess {
			t.Errorf("%s: Verify() = %v, and it is a guess: %v", what, err, c.guess)
		}
	}
}

// JSON that two parsers could read in two ways is refused.
func TestClaimsThatCanBeReadTwice(t *testing.T) {
	testkit.SkipInShort(t)
	key, i, s := trusting(t)
	rest := strings.TrimPrefix(testJSON(t, i.claims(nil)), "{")
	for what, payload := range map[string]string{
		"duplicate":              `{"tenant":"evil",` + rest,
		"escaped duplicate":      `{"\u0074enant":"evil",` + rest,
		"duplicate below":        `{"x":{"a":1,"a":2},` + rest,
		"not UTF-8":              "{\"x\":\"\xff\"," + rest,
		"two values":             `{` + rest + `{}`,
		"a list":                 `[{` + rest + `]`,
		"null":                   `null`,
		"nothing":                ``,
		"a number out of bounds": `{"x":1e999,` + rest,
	} {
		fails(t, what, s, key.sign(t, m{"alg": "EdDSA", "kid": "k1"}, payload), auth.ErrUnknown)
	}
	// Names differ by case, so this one is another claim.
	passes(t, "other case", s, key.sign(t, m{"alg": "EdDSA", "kid": "k1"}, `{"TENANT":"evil","Exp":0,`+rest))
	for what, header := range map[string]string{
		"duplicate alg": `{"alg":"none","alg":"EdDSA","kid":"k1"}`,
		"duplicate kid": `{"alg":"EdDSA","kid":"k0","kid":"k1"}`,
	} {
		fails(t, what, s, key.sign(t, header, i.claims(nil)), auth.ErrUnknown)
	}
}

func TestAlgorithm(t *testing.T) {
	testkit.SkipInShort(t)
	rs, es, p384 := newSigner(t, "r", "RS256"), newSigner(t, "e", "ES256"), newSigner(t, "p", "ES384")
	i := newIssuer(t, rs, es, p384)
	s := i.server(t, nil)
	c := i.claims(nil)
	passes(t, "RS256", s, rs.token(t, c))
	unsigned := func(alg string) string { return encode(t, m{"alg": alg, "kid": "r"}) + "." + encode(t, c) + "." }
	pub := must(x509.MarshalPKIXPublicKey(rs.key.Public()))(t)
	for what, token := range map[string]string{
		"none":                    unsigned("none"),
		"no alg":                  encode(t, m{"kid": "r"}) + "." + encode(t, c) + ".",
		"RS256 without signature": unsigned("RS256"),
		"HS256 with DER":          hs256(t, c, pub),
		"HS256 with PEM":          hs256(t, c, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub})),
		"HS256 with n":            hs256(t, c, rs.key.Public().(*rsa.PublicKey).N.Bytes()),
		"PS256":                   ps256(t, rs, c),
		"ES384":                   p384.token(t, c),
		"ES256 by P-384":          p384.sign(t, m{"alg": "ES256", "kid": "p"}, c),
		"EC key called RS256":     es.sign(t, m{"alg": "RS256", "kid": "e"}, c),
		"RSA key called ES256":    rs.sign(t, m{"alg": "ES256", "kid": "r"}, c),
		"changed claims":          swap(t, rs.token(t, c), i.claims(m{"tenant": "evil"})),
		"a stranger's key":        newSigner(t, "r", "RS256").token(t, c),
		"a key in the header":     withOwnKey(t, c),
		"crit":                    withRawPayload(t, rs, c),
		"a header over 2 KiB":     rs.sign(t, m{"alg": "RS256", "kid": "r", "x": strings.Repeat("x", 1600)}, c),
		"two parts":               "e30.e30",
		"four parts":              rs.token(t, c) + ".x",
		"padded":                  rs.token(t, c) + "=",
		"in JSON":                 `{"payload":"e30","signatures":[]}`,
		"nothing":                 "",
	} {
		fails(t, what, s, token, auth.ErrUnknown)
	}
}

func hs256(t *testing.T, c m, key []byte) string {
	input := encode(t, m{"alg": "HS256", "kid": "r"}) + "." + encode(t, c)
	h := hmac.New(sha256.New, key)
	h.Write([]byte(input))
	return input + "." + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func ps256(t *testing.T, s signer, c m) string {
	input := encode(t, m{"alg": "PS256", "kid": s.kid}) + "." + encode(t, c)
	sum := sha256.Sum256([]byte(input))
	sig := must(rsa.SignPSS(rand.Reader, s.key.(*rsa.PrivateKey), crypto.SHA256, sum[:], nil))(t)
	return input + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// swap returns a token with other claims under its signature.
func swap(t *testing.T, token string, c m) string {
	parts := strings.Split(token, ".")
	return parts[0] + "." + encode(t, c) + "." + parts[2]
}

// withRawPayload signs the claims as they are, not their base64 (RFC 7797).
func withRawPayload(t *testing.T, s signer, c m) string {
	header := encode(t, m{"alg": "RS256", "kid": "r", "crit": []string{"b64"}, "b64": false})
	sum := sha256.Sum256([]byte(header + "." + testJSON(t, c)))
	sig := must(s.key.Sign(rand.Reader, sum[:], crypto.SHA256))(t)
	return header + "." + encode(t, c) + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// withOwnKey signs with a key that the token brings along.
func withOwnKey(t *testing.T, c m) string {
	s := newSigner(t, "r", "RS256")
	return s.sign(t, m{"alg": "RS256", "kid": "r", "jwk": s.jwk()}, c)
}

func testJSON(t *testing.T, v any) string {
	b := must(base64.RawURLEncoding.DecodeString(encode(t, v)))(t)
	return string(b)
}

// The claims' names are those of the options, and the standard names then mean nothing.
func TestClaimNames(t *testing.T) {
	key := newSigner(t, "k1", "EdDSA")
	i := newIssuer(t, key)
	s := i.server(t, func(o *oauth.Options) {
		o.TenantClaim, o.AgentsClaim, o.ScopesClaim = "https://example.com/org", "sub", "roles"
	})
	fails(t, "standard names", s, key.token(t, i.claims(nil)), auth.ErrUnknown)
	c, err := s.Verify(t.Context(), key.token(t, i.claims(m{"https://example.com/org": "other", "roles": []string{"admin"}})))
	if agent, _ := c.Agents.Only(); err != nil || c.Tenant != "other" || agent != "alice" || c.Scopes != auth.Admin {
		t.Errorf("Verify() = %+v, %v, want admin of alice of other", c, err)
	}
}

func TestOptions(t *testing.T) {
	good := oauth.Options{Issuer: "https://login.example.com", Audience: "scratchpad"}
	for what, edit := range map[string]func(*oauth.Options){
		"no issuer":         func(o *oauth.Options) { o.Issuer = "" },
		"plain issuer":      func(o *oauth.Options) { o.Issuer = "http://login.example.com" },
		"issuer with query": func(o *oauth.Options) { o.Issuer += "?a=b" },
		"password":          func(o *oauth.Options) { o.Issuer = "https://a:b@login.example.com" },
		"no audience":       func(o *oauth.Options) { o.Audience = "" },
		"plain keys":        func(o *oauth.Options) { o.JWKSURL = "http://login.example.com/keys" },
		"plain resource":    func(o *oauth.Options) { o.Resource = "http://memory.example.com/mcp" },
	} {
		o := good
		edit(&o)
		if s, err := oauth.New(o); err == nil {
			s.Close()
			t.Errorf("%s: New() = nil, want an error", what)
		}
	}
	s := must(oauth.New(good))(t)
	s.Close()
}

// Operators see why tokens are refused, and no one can fill their logs.
func TestLog(t *testing.T) {
	key := newSigner(t, "k1", "EdDSA")
	i := newIssuer(t, key)
	var log bytes.Buffer
	s := i.server(t, func(o *oauth.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	token := key.token(t, i.claims(m{"tenant": nil}))
	for n := range 13 {
		fails(t, "no tenant", s, token, auth.ErrUnknown)
		fails(t, "garbage", s, strings.Repeat("a.", 8<<10), auth.ErrUnknown)
		fails(t, "long algorithm", s, encode(t, m{"alg": strings.Repeat("a", 1400)})+".e30.", auth.ErrUnknown)
		if n < 12 {
			i.clock.Advance(10 * time.Second)
		}
	}
	if got := strings.Count(log.String(), "level=WARN"); got != 3 || !strings.Contains(log.String(), "claim tenant is missing") {
		t.Errorf("%d warnings in 2 minutes, want 3, about the claim tenant:\n%.500s", got, log.String())
	}
	for _, part := range strings.Split(token, ".")[1:] {
		if strings.Contains(log.String(), part) {
			t.Error("the log has a part of the token")
		}
	}
	for line := range strings.Lines(log.String()) {
		if len(line) > 500 {
			t.Fatalf("a line of %d bytes: %.600s", len(line), line)
		}
	}
}
