package httpserver

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

const (
	signInPath = "/signin"       // where a key is sent
	eventsPath = "/events"       // where the console sends events until one side has enough
	maxForm    = 8 << 20         // bytes of a body; the console has a lower limit for each form
	maxWait    = 5 * time.Second // of a person for the rate of the address

	// An address may be that of many people, so it has so many times the rate of one.
	addressRate = 4
)

// An Origin says where a request to the console comes from, and by which connection.
type Origin struct {
	// Address is the address of the client, as far as trusted proxies tell. The zero Addr means
	// that the address is not known.
	Address netip.Addr

	// Forwarded says that a proxy has passed the request on. Then the client may be
	// anywhere, even if the proxy is on this machine.
	Forwarded bool

	// Client and Server are the ends of the connection. The zero AddrPort is unknown.
	Client, Server netip.AddrPort

	// URL is the server as the browser names it, such as https://memory.example.com. The
	// client says so: do not trust it.
	URL string
}

// A Visit is a request to the console that has ended. It has no text that the client chose.
type Visit struct {
	Route  string // the pattern, such as "GET /a/{agent}"; "": no route had it
	Key    string // the id of the person's API key; "": not known, or none
	Status int
	Took   time.Duration
	Stream bool // of events; it lasted as long as its page
}

type consoleKey struct{}

// A consoleCall is a request to the console. Its goroutine alone uses it.
type consoleCall struct {
	origin Origin
	stream bool
	key    string
}

func consoleCallOf(ctx context.Context) *consoleCall {
	q, _ := ctx.Value(consoleKey{}).(*consoleCall)
	return q
}

// OriginOf returns the origin of the request to the console that ctx belongs to. For other
// contexts, it returns the zero Origin.
func OriginOf(ctx context.Context) Origin {
	if q := consoleCallOf(ctx); q != nil {
		return q.origin
	}
	return Origin{}
}

// AdmitPerson counts a request to the console for the person who sends it. ctx is the context of
// the request, and key is for the log. If the person has sent too many requests, ok is false,
// and the next request may come after retryAfter. After AdmitPerson, the server does not close
// the connection to make room for others before the request has its answer.
func (s *Server) AdmitPerson(ctx context.Context, id, key string) (retryAfter time.Duration, ok bool) {
	if q := consoleCallOf(ctx); q != nil {
		q.key = key
		keepOpen(ctx)
	}
	if retryAfter, ok = s.callers.admit("person "+id, s.o.Rate, 0, s.now()); !ok {
		s.stats.callerRate.Add(1)
	}
	return retryAfter, ok
}

// serveConsole passes on the requests of people.
func (s *Server) serveConsole(w *response, r *http.Request) {
	began := time.Now()
	q := &consoleCall{origin: s.originOf(r), stream: r.URL.Path == eventsPath}
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), consoleKey{}, q))
	defer cancel()
	r = r.WithContext(ctx)
	defer func() {
		if s.o.Visited != nil {
			status := cmp.Or(w.status, http.StatusInternalServerError) // 500 after a panic
			s.o.Visited(ctx, Visit{r.Pattern, q.key, status, time.Since(began), q.stream})
		}
	}()
	leave, f := s.enterConsole(q, r, func() { cancel(); stopReading(w.ResponseWriter) })
	if f != nil {
		s.refuse(w, r, f)
		return
	}
	defer leave()
	s.timeForm(w, r)
	s.o.Console.ServeHTTP(w, r)
	if w.late && w.status == 0 { // net/http has cancelled the context, so the console was silent
		s.refuse(w, r, refused(http.StatusRequestTimeout, "the form did not arrive in time"))
	}
	w.begin(http.StatusOK)
}

// countConsole counts a request to the console, and returns for whom: for the key of a session
// that is known, and else for the address. A request of an address that has sent too many waits
// for its turn if it may have a right credential that is not known yet.
func (s *Server) countConsole(q *consoleCall, r *http.Request) (id string, f *refusal) {
	known := false
	id, whose := "console "+auth.Network(q.origin.Address).String(), "your address"
	for _, cookie := range r.Cookies() {
		if s.o.KnownSession == nil {
			break
		}
		if c, ok := s.o.KnownSession(r.Context(), cookie.Value); ok {
			id, whose, known = "console key "+c.Key, "your session", true
			break
		}
	}
	longest := time.Duration(0)
	if r.Method == http.MethodPost && r.URL.Path == signInPath || !known && r.Header.Get("Cookie") != "" {
		longest = maxWait
	}
	limit := auth.Rate{PerSecond: addressRate * s.o.Rate.PerSecond, Burst: addressRate * s.o.Rate.Burst}
	after, ok := s.callers.admit(id, limit, longest, s.now())
	if !ok {
		s.stats.callerRate.Add(1)
		f = refused(http.StatusTooManyRequests, "too many requests come from %s", whose).retry(after)
		if !s.trusted(q.origin.Client.Addr().Unmap().WithZone("")) { // what it has sent already would all be refused
			f = f.with("Connection", "close")
		}
		return "", f
	}
	if after > 0 {
		select {
		case <-time.After(after):
		case <-r.Context().Done():
		}
	}
	return id, nil
}

// enterConsole refuses what the console need not look at.
func (s *Server) enterConsole(q *consoleCall, r *http.Request, end func()) (leave func(), f *refusal) {
	id, f := s.countConsole(q, r)
	if f != nil {
		return nil, f
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !reads && r.Method != http.MethodPost, q.stream && r.Method != http.MethodGet:
		return nil, refused(http.StatusMethodNotAllowed, "the pages know GET and POST").with("Allow", "GET, HEAD, POST")
	case r.ContentLength < 0:
		return nil, refused(http.StatusLengthRequired, "say how long the form is")
	case reads && r.ContentLength != 0, r.ContentLength > maxForm:
		return nil, refused(http.StatusRequestEntityTooLarge,
			"the form is longer than %d bytes, or there should be none", maxForm)
	}
	left, f := s.calls.enter(id, "console", s.calls.people, running{q.stream, end})
	if f != nil || !q.stream {
		return left, f
	}
	s.stats.pages.Add(1)
	return func() { s.stats.pages.Add(-1); left() }, nil
}

// originOf returns the origin of a request. It removes a header that only a trusted proxy
// may send.
func (s *Server) originOf(r *http.Request) Origin {
	o := Origin{Address: s.clientAddress(r), Forwarded: isForwarded(r), URL: "http://" + r.Host}
	o.Client, _ = netip.ParseAddrPort(r.RemoteAddr)
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && at != nil {
		o.Server, _ = netip.ParseAddrPort(at.String())
	}
	if peer, ok := parseAddress(r.RemoteAddr); !ok || !s.trusted(peer) {
		r.Header.Del("X-Forwarded-Proto")
	}
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		o.URL = "https://" + r.Host
	}
	return o
}

// timeForm ends a form that takes too long to arrive.
func (s *Server) timeForm(w *response, r *http.Request) {
	if r.ContentLength <= 0 {
		return
	}
	until := time.Now().Add(s.limits.form + time.Duration(r.ContentLength)*s.limits.formMiB>>20)
	_ = w.SetReadDeadline(until) // a connection without deadlines has none
	w.until = until
	r.Body = &timedForm{r.Body, w}
}

// A timedForm notes that a form is late. When all of a form is there, net/http lifts the
// deadline itself.
type timedForm struct {
	io.ReadCloser
	w *response
}

// Read implements [io.Reader].
func (f *timedForm) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		f.w.late = true
	}
	return n, err
}
