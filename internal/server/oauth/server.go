package oauth

import (
	"cmp"
	"context"
	"crypto"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

// Options of [New].
type Options struct {
	Issuer   string // URL of the issuer, the same bytes as in the claim iss; https, or http on loopback
	Audience string // what the claim aud must name

	// JWKSURL is where the issuer's public keys are. "": the issuer's metadata says it
	// (OpenID Connect Discovery, or else RFC 8414).
	JWKSURL string

	// Resource is the URL that clients call, such as https://memory.example.com/mcp. From it
	// they find the issuer. "": the Audience, if that is a URL. If it is none, clients must
	// be told who the issuer is.
	Resource string

	TenantClaim string // name of a claim; "": "tenant"
	AgentsClaim string // "": "agents"
	ScopesClaim string // "": "scope"

	// HTTPClient sends requests to the issuer. Its CheckRedirect is replaced. nil: a client
	// with the certificates and proxies of the system.
	HTTPClient *http.Client

	Logger *slog.Logger     // for an issuer that gives no keys, and for why tokens are refused; nil: slog.Default
	Now    func() time.Time // nil: time.Now
}

// A Server accepts the tokens of one issuer. It is safe for concurrent use.
type Server struct {
	o        Options
	keys     *keySet
	document []byte // the metadata; nil: clients are not told
	link     string // its URL
	warned   atomic.Int64
}

// New returns a Server. It does not call the issuer. The caller closes the Server.
func New(o Options) (*Server, error) {
	issuer, err := parseURL(o.Issuer, true)
	switch {
	case err != nil:
		return nil, fmt.Errorf("OAuth issuer: %w", err)
	case issuer.RawQuery != "":
		return nil, fmt.Errorf("OAuth issuer: %.200q has a query; an issuer has none", o.Issuer)
	case o.Audience == "":
		return nil, errors.New("OAuth audience is missing; give the value of the claim aud that stands for this server")
	}
	if o.JWKSURL != "" {
		if _, err := parseURL(o.JWKSURL, true); err != nil {
			return nil, fmt.Errorf("OAuth keys: %w", err)
		}
	}
	o = o.withDefaults()
	s := &Server{o: o}
	if err := s.describe(); err != nil {
		return nil, err
	}
	plain := issuer.Scheme == "http"
	f := &fetcher{client: newClient(o.HTTPClient, plain), issuer: issuer, name: o.Issuer, jwksURL: o.JWKSURL,
		plain: plain}
	s.keys = newKeySet(f.fetch, o.Now, o.Logger)
	return s, nil
}

func (o Options) withDefaults() Options {
	o.TenantClaim, o.AgentsClaim = cmp.Or(o.TenantClaim, "tenant"), cmp.Or(o.AgentsClaim, "agents")
	o.ScopesClaim, o.Logger = cmp.Or(o.ScopesClaim, "scope"), cmp.Or(o.Logger, slog.Default())
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Close stops asking the issuer for keys, and waits until a request to it has ended. Verify
// goes on with the keys that are known.
func (s *Server) Close() { s.keys.close() }

const maxToken = 16 << 10 // bytes; a larger token is refused unread

// Verify returns the owner of a token. It is an [auth.Verifier]. If the token's key is not
// known, Verify asks the issuer, which takes 13 seconds at most.
func (s *Server) Verify(ctx context.Context, token string) (auth.Caller, error) {
	if len(token) > maxToken {
		return s.refuse(ctx, auth.ErrUnknown, fmt.Errorf("%d bytes, limit %d", len(token), maxToken))
	}
	payload, err := open(token, func(id keyID) (crypto.PublicKey, error) { return s.keys.key(ctx, id) })
	switch {
	case errors.Is(err, auth.ErrUnavailable):
		return auth.Caller{}, auth.ErrUnavailable
	case errors.Is(err, auth.ErrNoGuess):
		return s.refuse(ctx, auth.ErrNoGuess, err)
	case err != nil:
		return s.refuse(ctx, auth.ErrUnknown, err)
	}
	c, err := parseClaims(payload)
	if err == nil {
		err = c.check(s.o.Issuer, s.o.Audience, s.o.Now())
	}
	caller := auth.Caller{}
	if err == nil {
		caller, err = s.caller(c)
	}
	if err != nil {
		return s.refuse(ctx, auth.ErrNoGuess, err)
	}
	return caller, nil
}

// refuse returns the kind of an error, which does not tell its reason. The log does.
func (s *Server) refuse(ctx context.Context, kind, reason error) (auth.Caller, error) {
	s.o.Logger.Log(ctx, s.level(reason), "OAuth token refused", "reason", fmt.Sprintf("%.300s", reason))
	return auth.Caller{}, kind
}

// level is Warn, once a minute, for a token that the issuer has signed and that has not the
// claims it should have: then the issuer or the options want a change.
func (s *Server) level(err error) slog.Level {
	var c *claimError
	if !errors.As(err, &c) {
		return slog.LevelDebug
	}
	now, last := s.o.Now().Unix(), s.warned.Load()
	if since := now - last; since >= 0 && since < 60 || !s.warned.CompareAndSwap(last, now) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}
