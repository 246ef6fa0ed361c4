package httpserver

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
)

// eventsPath is where the console sends events until one side has enough.
const eventsPath = "/events"

type originKey struct{}

// An Origin is where a request to the console comes from, and how it got here.
type Origin struct {
	// Address is that of the client, as far as trusted proxies tell. The zero Addr is
	// unknown.
	Address netip.Addr

	// Forwarded says that a proxy has passed the request on. Then the client may be
	// anywhere, even if the proxy is on this machine.
	Forwarded bool

	// URL is the server as the browser names it, such as https://memory.example.com. It
	// is what the client says.
	URL string
}

// OriginOf returns the origin of the request of a context. Requests to the console have
// one; others have the zero Origin.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

// serveConsole passes on the requests of people. They count by address, because the
// console alone knows who they are.
func (s *Server) serveConsole(w http.ResponseWriter, r *http.Request) {
	from := s.clientAddress(r)
	id := "console " + from.String()
	if after, ok := s.callers.admit(id, s.o.Rate, s.now()); !ok {
		s.stats.callerRate.Add(1)
		s.refuse(w, r, refused(http.StatusTooManyRequests, "too many requests come from your address").retry(after))
		return
	}
	origin := Origin{Address: from, Forwarded: isForwarded(r)}
	if peer, ok := parseAddress(r.RemoteAddr); !ok || !s.trusted(peer) {
		r.Header.Del("X-Forwarded-Proto")
	}
	origin.URL = "http://" + r.Host
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		origin.URL = "https://" + r.Host
	}
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), originKey{}, origin))
	defer cancel()
	leave, f := s.calls.enter(id, "console", r.URL.Path == eventsPath, cancel)
	if f != nil {
		s.refuse(w, r, f)
		return
	}
	defer leave()
	s.o.Console.ServeHTTP(w, r.WithContext(ctx))
}
