package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server serves MCP to a network. It is safe for concurrent use.
type Server struct {
	o       Options
	limits  limits
	now     func() time.Time
	stats   counters
	conns   conns
	calls   *calls
	callers *rates[string]
	agents  *rates[agentName]
	ready   readiness
	cert    *certificate

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
		o: o, limits: defaultLimits, now: time.Now, cert: cert, calls: newCalls(),
		callers: newRates[string](), agents: newRates[agentName](),
	}
	s.base, s.end = context.WithCancel(context.Background())
	return s, nil
}

// Serve serves the connections of a listener until the context ends. Then /readyz says
// so, and new calls are refused with 503, while the listener stays open. Serve returns
// nil when the calls under way are answered, after 10 seconds at most. It closes the
// listener. A server serves once.
//
// The protocol is HTTP/1.1, without HTTP/2. An agent makes one call at a time, so it
// gains nothing from many streams in a connection. And every limit on connections is also
// a limit on requests.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer s.workers.Wait()
	defer s.end()
	if s.cert != nil {
		s.workers.Go(func() { s.cert.watch(s.base, s) })
	}
	srv := s.newHTTP(http.HandlerFunc(s.route))
	failed := make(chan error, 1)
	go func() { failed <- s.serve(srv, &listener{l, s}) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace := time.NewTimer(s.limits.drain)
	defer grace.Stop()
	select {
	case err := <-failed:
		srv.Close()
		return fmt.Errorf("serve: %w", err)
	case <-s.calls.stop():
	case <-grace.C:
		s.o.Logger.WarnContext(ctx, "calls are cut, because the server stops", "calls", s.calls.count())
	}
	last, cancel := context.WithTimeout(context.Background(), s.limits.linger)
	defer cancel()
	if srv.Shutdown(last) != nil {
		srv.Close()
	}
	<-failed
	return nil
}

func (s *Server) serve(srv *http.Server, l net.Listener) error {
	var err error
	if s.cert != nil {
		srv.TLSConfig = s.cert.config()
		err = srv.ServeTLS(l, "", "")
	} else {
		err = srv.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (s *Server) newHTTP(route http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      s.handler(route),
		Protocols:                    protocols,
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            s.limits.header,
		IdleTimeout:                  s.limits.idle,
		WriteTimeout:                 s.limits.answer,
		MaxHeaderBytes:               maxHeader,
		ErrorLog:                     slog.NewLogLogger(s.o.Logger.Handler(), slog.LevelDebug),
		BaseContext:                  func(net.Listener) context.Context { return s.base },
	}
}

// MetricsHandler serves /metrics to everybody, for a listener of its own.
func (s *Server) MetricsHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" || s.o.Metrics == nil {
			s.refuse(w, r, refused(http.StatusNotFound, "there is nothing here; metrics are at /metrics"))
			return
		}
		s.read(s.o.Metrics.ServeHTTP)(w, r)
	})
}
