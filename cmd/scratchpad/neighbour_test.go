package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/httpserver"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// ask sends a request with a header, or a form, and returns the answer without its body.
func (s *faultyService) ask(ctx context.Context, path, header string, form url.Values) (*http.Response, error) {
	method, body := "GET", io.Reader(nil)
	if form != nil {
		method, body = "POST", strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if name, value, ok := strings.Cut(header, ": "); ok {
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return res, errors.Join(err, res.Body.Close())
}

// While others of the same address send wrong credentials without end, a right one is never
// refused: a key that was used before, a new key, a token, and a key at the console.
func TestRightCredentialBesideWrongOnes(t *testing.T) {
	t.Parallel()
	db, elsewhere, issuer := filepath.Join(t.TempDir(), "team.db"), filepath.Join(t.TempDir(), "other.db"), newIssuer(t)
	s := faulty(t, db, issuer, fault{})
	_, used := newKey(t, db, "local", auth.Read, "*")
	_, unknown := newKey(t, elsewhere, "local", auth.Read, "*")
	expired := issuer.sign(t, object{"iss": issuer.url, "aud": testAudience, "exp": 1})
	send := func(ctx context.Context, credential string, form url.Values) (*http.Response, error) {
		if form != nil {
			return s.ask(ctx, "/signin", "", form)
		}
		return s.ask(ctx, "/v1/memory_stores", "Authorization: Bearer "+credential, nil)
	}
	ask := func(what, credential string, form url.Values, want int) {
		t.Helper()
		if got, err := send(t.Context(), credential, form); err != nil || got.StatusCode != want {
			t.Errorf("%s: %v, %v; want %d", what, got, err, want)
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
				if got, err := send(ctx, wrong, form); err == nil && got.StatusCode == 429 {
					late[len(form)].Store(true)
				}
			}
		})
	}
	eventually(t, "wrong credentials are not told to come later", func() bool { return late[0].Load() && late[1].Load() })
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

// mustVisit visits a page and compares the status.
func (s *faultyService) mustVisit(t *testing.T, what, path, cookie string, form url.Values, want int) {
	t.Helper()
	if res, err := s.ask(t.Context(), path, "Cookie: "+cookie, form); err != nil || res.StatusCode != want {
		t.Errorf("%s: %v, %v; want %d", what, res, err, want)
	}
}

// signIn returns the cookie of a new session.
func (s *faultyService) signIn(t *testing.T, key string) string {
	t.Helper()
	res, err := s.ask(t.Context(), "/signin", "", url.Values{"key": {key}})
	testkit.Must(t, err)
	cookie, _, _ := strings.Cut(res.Header.Get("Set-Cookie"), ";")
	return cookie
}

// While others of the same address flood the console, people who are signed in see their pages,
// and a right key signs in. A session that this process has not seen yet waits for its turn.
func TestConsoleBesideAFlood(t *testing.T) {
	t.Parallel()
	db, issuer := filepath.Join(t.TempDir(), "team.db"), newIssuer(t)
	s := faulty(t, db, issuer, fault{http: func(_ *service, o *httpserver.Options) { o.Rate = auth.Rate{PerSecond: 10, Burst: 10} }})
	_, key := newKey(t, db, "local", auth.Read, "*")
	cookie := s.signIn(t, key)
	name, session, _ := strings.Cut(cookie, "=")
	elsewhere := auth.NewKeys(s.store, auth.Options{}) // as another process of the same database
	defer elsewhere.Close(context.Background())
	s.mustVisit(t, "a page of a person", "/", cookie, nil, 200)
	ctx, stop := context.WithCancel(t.Context())
	var crowd sync.WaitGroup
	defer crowd.Wait()
	defer stop()
	var refused atomic.Int64
	for i := range 4 {
		crowd.Go(func() {
			for ctx.Err() == nil {
				unknown := [2]string{"", name + "=" + strings.Repeat("x", len(session))}[i%2]
				if res, err := s.ask(ctx, "/signin", "Cookie: "+unknown, nil); err == nil && res.StatusCode == 429 {
					refused.Add(1)
				}
			}
		})
	}
	hammered := func() {
		t.Helper()
		before := refused.Load()
		eventually(t, "the flood is not refused", func() bool { return refused.Load() >= before+10 })
	}
	for range 5 {
		hammered()
		s.mustVisit(t, "a page of a person", "/", cookie, nil, 200)
		s.mustVisit(t, "a right key", "/signin", "", url.Values{"key": {key}}, 303)
		fresh, _, _, err := elsewhere.Sessions().Begin(t.Context(), key)
		testkit.Must(t, err)
		s.mustVisit(t, "a page of a person whose session is new here", "/", name+"="+fresh, nil, 200)
	}
	hammered()
}

// An address that has sent the console too many requests keeps nobody from the pages whose
// session is known. Not even a short wait is needed. What is not known takes the limit.
func TestConsoleOfAKnownSession(t *testing.T) {
	t.Parallel()
	db, issuer := filepath.Join(t.TempDir(), "team.db"), newIssuer(t)
	s := faulty(t, db, issuer, fault{http: func(_ *service, o *httpserver.Options) { o.Rate = auth.Rate{PerSecond: .001, Burst: 5} }})
	_, key := newKey(t, db, "local", auth.Read, "*")
	cookie := s.signIn(t, key)
	s.mustVisit(t, "a page of a person", "/", cookie, nil, 200)
	for i := range 18 {
		s.mustVisit(t, fmt.Sprintf("request %d of the address", i), "/signin", "", nil, 200)
	}
	s.mustVisit(t, "one more", "/signin", "", nil, 429)
	for range 3 {
		s.mustVisit(t, "a page of a person", "/", cookie, nil, 200)
		s.mustVisit(t, "a session that is not known", "/", cookie[:len(cookie)-8]+"AAAAAAAA", nil, 429)
	}
	s.mustVisit(t, "the page for signing in, to a person", "/signin", cookie, nil, 303)
	id, _, _ := strings.Cut(strings.TrimPrefix(key, "sp_"), "_")
	testkit.Must(t, testkit.Err(s.keys.Revoke(t.Context(), id[:8])))
	s.mustVisit(t, "a session whose key was revoked", "/", cookie, nil, 429)
}

// What a tenant with many keys does to a server keeps no call of another tenant from
// succeeding.
func TestHostileTenant(t *testing.T) {
	const keys = 8
	db := filepath.Join(t.TempDir(), "team.db")
	c := newCast(t, db)
	var hostile []actor
	for range keys {
		hostile = append(hostile, c.key("fox", "", both, "*"))
	}
	victim := c.key("hens", "", both, "planner")
	r := serve(t, "--db", db)
	uses := map[string]*use{
		"small":  {tool: "append_log", args: writeArgs},
		"middle": {tool: "append_log", args: `"path":"m","entry":"` + strings.Repeat("x", 30_000) + `"`},
		"large":  {tool: "write_file", args: `"path":"f","content":"` + strings.Repeat("x", 900_000) + `"`},
	}
	for _, u := range uses {
		u.url, u.key = r.url, victim.credential
		u.begin(t)
	}
	for name, attack := range attacks {
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		for i, a := range hostile {
			work.Go(func() { attack(ctx, t, r.url, a, i) })
		}
		time.Sleep(100 * time.Millisecond) // the attack has begun
		for size, u := range uses {
			for range testkit.Pick(1, 3, 3) {
				began := time.Now()
				one, cancel := context.WithTimeout(ctx, 10*time.Second)
				ok, status, text := u.once(one)
				cancel()
				if took := time.Since(began); !ok {
					t.Errorf("%s: a %s call of another tenant: %d %.200s after %v", name, size, status, text, took)
				} else if testing.Verbose() {
					t.Logf("%s: a %s call takes %v", name, size, took)
				}
			}
		}
		stop()
		work.Wait()
	}
}

// attacks are what a hostile caller does until the context ends.
var attacks = map[string]func(ctx context.Context, t *testing.T, url string, a actor, i int){
	"as many calls as it can": func(ctx context.Context, _ *testing.T, url string, a actor, i int) {
		for n := 0; ctx.Err() == nil; n++ {
			u := use{url: url, key: a.credential, tool: "append_log", args: fmt.Sprintf(`"agent_id":"a-%d-%d",`, i, n) + writeArgs}
			u.once(ctx)
		}
	},
	"bodies that do not come": func(ctx context.Context, t *testing.T, url string, a actor, _ int) {
		keepOpen(ctx, t, url, a, 25, func(size int) string { return strings.Repeat(" ", size-1) }, 120_000)
	},
	"large bodies that do not come": func(ctx context.Context, t *testing.T, url string, a actor, _ int) {
		keepOpen(ctx, t, url, a, 10, func(size int) string { return strings.Repeat(" ", size-1) }, 8<<20)
	},
	"answers that are not taken": func(ctx context.Context, t *testing.T, url string, a actor, i int) {
		u := use{url: url, key: a.credential, tool: "write_file", args: fmt.Sprintf(`"agent_id":"big-%d","path":"f","content":"%s"`, i, strings.Repeat("x", 1_000_000))}
		u.once(ctx)
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"scratchpad://big-%d/f","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, i)
		keepOpen(ctx, t, url, a, 20, func(int) string { return body }, len(body), "Mcp-Method: resources/read", fmt.Sprintf("Mcp-Name: scratchpad://big-%d/f", i))
	},
}

// keepOpen opens connections that send a body of the given length, or a part of it, and read
// no answer, and keeps them until the context ends.
func keepOpen(ctx context.Context, t *testing.T, url string, a actor, n int, body func(size int) string, size int, headers ...string) {
	for range n {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		testkit.Must(t, conn.(*net.TCPConn).SetReadBuffer(4096))
		own := append(headers[:len(headers):len(headers)], "Authorization: Bearer "+a.credential, fmt.Sprint("Content-Length: ", size))
		conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // the server may not take all of it
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\n%s\r\n\r\n%s", strings.Join(own, "\r\n"), body(size))
	}
	<-ctx.Done()
}
