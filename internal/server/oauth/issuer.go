package oauth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	requestTime  = 4 * time.Second // of one request; a fetch has three at most
	maxAnswer    = 1 << 20         // bytes of an answer
	maxHeader    = 64 << 10        // bytes of its headers
	maxKeys      = 100             // of an issuer
	maxRedirects = 5

	minRSA = 2048 // bits; the library takes no more than 4,096
)

// A fetcher asks the issuer for its public keys.
type fetcher struct {
	client  *http.Client
	issuer  *url.URL
	name    string // the issuer as its metadata must name it
	jwksURL string // "": in the metadata
	plain   bool   // http is good enough on loopback, because the issuer is there itself
}

func newClient(c *http.Client, plain bool) *http.Client {
	if c == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxResponseHeaderBytes = maxHeader
		t.DisableKeepAlives = true // the next request is minutes away
		c = &http.Client{Transport: t}
	}
	client := *c
	client.Timeout = requestTime
	client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return secure(r.URL, plain)
	}
	return &client
}

// parseURL parses the URL of an endpoint.
func parseURL(text string, plain bool) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, fmt.Errorf("%.200q is not a URL such as https://login.example.com", text)
	}
	return u, secure(u, plain)
}

// secure returns an error unless nobody between can change what u answers: it has https, or
// http on loopback if plain.
func secure(u *url.URL, plain bool) error {
	host := u.Hostname()
	loopback := host == "localhost" || net.ParseIP(host).IsLoopback()
	if u.Scheme == "https" || plain && u.Scheme == "http" && loopback {
		return nil
	}
	return fmt.Errorf("%.200q is not safe from changes on its way; use https (http is for an issuer on loopback)",
		u.Redacted())
}

// fetch returns the issuer's keys that can check a token. There may be none.
func (f *fetcher) fetch(ctx context.Context) (map[keyID]crypto.PublicKey, error) {
	at := f.jwksURL
	if at == "" {
		var err error
		if at, err = f.discover(ctx); err != nil {
			return nil, err
		}
	}
	body, err := f.get(ctx, at)
	if err != nil {
		return nil, err
	}
	return parseKeys(body)
}

// discover returns the URL of the keys, from the metadata of the issuer.
func (f *fetcher) discover(ctx context.Context) (string, error) {
	path := strings.TrimSuffix(f.issuer.EscapedPath(), "/")
	origin := f.issuer.Scheme + "://" + f.issuer.Host
	at, err := f.ask(ctx, origin+path+"/.well-known/openid-configuration")
	if err == nil {
		return at, nil
	}
	at, err2 := f.ask(ctx, origin+"/.well-known/oauth-authorization-server"+path)
	if err2 == nil {
		return at, nil
	}
	return "", errors.Join(err, err2)
}

func (f *fetcher) ask(ctx context.Context, metadataURL string) (string, error) {
	body, err := f.get(ctx, metadataURL)
	if err != nil {
		return "", err
	}
	var m struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return "", fmt.Errorf("%s: %v", metadataURL, err)
	}
	if m.Issuer != f.name {
		return "", fmt.Errorf("%s is of issuer %.200q, not of %q; give the issuer in the same bytes", metadataURL,
			m.Issuer, f.name)
	}
	if _, err := parseURL(m.JWKSURI, f.plain); err != nil {
		return "", fmt.Errorf("%s: jwks_uri: %w", metadataURL, err)
	}
	return m.JWKSURI, nil
}

func (f *fetcher) get(ctx context.Context, from string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	resp, err := f.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", from, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("GET %s: %w", from, err)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("GET %s: answer of more than %d bytes", from, maxAnswer)
	}
	return body, nil
}

// parseKeys reads a JSON Web Key Set. Keys that cannot check a token are left out.
func parseKeys(body []byte) (map[keyID]crypto.PublicKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("key set: %v", err)
	}
	if set.Keys == nil || len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("key set: %d keys, want 1-%d", len(set.Keys), maxKeys)
	}
	keys := map[keyID]crypto.PublicKey{}
	for _, raw := range set.Keys {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) != nil || k.Use != "" && k.Use != "sig" {
			continue
		}
		alg := algorithm(k.Key)
		id := keyID{k.KeyID, alg}
		if alg == "" || k.Algorithm != "" && k.Algorithm != string(alg) || keys[id] != nil {
			continue
		}
		keys[id] = k.Key
	}
	return keys, nil
}

// algorithm returns the algorithm of a public key, or "" if there is none that a token may
// have.
func algorithm(key crypto.PublicKey) jose.SignatureAlgorithm {
	switch k := key.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() >= minRSA {
			return jose.RS256
		}
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return jose.ES256
		}
	case ed25519.PublicKey:
		return jose.EdDSA
	}
	return ""
}
