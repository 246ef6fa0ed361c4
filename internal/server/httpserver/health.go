package httpserver

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/errorkind"
)

func (s *Server) serveHealth(w http.ResponseWriter, r *http.Request) {
	writeHealth(w, r, http.StatusOK, map[string]any{"ok": true})
}

// serveReady says whether the server can do its work.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	reason := "the server is stopping"
	if !s.calls.stopping() {
		reason = s.ready.ask(s)
	}
	if reason != "" {
		errorkind.SetRetry(w.Header(), time.Second)
		writeHealth(w, r, http.StatusServiceUnavailable, map[string]any{"ready": false, "reason": reason})
		return
	}
	writeHealth(w, r, http.StatusOK, map[string]any{"ready": true})
}

func writeHealth(w http.ResponseWriter, r *http.Request, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(encode(v))) // the client may be gone
	}
}

// readiness shares one check among all who ask. At most one check runs at a time.
type readiness struct {
	mu     sync.Mutex // held by the check that runs; guards the following
	reason string     // of the last check; "": ready
	told   time.Time  // when it ended
}

// ask returns why the server is not ready, or "". The check outlives a client that hangs up.
func (q *readiness) ask(s *Server) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s.o.Ready == nil || !q.told.IsZero() && s.now().Sub(q.told) < s.limits.fresh {
		return q.reason
	}
	ctx, cancel := context.WithTimeout(s.base, s.limits.ready)
	defer cancel()
	err := s.o.Ready(ctx)
	reason := notReady(err)
	switch {
	case reason == q.reason:
	case err != nil:
		s.o.Logger.WarnContext(ctx, "not ready", "error", err)
	default:
		s.o.Logger.InfoContext(ctx, "ready")
	}
	q.reason, q.told = reason, s.now()
	return reason
}

// notReady says why in words that tell nothing about the machine.
func notReady(err error) string {
	if err == nil {
		return ""
	}
	reason := errorkind.Of(err).State
	if reason == "" && errors.Is(err, context.DeadlineExceeded) {
		reason = "the store is busy"
	}
	return cmp.Or(reason, "the store does not answer")
}
