package httpserver

import (
	"context"
	"net/http"
	"net/netip"
)

// eventsPath is where the console sends events until one side has enough.
const eventsPath = "/events"

type clientAddressKey struct{}

// ClientAddress returns where the request of a context comes from, as far as trusted
// proxies tell. The zero Addr is unknown. Requests to the console have one.
func ClientAddress(ctx context.Context) netip.Addr {
	addr, _ := ctx.Value(clientAddressKey{}).(netip.Addr)
	return addr
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
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), clientAddressKey{}, from))
	defer cancel()
	leave, f := s.calls.enter(id, "console", r.URL.Path == eventsPath, cancel)
	if f != nil {
		s.refuse(w, r, f)
		return
	}
	defer leave()
	if peer, ok := parseAddress(r.RemoteAddr); !ok || !s.trusted(peer) {
		r.Header.Del("X-Forwarded-Proto")
	}
	s.o.Console.ServeHTTP(w, r.WithContext(ctx))
}
