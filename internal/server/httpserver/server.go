package httpserver

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/admission"
)

// Server serves an MCP handler, the API and the console to a network. It is safe for concurrent use.
type Server struct {
	o        Options
	limits   limits
	now      func() time.Time
	stats    counters
	places   *places
	calls    *calls
	callers  *rates[string]
	agents   *rates[agentName]
	ready    readiness
	cert     *certificate
	skippers *admission.Semaphore // requests that wait for a body to skip

	base    context.Context // ends when the server has stopped
	end     context.CancelFunc
	workers sync.WaitGroup
}

// New returns a server. It reads the TLS files. Errors: [workspace.ErrInvalid].
func New(o Options) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	cert, err := newCertificate(o.TLSCert, o.TLSKey)
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, limits: defaultLimits, now: time.Now, cert: cert, skippers: admission.New(maxSkippers, maxSkippers),
		calls: newCalls(o.MaxConnections), callers: newRates[string](), agents: newRates[agentName](),
	}
	s.places = &places{most: o.MaxConnections, stats: &s.stats}
	s.base, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Serve serves the connections of a listener until ctx ends. After that, the listener stays
// open for a while: /readyz says that the server stops, and new calls get status 503. Serve
// returns nil when the calls under way are answered, but after 10 seconds at most. It cuts
// calls that take longer, such as those whose body does not arrive. Serve closes the listener.
// Call Serve at most once.
//
// The protocol is HTTP/1.1, without HTTP/2. An agent makes one call at a time, so it would
// gain nothing from many streams in a connection. With HTTP/1.1, every limit on connections is
// also a limit on requests.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer s.workers.Wait()
	defer s.end()
	var secure *tls.Config
	if s.cert != nil {
		s.workers.Go(func() { s.cert.watch(s.base, s) })
		secure = s.cert.config()
	}
	var began time.Time
	var cut int64
	err := s.serve(ctx, s.places, s.places.listen(l, secure), http.HandlerFunc(s.route), func() {
		began = time.Now()
		cut = s.drain()
	})
	if err == nil {
		s.o.Logger.Info("the server has stopped", "cut", cut, "took", time.Since(began).Round(time.Millisecond))
	}
	return err
}

// ServeMetrics serves /metrics to everybody who reaches the listener l. Let only the collector
// of metrics reach l. The Host of a request must be an address, localhost, name, or one of
// Options.Hosts. ServeMetrics returns nil when ctx ends.
func (s *Server) ServeMetrics(ctx context.Context, l net.Listener, name string) error {
	p := &places{most: metricsConnections, stats: new(counters)}
	return s.serve(ctx, p, p.listen(l, nil), s.metricsHandler(name), func() {})
}

// serve serves a listener until the context ends, and then while drain runs.
func (s *Server) serve(ctx context.Context, p *places, l net.Listener, route http.Handler, drain func()) error {
	srv := s.newHTTP(p, route)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		srv.Close()
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	drain()
	last, cancel := context.WithTimeout(context.Background(), s.limits.linger)
	defer cancel()
	if srv.Shutdown(last) != nil { // some answers are not taken
		srv.Close()
	}
	<-failed
	return nil
}

// drain waits for the calls under way. When their time is over, they are cut. It returns how
// many those are.
func (s *Server) drain() (cut int64) {
	idle, calls := s.calls.stop()
	s.o.Logger.Info("the server stops when the calls under way have ended", "calls", calls, "within", s.limits.drain)
	select {
	case <-idle:
		return 0
	case <-time.After(s.limits.drain):
	}
	s.end()
	cut = s.calls.cut()
	s.o.Logger.Warn("calls are cut, because the server stops", "calls", cut)
	select {
	case <-idle:
	case <-time.After(s.limits.linger):
	}
	return cut
}

func (s *Server) newHTTP(p *places, route http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      s.handler(route),
		Protocols:                    protocols,
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            s.limits.header,
		ReadTimeout:                  s.limits.read,
		IdleTimeout:                  s.limits.idle,
		WriteTimeout:                 s.limits.answer,
		MaxHeaderBytes:               maxHeader - 4<<10, // net/http lets 4 KiB more through
		ConnState:                    p.noteState,
		ErrorLog:                     slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelDebug),
		BaseContext:                  func(net.Listener) context.Context { return s.base },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, connOf(c))
		},
	}
}

// metricsHandler serves /metrics to everybody, for a listener of its own. A page of another
// site can give its own name the address of the listener, so names are checked on every
// address.
func (s *Server) metricsHandler(name string) http.Handler {
	names := append([]string{"localhost", name}, s.o.Hosts...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := strings.TrimSuffix(hostOf(r.Host), ".")
		if _, err := netip.ParseAddr(host); err != nil && !isAmong(host, names) {
			s.refuse(w, r, refused(http.StatusForbidden,
				"this name is not one of the server's; use its address, or let whoever runs the server allow the "+
					"name with --host"))
			return
		}
		if r.URL.Path != "/metrics" || s.o.Metrics == nil {
			s.refuse(w, r, refused(http.StatusNotFound, "there is nothing here; metrics are at /metrics"))
			return
		}
		s.read(w, r, s.o.Metrics.ServeHTTP)
	})
}
