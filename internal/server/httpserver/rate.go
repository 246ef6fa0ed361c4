package httpserver

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
	"github.com/agent-scratchpad/scratchpad/internal/server/lru"
)

const maxRates = 16384 // callers or agents whose rate is known; a full table takes about 5 MB

// rates are the rates of callers or of agents. They are safe for concurrent use. If the
// table is full, the one that has not called for longest is forgotten. That gives it a
// new burst, which it has by then in most cases.
type rates[K comparable] struct {
	mu  sync.Mutex // guards all
	all *lru.Map[K, *rate.Limiter]
}

func newRates[K comparable]() *rates[K] {
	return &rates[K]{all: lru.New[K, *rate.Limiter](maxRates)}
}

// admit counts a request. It may go on after the given time, which is at most the longest that it
// can wait. If it is one too many, ok is false, and there may be another after the given time. A
// refused request does not count.
func (q *rates[K]) admit(
	key K, limit auth.Rate, longest time.Duration, now time.Time,
) (after time.Duration, ok bool) {
	if limit.PerSecond < 0 {
		return 0, true
	}
	perSecond, burst := rate.Limit(limit.PerSecond), max(1, limit.Burst)
	q.mu.Lock()
	defer q.mu.Unlock()
	l, known := q.all.Get(key)
	switch {
	case !known:
		l = rate.NewLimiter(perSecond, burst)
		q.all.Put(key, l)
	case l.Limit() != perSecond || l.Burst() != burst:
		l.SetLimitAt(now, perSecond)
		l.SetBurstAt(now, burst)
	}
	r := l.ReserveN(now, 1)
	if after = min(r.DelayFrom(now), time.Hour); after > longest {
		r.CancelAt(now)
		return after, false
	}
	return after, true
}

// An agentName is an agent of a tenant.
type agentName struct{ tenant, agent string }

// AdmitAgent counts a call for an agent. If the agent has too many calls, ok is false, and the
// caller may try again after retryAfter.
func (s *Server) AdmitAgent(_ context.Context, tenant, agent string) (retryAfter time.Duration, ok bool) {
	retryAfter, ok = s.agents.admit(agentName{tenant, agent}, s.o.AgentRate, 0, s.now())
	if !ok {
		s.stats.agentRate.Add(1)
	}
	return retryAfter, ok
}
