package httpserver

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

const keyPrefix = "sp_" // of an API key

// makeKey says how to get a credential.
const makeKey = "send an API key in the header Authorization: Bearer sp_...; whoever runs the server makes one " +
	"with: scratchpad keys create --agents NAME"

// identify returns who sends a request. ok is false if nobody is known to send it, but
// it may pass.
func (s *Server) identify(r *http.Request, from netip.Addr) (c auth.Caller, ok bool, f *refusal) {
	credential, f := s.credential(r)
	switch {
	case f != nil:
		return c, false, s.challenge(f, "invalid_request")
	case credential == "":
		return s.anonymous(r)
	}
	c, err := s.lookUp(r.Context(), credential, from)
	switch {
	case err == nil:
		return c, true, nil
	case err == errCrowd:
		s.stats.blocked.Add(1)
		return auth.Caller{}, false, refused(http.StatusTooManyRequests,
			"too many unknown credentials come from this address; try again").retry(time.Second)
	case errors.Is(err, auth.ErrUnknown):
		return auth.Caller{}, false, s.wrong(r.Context(), err, from)
	}
	return auth.Caller{}, false, s.unavailable(r.Context(), err)
}

var errCrowd = errors.New("too many credentials of the address wait")

// lookUp is verify for a credential that may be a guess. What is known already, and what the
// issuer has signed, is not held back by guesses of the same address.
func (s *Server) lookUp(ctx context.Context, credential string, from netip.Addr) (auth.Caller, error) {
	if strings.HasPrefix(credential, keyPrefix) {
		if s.o.Known != nil {
			if c, ok := s.o.Known(ctx, credential); ok {
				return c, nil
			}
		}
		if s.o.Failures != nil {
			leave, ok := s.o.Failures.Enter(ctx, from)
			if !ok {
				return auth.Caller{}, errCrowd
			}
			defer leave()
		}
	}
	return s.verify(ctx, credential)
}

// wrong counts a wrong credential, and returns the answer.
func (s *Server) wrong(ctx context.Context, err error, from netip.Addr) *refusal {
	var after time.Duration
	counted := true
	if s.o.Failures != nil && !errors.Is(err, auth.ErrNoGuess) {
		after, counted = s.o.Failures.Failed(from)
	}
	s.NoteFailed(ctx, from, after, counted)
	if !counted {
		return refused(http.StatusTooManyRequests,
			"the credential is wrong, has expired or was revoked, and too many wrong ones came from this address; "+
				"try again in %v", time.Duration(errorkind.Seconds(after))*time.Second).retry(after)
	}
	return s.challenge(refused(http.StatusUnauthorized, "the credential is wrong, has expired or was revoked; %s",
		makeKey), "invalid_token")
}

// NoteFailed counts and logs a wrong credential, such as that of a person who signs in at the
// console. after and counted are the results of Options.Failures.
func (s *Server) NoteFailed(ctx context.Context, from netip.Addr, after time.Duration, counted bool) {
	if !counted {
		s.stats.blocked.Add(1)
		return
	}
	s.stats.failed.Add(1)
	if after > 0 { // an operator looks for the address in the log
		s.o.Logger.WarnContext(ctx, "too many wrong credentials", "address", from, "for", after.Round(time.Second))
	}
}

// verify returns the owner of a credential.
func (s *Server) verify(ctx context.Context, credential string) (auth.Caller, error) {
	verify := s.o.Tokens
	if strings.HasPrefix(credential, keyPrefix) {
		verify = s.o.Keys
	}
	if verify == nil {
		return auth.Caller{}, auth.ErrUnknown
	}
	return verify(ctx, credential)
}

// again returns a function that finds out again who sends a request that identify has
// accepted.
func (s *Server) again(r *http.Request) func(context.Context) (auth.Caller, error) {
	credential, _ := s.credential(r)
	return func(ctx context.Context) (auth.Caller, error) {
		if credential != "" {
			return s.verify(ctx, credential)
		}
		c, ok, err := s.o.Anonymous(ctx)
		if err == nil && !ok {
			err = auth.ErrUnknown
		}
		return c, err
	}
}

// anonymous returns who sends a request without a credential.
func (s *Server) anonymous(r *http.Request) (c auth.Caller, ok bool, f *refusal) {
	ctx := r.Context()
	if s.o.Anonymous != nil && !isForwarded(r) {
		switch c, ok, err := s.o.Anonymous(ctx); {
		case err != nil:
			return auth.Caller{}, false, s.unavailable(ctx, err)
		case ok:
			return c, true, nil
		}
	}
	return auth.Caller{}, false, s.challenge(refused(http.StatusUnauthorized, "%s", makeKey), "")
}

func (s *Server) unavailable(ctx context.Context, err error) *refusal {
	if ctx.Err() == nil {
		s.o.Logger.WarnContext(ctx, "credentials cannot be checked", "request", RequestID(ctx), "error", err)
	}
	return refused(http.StatusServiceUnavailable, "credentials cannot be checked now; try again").retry(2 * time.Second)
}

// credential returns what a request identifies its sender with, "" if there is nothing. The
// clients of the API send it in one of two headers, or in both.
func (s *Server) credential(r *http.Request) (credential string, f *refusal) {
	if headers := r.Header["Authorization"]; len(headers) > 0 {
		if credential, f = bearer(headers); f != nil {
			return "", f
		}
	}
	keys := r.Header["X-Api-Key"]
	if len(keys) == 0 || !s.isAPI(r) {
		return credential, nil
	}
	key := strings.Trim(keys[0], " ")
	switch {
	case len(keys) > 1:
		return "", refused(http.StatusBadRequest, "there are %d x-api-key headers; send one", len(keys))
	case key == "" || strings.ContainsFunc(key, notToken):
		return "", refused(http.StatusUnauthorized, "the x-api-key header is not a key; %s", makeKey)
	case credential != "" && credential != key:
		return "", refused(http.StatusBadRequest,
			"the headers x-api-key and Authorization have different credentials; send one of them")
	}
	return key, nil
}

// bearer returns the credential of a header. There must be one header with the scheme
// Bearer, in any case, and a credential without spaces.
func bearer(headers []string) (credential string, f *refusal) {
	if len(headers) != 1 {
		return "", refused(http.StatusBadRequest, "there are %d Authorization headers; send one", len(headers))
	}
	scheme, credential, _ := strings.Cut(headers[0], " ")
	credential = strings.Trim(credential, " ")
	if !strings.EqualFold(scheme, "Bearer") || credential == "" || strings.ContainsFunc(credential, notToken) {
		return "", refused(http.StatusUnauthorized, "the Authorization header is not of the form Bearer CREDENTIAL; %s",
			makeKey)
	}
	return credential, nil
}

// notToken reports whether a character may not be in a credential, as in RFC 6750.
func notToken(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-._~+/=", c))
}

// challenge adds how a client is to identify itself.
func (s *Server) challenge(f *refusal, problem string) *refusal {
	text := `Bearer realm="scratchpad"`
	if problem != "" {
		text += `, error="` + problem + `"`
	}
	if s.o.ResourceMetadata != nil {
		text += `, resource_metadata="` + s.o.ResourceMetadataURL + `"`
	}
	return f.with("WWW-Authenticate", text)
}
