package httpserver

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/console"
	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
)

// people know sessions by names of up to 3 letters, which are also the credentials.
type people struct{ svc *workspace.Service }

// Person implements [console.People].
func (p people) Person(_ context.Context, session string) (console.Person, error) {
	if session == "" || len(session) > 3 {
		return console.Person{}, console.ErrSignedOut
	}
	return console.Person{
		ID: session, Name: session, Key: "k-" + session, Read: true, Write: true,
		Agents: []string{"*"}, Allow: func(string) bool { return true }, Service: p.svc,
	}, nil
}

// SignIn implements [console.People].
func (p people) SignIn(_ context.Context, credential string) (string, time.Time, error) {
	if len(credential) > 3 {
		return "", time.Time{}, console.ErrRefused
	}
	return credential, time.Now().Add(time.Hour), nil
}

// SignOut implements [console.People].
func (p people) SignOut(context.Context, string) error { return nil }

// newConsole returns real pages over a database in memory, for a server that is made later.
func newConsole(s func() *Server) (pages *console.Handler, svc *workspace.Service, err error) {
	if svc, err = workspace.New(memstore.New(), workspace.Options{}); err != nil {
		return nil, nil, err
	}
	pages, err = console.New(console.Options{
		People: people{svc},
		Admit: func(ctx context.Context, p console.Person) error {
			if after, ok := s().AdmitPerson(ctx, p.ID, p.Key); !ok {
				return &console.Busy{After: after, Text: "too many requests"}
			}
			return nil
		},
	})
	return pages, svc, err
}

// fillConsole writes a file that fills a page.
func fillConsole(svc *workspace.Service) error {
	ws, err := svc.Agent("x")
	if err != nil {
		return err
	}
	_, err = ws.WriteFile(context.Background(), "big.md", []byte(strings.Repeat("A line of a large file.\n", 40_000)), workspace.WriteOptions{})
	return err
}

// serveConsole serves real pages and real MCP.
func serveConsole(t *testing.T, o Options, change func(*Server)) (*served, *workspace.Service) {
	t.Helper()
	var server *Server
	pages, svc, err := newConsole(func() *Server { return server })
	testkit.Must(t, err)
	o.Console = pages
	return serve(t, o, func(s *Server) {
		if server = s; change != nil {
			change(s)
		}
	}), svc
}

const asBrowser = "Accept: text/html"

// as is the session of a person.
func as(person string) string { return "Cookie: scratchpad=" + person }

// form returns a form of a person, with so many bytes more, that changes nothing.
func form(person string, more int) string {
	sum := sha256.Sum256([]byte("scratchpad form\x00" + person))
	return url.Values{"token": {base64.RawURLEncoding.EncodeToString(sum[:18])}, "more": {strings.Repeat("x", more)}}.Encode()
}

const urlencoded = "Content-Type: application/x-www-form-urlencoded"

// post returns the bytes of a form. To sign out changes nothing here.
func post(person string, more int, headers ...string) string {
	return request("POST", "/signout", form(person, more), append(headers, urlencoded, as(person))...)
}

func signInWith(key string, headers ...string) string {
	return request("POST", "/signin", url.Values{"key": {key}}.Encode(), append(headers, urlencoded)...)
}

// What no page takes is refused before a page looks at it.
func TestConsoleMethods(t *testing.T) {
	testkit.SkipInShort(t)
	s, _ := serveConsole(t, Options{}, nil)
	ada := as("ada")
	for name, c := range map[string]struct {
		method, text string
		status       int
	}{
		"a page":             {"GET", request("GET", "/", "", ada), 200},
		"a form":             {"POST", post("ada", 5<<20), 303},
		"a stale form":       {"POST", request("POST", "/signout", form("bob", 1), urlencoded, ada), 403},
		"a form of a file":   {"POST", request("POST", "/signout", form("ada", 1), "Content-Type: multipart/form-data; boundary=x", ada), 403},
		"too long":           {"POST", post("ada", 7<<20), 413},
		"a long key":         {"POST", signInWith(strings.Repeat("x", 9000)), 400},
		"a form in chunks":   {"POST", request("POST", "/signout", "", ada, urlencoded, "Transfer-Encoding: chunked") + "0\r\n\r\n", 411},
		"a page with a form": {"GET", request("GET", "/", "x", ada), 413},
		"the head of events": {"HEAD", request("HEAD", "/events", "", ada), 405},
		"PUT":                {"PUT", request("PUT", "/a/x/files/y", "z", ada), 405},
		"a new method":       {"BREW", request("BREW", "/", "", ada), 405},
		"no session":         {"GET", request("GET", "/", ""), 401},
		"a browser without":  {"GET", request("GET", "/?q=x", "", asBrowser), 303},
		"a site elsewhere":   {"POST", post("ada", 1, "Origin: https://evil.example"), 403},
		"an icon":            {"GET", request("GET", "/favicon.ico", ""), 200},
		"no such page":       {"GET", request("GET", "/none/at/all", "", asBrowser, ada), 404},
		"well known":         {"GET", request("GET", "/.well-known/x", "", asBrowser, ada), 404},
	} {
		a := s.dial().send(c.text).read(c.method)
		if a.status != c.status {
			t.Errorf("%s: %v, want %d", name, a, c.status)
		}
		if a.status == 405 && a.header.Get("Allow") == "" {
			t.Errorf("%s: no Allow", name)
		}
		if a.header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: the headers are %v", name, a.header)
		}
	}
	s.mustAppend()
}

// A body or a form that does not arrive ends, and holds nobody's goroutine, whatever the answer is.
func TestSlowBodies(t *testing.T) {
	s, _ := serveConsole(t, Options{}, func(s *Server) {
		s.limits.form, s.limits.formMiB, s.limits.skip = 100*time.Millisecond, 0, 50*time.Millisecond
	})
	var all sync.WaitGroup
	for name, text := range map[string]string{
		"to sign in":      request("POST", "/signin", "", urlencoded, "Content-Length: 100") + "key=",
		"of a person":     request("POST", "/signout", "", urlencoded, as("ada"), "Content-Length: 3000000") + "token=",
		"of a stranger":   request("POST", "/signout", "", urlencoded, "Content-Length: 3000000") + "token=",
		"no byte of it":   request("POST", "/signout", "", urlencoded, as("ada"), "Content-Length: 100"),
		"no key":          request("POST", "/mcp", "", "Content-Length: 100"),
		"chunked":         request("POST", "/mcp", "", "Transfer-Encoding: chunked"),
		"too large":       request("POST", "/mcp", "", withKey, "Content-Length: 600000000"),
		"health":          request("GET", "/healthz", "", "Content-Length: 100"),
		"chunks for ever": request("POST", "/signout", "", urlencoded, as("ada"), "Transfer-Encoding: chunked") + "1\r\nx\r\n",
	} {
		c := s.dial().send(text)
		all.Go(func() {
			if a := c.read("POST"); a.status < 400 || !a.close {
				t.Errorf("%s: %v, closed: %v, want an error and a closed connection", name, a, a.close)
			}
			if !c.isClosed() {
				t.Errorf("%s: the connection is still open", name)
			}
		})
	}
	drips := s.dial().send(request("POST", "/signout", "", urlencoded, as("ada"), "Content-Length: 3000000"))
	all.Go(func() {
		for range 500 {
			if _, err := drips.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Error("a form drips for 5 s")
	})
	all.Wait()
	eventually(t, "requests are still under way", func() bool {
		n := s.Stats()
		return n.Visits == 0 && n.Connections == 0
	})
}

// A person and an address have a rate, which keeps nobody else.
func TestConsoleRates(t *testing.T) {
	testkit.SkipInShort(t)
	s, _ := serveConsole(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Rate: auth.Rate{PerSecond: .001, Burst: 3}}, nil)
	get := func(path, person, from string) int {
		a := s.ask("GET", path, "", as(person), "X-Forwarded-For: "+from)
		if a.status == 429 && a.header.Get("Retry-After") == "" {
			t.Errorf("%v without Retry-After", a)
		}
		return a.status
	}
	for i, want := range []int{200, 200, 200, 429, 429} {
		if got := get("/", "ada", fmt.Sprintf("192.0.2.%d", i)); got != want {
			t.Errorf("request %d of a person: %d, want %d", i, got, want)
		}
	}
	if got := get("/", "bob", "192.0.2.1"); got != 200 {
		t.Errorf("another person: %d", got)
	}
	for i := range addressRate * 3 {
		if got := get("/signin", "", "192.0.2.99"); got != 200 {
			t.Errorf("request %d of an address: %d", i, got)
		}
	}
	if got := get("/signin", "", "192.0.2.99"); got != 429 {
		t.Errorf("one more of that address: %d, want 429", got)
	}
	for i := range addressRate * 3 {
		if got := get("/signin", "", fmt.Sprintf("2001:db8:0:1::%x", i+1)); got != 200 {
			t.Errorf("request %d of a network: %d", i, got)
		}
	}
	if got := get("/signin", "", "2001:db8:0:1:ffff::1"); got != 429 {
		t.Errorf("one more of that network of IPv6: %d, want 429", got)
	}
	if got := get("/signin", "", "2001:db8:0:2::1"); got != 200 {
		t.Errorf("another network of IPv6: %d", got)
	}
	if n := s.Stats().RefusedCallerRate; n != 4 {
		t.Errorf("%d are counted as refused, want 4", n)
	}
	s.mustAppend()
}

// A connection of an address that is over its rate is closed, because its next requests would
// be refused too. That of a proxy, which has the requests of many, stays open.
func TestConsoleClosesOverRate(t *testing.T) {
	for _, proxies := range [][]netip.Prefix{nil, {netip.MustParsePrefix("127.0.0.0/8")}} {
		s, _ := serveConsole(t, Options{TrustedProxies: proxies, Rate: auth.Rate{PerSecond: .001, Burst: 3}}, nil)
		c := s.dial()
		signIn := request("GET", "/signin", "", "X-Forwarded-For: 192.0.2.1")
		for i := range addressRate * 3 {
			if a := c.send(signIn).read("GET"); a.status != 200 {
				t.Fatalf("proxies %v: request %d: %v", proxies, i, a)
			}
		}
		if a := c.send(signIn).read("GET"); a.status != 429 || a.close != (proxies == nil) {
			t.Errorf("proxies %v: one more is answered with %v, and closes: %v", proxies, a, a.close)
		}
		if proxies == nil {
			if !c.isClosed() {
				t.Error("the connection stays open")
			}
		} else if a := c.send(request("GET", "/healthz", "")).read("GET"); a.status != 200 {
			t.Errorf("the next request of a proxy: %v", a)
		}
	}
}

// openPage opens a stream of events, and reads nothing of it.
func (s *served) openPage(person string) *http.Response {
	s.t.Helper()
	res, err := http.ReadResponse(s.dial().send(request("GET", "/events", "", as(person))).in, nil)
	testkit.Must(s.t, err)
	return res
}

// At a stop open pages end at once, a form under way is done, and new requests are refused.
func TestStopConsole(t *testing.T) {
	s, _ := serveConsole(t, Options{}, func(s *Server) { s.limits.drain, s.limits.form = time.Hour, patience })
	s.stop = s.within(patience)
	var pages []*http.Response
	for range 3 {
		pages = append(pages, s.openPage("ada"))
	}
	text := post("bob", 100)
	under := s.dial().send(text[:len(text)-50])
	eventually(t, "the form and the pages are not there", func() bool { n := s.Stats(); return n.Visits == 1 && n.Pages == 3 && n.Calls == 0 })
	ended := s.stopping()
	for i, p := range pages {
		if _, err := io.Copy(io.Discard, p.Body); err != nil {
			t.Errorf("page %d: %v", i, err)
		}
	}
	if a := s.ask("GET", "/", "", as("bob"), asBrowser); a.status != 503 || a.header.Get("Retry-After") == "" || !strings.Contains(a.text, "stopping") {
		t.Errorf("a new request: %v", a)
	}
	if a := under.send(text[len(text)-50:]).read("POST"); a.status != 303 {
		t.Errorf("the form under way: %v", a)
	}
	testkit.Must(t, <-ended)
}

// A person has so many open pages, read or not. Strangers make room for others, and the pages and
// forms of people stay.
func TestConsoleRoom(t *testing.T) {
	proxy := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s, _ := serveConsole(t, Options{MaxConnections: 400, TrustedProxies: proxy, Rate: auth.Rate{PerSecond: -1}}, func(s *Server) { s.limits.header, s.limits.form = patience, patience })
	for i := range 64 {
		if a := s.openPage("eve"); a.StatusCode != 200 {
			t.Fatalf("page %d: %d", i, a.StatusCode)
		}
	}
	if a := s.openPage("eve"); a.StatusCode != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("page 65: %d, want 429", a.StatusCode)
	}
	if a := s.openPage("bob"); a.StatusCode != 200 {
		t.Errorf("a page of another person: %d", a.StatusCode)
	}
	text := post("ada", 100)
	under := s.dial().send(text[:len(text)-50])
	eventually(t, "the form is not under way", func() bool { return s.Stats().Visits == 1 && s.held() == 66 })
	for i := range 500 {
		text := request("POST", "/signin", "", "Content-Length: 100", urlencoded, "X-Forwarded-For: 192.0.2.1")
		if i >= 100 { // fewer requests than one address may have under way
			text = text[:20]
		}
		s.dial().send(text)
	}
	s.mustAppend()
	if a := s.ask("GET", "/", "", as("bob")); a.status != 200 {
		t.Errorf("another person: %v", a)
	}
	if a := under.send(text[len(text)-50:]).read("POST"); a.status != 303 {
		t.Errorf("the form under way: %v", a)
	}
	eventually(t, "no strangers make room, or pages do", func() bool { n := s.Stats(); return n.ClosedForRoom > 100 && n.Pages == 65 })
}

// However many strangers wait at the console, there is room for calls.
func TestConsoleLeavesRoomForCalls(t *testing.T) {
	g := newGate()
	s := serve(t, Options{Console: g, MaxConnections: 16, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, nil)
	defer g.open()
	answers := make(chan int, 14)
	for i := range 14 {
		c := s.dial().send(request("GET", "/", "", fmt.Sprintf("X-Forwarded-For: 192.0.2.%d", i/5)))
		go func() { answers <- c.read("GET").status }()
	}
	for range 2 {
		if status := <-answers; status != 429 {
			t.Errorf("one of too many: %d, want 429", status)
		}
	}
	for range 12 {
		<-g.entered
	}
	if n := s.Stats().Visits; n != 12 {
		t.Errorf("%d requests are under way, want 12", n)
	}
	s.mustAppend()
}

// What is told of a request has nothing that the client chose.
func TestVisited(t *testing.T) {
	var mu sync.Mutex
	var told []string
	note := func(ctx context.Context, v Visit) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf("%s key=%s %d %v", v.Route, v.Key, v.Status, v.Stream))
		if RequestID(ctx) == "" || v.Took <= 0 {
			t.Errorf("request %q took %v", RequestID(ctx), v.Took)
		}
	}
	s, _ := serveConsole(t, Options{Visited: note}, nil)
	ada := as("ada")
	for _, text := range []string{
		request("GET", "/", "", ada), request("GET", "/a/CANARY?q=CANARY", "", ada), request("HEAD", "/a/x/files/CANARY", "", ada), request("GET", "/CANARY", "", ada),
		request("GET", "/signin?token=CANARY&next=/CANARY", ""), signInWith("CANARY"), post("ada", 1), request("BREW", "/CANARY", "", ada),
		request("GET", "/events?agent=CANARY", ""), request("GET", "/static/CANARY.css", ""),
	} {
		method, _, _ := strings.Cut(text, " ")
		s.dial().send(text).read(method)
	}
	testkit.Must(t, s.stop())
	want := []string{
		" key= 405 false", "/ key= 404 false", "GET /a/{agent} key=k-ada 200 false", "GET /a/{agent}/files/{path...} key=k-ada 404 false", "GET /events key= 401 true",
		"GET /signin key= 200 false", "GET /static/{name} key= 404 false", "GET /{$} key=k-ada 200 false", "POST /signin key= 403 false", "POST /signout key=k-ada 303 false",
	}
	slices.Sort(told) // an answer may arrive before its request is told of
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("what is told (-want +got):\n%s", diff)
	}
}

// A panic of the console is a 500, and is counted as one.
func TestConsolePanic(t *testing.T) {
	status := make(chan int, 1)
	s := serve(t, Options{Visited: func(_ context.Context, v Visit) { status <- v.Status }, Console: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("CANARY") })}, nil)
	if a := s.ask("GET", "/", ""); a.status != 500 || strings.Contains(a.text, "CANARY") {
		t.Errorf("%v, want 500", a)
	}
	if got := <-status; got != 500 || s.Stats().Visits != 0 {
		t.Errorf("told: %d; %+v", got, s.Stats())
	}
}

// Only what a trusted proxy says of a request counts.
func TestConsoleOrigin(t *testing.T) {
	tell := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := OriginOf(r.Context())
		fmt.Fprint(w, o.Address, " ", o.Forwarded, " ", o.URL, " ", r.Header.Get("X-Forwarded-Proto"))
	})
	direct := serve(t, Options{Console: tell}, nil)
	behind := serve(t, Options{Console: tell, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, nil)
	for _, c := range []struct {
		s       *served
		headers []string
		want    string
	}{
		{direct, nil, "127.0.0.1 false http://localhost "},
		{direct, []string{"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https"}, "127.0.0.1 true http://localhost "},
		{behind, []string{"X-Forwarded-For: 192.0.2.1, 192.0.2.2", "X-Forwarded-Proto: https"}, "192.0.2.2 true https://localhost https"},
		{behind, []string{"X-Forwarded-For: 192.0.2.1"}, "192.0.2.1 true http://localhost "},
		{behind, []string{"Host: localhost:8443"}, "127.0.0.1 false http://localhost:8443 "},
	} {
		if a := c.s.ask("GET", "/", "", c.headers...); a.text != c.want {
			t.Errorf("with %q: %v, want %s", c.headers, a, c.want)
		}
	}
	if o := OriginOf(t.Context()); o != (Origin{}) {
		t.Errorf("without a request: %+v", o)
	}
}
