package oauth_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/oauth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A timedIssuer is an issuer without a network, for tests in which time passes by itself.
type timedIssuer struct {
	*issuer
	key    signer
	server *oauth.Server
	hangs  string // part of a path that is not answered; "": none
	drips  bool   // the headers come, the body does not
}

func newTimedIssuer(t *testing.T) *timedIssuer {
	t.Helper()
	const name = "https://login.example.com"
	i := &timedIssuer{key: newSigner(t, "k1", "EdDSA")}
	i.issuer = &issuer{meta: map[string]string{"/.well-known/openid-configuration": `{"issuer":"` + name + `","jwks_uri":"` + name + `/keys"}`}}
	i.publish(i.key)
	var err error
	i.server, err = oauth.New(oauth.Options{Issuer: name, Audience: audience, Logger: slog.New(slog.DiscardHandler), HTTPClient: &http.Client{Transport: roundTrip(i.send)}})
	testkit.Must(t, err)
	t.Cleanup(i.server.Close)
	return i
}

func (i *timedIssuer) send(r *http.Request) (*http.Response, error) {
	hangs := i.hangs != "" && strings.Contains(r.URL.Path, i.hangs)
	if hangs && !i.drips {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	i.ServeHTTP(w, r)
	resp := w.Result()
	if hangs {
		resp.Body = drip{r}
	}
	return resp, nil
}

// A drip gives nothing until its request ends.
type drip struct{ r *http.Request }

func (d drip) Read([]byte) (int, error) {
	<-d.r.Context().Done()
	return 0, io.ErrUnexpectedEOF
}

func (d drip) Close() error { return nil }

func (i *timedIssuer) token(t *testing.T, key signer) string {
	t.Helper()
	return key.token(t, m{"iss": "https://login.example.com", "aud": audience, "sub": "alice", "exp": time.Now().Unix() + 1e6, "tenant": "acme", "agents": "*", "scope": "read"})
}

// An issuer that hangs costs 13 seconds at most, and those whose key is known nothing.
func TestIssuerHangs(t *testing.T) {
	for _, c := range []struct {
		hangs string
		drips bool
	}{{"/", false}, {"/", true}, {"/keys", false}, {"/keys", true}, {"/.well-known", false}} {
		synctest.Test(t, func(t *testing.T) {
			i := newTimedIssuer(t)
			stranger := newSigner(t, "k2", "EdDSA")
			i.hangs, i.drips = c.hangs, c.drips
			start := time.Now()
			fails(t, "at the start", i.server, i.token(t, i.key), auth.ErrUnavailable)
			if took := time.Since(start); took < time.Second || took > 13*time.Second {
				t.Errorf("%+v: answered after %v, want 1-13s", c, took)
			}
			i.hangs = ""
			passes(t, "when it answers", i.server, i.token(t, i.key))

			i.hangs = c.hangs
			time.Sleep(10 * time.Minute)
			start = time.Now()
			go fails(t, "an unknown key", i.server, i.token(t, stranger), auth.ErrUnknown)
			synctest.Wait()
			passes(t, "a known key meanwhile", i.server, i.token(t, i.key))
			if took := time.Since(start); took != 0 {
				t.Errorf("%+v: a known key waited %v", c, took)
			}
			time.Sleep(13 * time.Second)
		})
	}
}

// A caller who hangs up does not end the fetch that others wait for.
func TestCallerHangsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newTimedIssuer(t)
		i.hangs = "openid" // for 4 s; then the other place is asked
		i.meta["/.well-known/oauth-authorization-server"] = i.meta["/.well-known/openid-configuration"]
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go passes(t, "who waits", i.server, i.token(t, i.key))
		if _, err := i.server.Verify(ctx, i.token(t, i.key)); err != auth.ErrUnavailable {
			t.Errorf("Verify() = %v, want ErrUnavailable", err)
		}
		time.Sleep(13 * time.Second)
	})
}

// Keys are renewed in the background while they are in use.
func TestRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newTimedIssuer(t)
		for range 4 {
			start := time.Now()
			passes(t, "while keys are renewed", i.server, i.token(t, i.key))
			if took := time.Since(start); took != 0 {
				t.Errorf("a known key waited %v", took)
			}
			synctest.Wait()
			time.Sleep(5*time.Minute + time.Second)
		}
		i.publish()
		passes(t, "the last time", i.server, i.token(t, i.key))
		synctest.Wait()
		fails(t, "after its key was withdrawn", i.server, i.token(t, i.key), auth.ErrUnknown)
		if got := i.fetches(); got != 6 { // the last time because the key was not known any more
			t.Errorf("the issuer was asked %d times, want 6", got)
		}
	})
}

// Close ends a request to the issuer, and nothing asks it again.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newTimedIssuer(t)
		passes(t, "before", i.server, i.token(t, i.key))
		i.hangs = "/"
		time.Sleep(10 * time.Minute)
		passes(t, "while keys are renewed", i.server, i.token(t, i.key))
		start := time.Now()
		i.server.Close()
		if took := time.Since(start); took != 0 {
			t.Errorf("Close took %v", took)
		}
		passes(t, "after Close", i.server, i.token(t, i.key))
		time.Sleep(time.Hour)
		fails(t, "long after Close", i.server, i.token(t, i.key), auth.ErrUnavailable)
	})
}
