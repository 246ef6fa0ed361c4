package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
)

// send sends a request as a client without cookies, and returns the status.
func (s *faultyService) send(ctx context.Context, credential string, form url.Values) (int, error) {
	method, path := "GET", "/v1/memory_stores"
	if form != nil {
		method, path = "POST", "/signin"
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		r.Body, r.ContentLength = nil, 0
		r.Header.Set("Authorization", "Bearer "+credential)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// While others of the same address send wrong credentials without end, a right one is never
// refused: a key that was used before, a new key, a token, and a key at the console.
func TestRightCredentialBesideWrongOnes(t *testing.T) {
	t.Parallel()
	db, elsewhere, issuer := filepath.Join(t.TempDir(), "team.db"), filepath.Join(t.TempDir(), "other.db"), newIssuer(t)
	s := faulty(t, db, issuer, fault{})
	_, used := newKey(t, db, "local", auth.Read, "*")
	_, unknown := newKey(t, elsewhere, "local", auth.Read, "*")
	expired := issuer.sign(t, map[string]any{"iss": issuer.url, "aud": testAudience, "exp": 1})
	ask := func(what, credential string, form url.Values, want int) {
		t.Helper()
		if got, err := s.send(t.Context(), credential, form); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", what, got, err, want)
		}
	}
	ask("a key", used, nil, 200)
	for range 10 {
		ask("a wrong key", "sp_wrong", nil, 401)
	}
	ask("one more wrong key", "sp_wrong", nil, 429)
	ask("a wrong key at the console, which counts for itself", "", url.Values{"key": {"sp_wrong"}}, 403)
	ctx, stop := context.WithCancel(t.Context())
	var crowd sync.WaitGroup
	defer crowd.Wait()
	defer stop()
	var late [2]atomic.Bool // wrong ones are told to come later: at the API, and at the console
	for _, wrong := range []string{unknown, "sp_wrong", expired, ""} {
		crowd.Go(func() {
			for ctx.Err() == nil {
				form := url.Values(nil)
				if wrong == "" {
					form = url.Values{"key": {unknown}}
				}
				if got, _ := s.send(ctx, wrong, form); got == 429 {
					late[len(form)].Store(true)
				}
			}
		})
	}
	for began := time.Now(); !late[0].Load() || !late[1].Load(); time.Sleep(time.Millisecond) {
		if time.Since(began) > waitPatience {
			t.Fatal("wrong credentials are not told to come later")
		}
	}
	for range 5 {
		_, fresh := newKey(t, db, "local", auth.Read, "*")
		ask("a key that was used before", used, nil, 200)
		ask("a new key at the console", "", url.Values{"key": {fresh}}, 303)
		ask("a key that was used before, at the console", "", url.Values{"key": {used}}, 303)
		_, fresh = newKey(t, db, "local", auth.Read, "*")
		ask("a new key", fresh, nil, 200)
		ask("a token", issuer.token(t, "local", "ada", "read", "*"), nil, 200)
		ask("a token that has expired", expired, nil, 401)
	}
}
