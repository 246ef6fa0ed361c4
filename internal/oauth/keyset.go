package oauth

import (
	"context"
	"crypto"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/time/rate"

	"github.com/agent-scratchpad/scratchpad/internal/auth"
)

const (
	freshTime  = 5 * time.Minute  // older keys are still used, and fetched again
	staleTime  = time.Hour        // older keys are not used
	fetchEvery = 10 * time.Second // while there are keys, on average
	maxFetches = 5                // while there are keys, one after the other
	retryWait  = 5 * time.Second  // at least, between two fetches while there are none
)

// A keyID names a public key of the issuer. Two keys of different types may share a kid.
type keyID struct {
	kid string
	alg jose.SignatureAlgorithm
}

// A keySet caches the public keys of the issuer. At most one fetch runs at a time. It is
// safe for concurrent use.
type keySet struct {
	fetch  func(context.Context) (map[keyID]crypto.PublicKey, error)
	now    func() time.Time
	logger *slog.Logger
	ctx    context.Context // of the fetches; done after close
	cancel context.CancelFunc

	mu      sync.Mutex    // guards what follows
	bucket  *rate.Limiter // of fetches while there are keys
	keys    map[keyID]crypto.PublicKey
	fetched time.Time     // when the issuer gave the keys; zero: never
	tried   time.Time     // when the last fetch began or ended; zero: never
	running chan struct{} // closed when the fetch ends; nil: none runs
}

func newKeySet(fetch func(context.Context) (map[keyID]crypto.PublicKey, error), now func() time.Time, logger *slog.Logger) *keySet {
	// Without the monotonic clock, which stands still while a machine sleeps.
	wall := func() time.Time { return now().Round(0) }
	s := &keySet{fetch: fetch, now: wall, logger: logger, bucket: rate.NewLimiter(rate.Every(fetchEvery), maxFetches)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// key returns a key. It waits for a fetch if the key is not known, or if what is known is
// too old. Errors: [auth.ErrUnknown], [auth.ErrUnavailable].
func (s *keySet) key(ctx context.Context, id keyID) (crypto.PublicKey, error) {
	s.mu.Lock()
	key := s.find(id)
	var done <-chan struct{}
	if key == nil || s.older(freshTime) {
		done = s.start()
	}
	s.mu.Unlock()
	if key != nil {
		return key, nil
	}
	if done != nil {
		select {
		case <-done:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %v", auth.ErrUnavailable, ctx.Err())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch key := s.find(id); {
	case key != nil:
		return key, nil
	case s.older(staleTime):
		return nil, auth.ErrUnavailable
	default:
		return nil, fmt.Errorf("%w: the issuer has no key %.100q for %s", auth.ErrNoGuess, id.kid, id.alg)
	}
}

// find returns a key that is not too old, or nil. A token without a kid is from the only key
// for its algorithm. s.mu is held.
func (s *keySet) find(id keyID) crypto.PublicKey {
	if s.older(staleTime) {
		return nil
	}
	if id.kid != "" {
		return s.keys[id]
	}
	var only crypto.PublicKey
	for other, key := range s.keys {
		if other.alg != id.alg {
			continue
		}
		if only != nil {
			return nil
		}
		only = key
	}
	return only
}

// older reports whether the keys are. After the clock was set back their age is not known,
// so they count as older. A step of a few seconds is normal. s.mu is held.
func (s *keySet) older(limit time.Duration) bool {
	age := s.now().Sub(s.fetched)
	return s.fetched.IsZero() || age < -leeway || age > limit
}

// start begins a fetch, unless one runs or there were too many. It returns a channel that is
// closed when the fetch ends, or nil if none runs. s.mu is held.
func (s *keySet) start() <-chan struct{} {
	if s.running != nil {
		return s.running
	}
	if s.ctx.Err() != nil {
		return nil
	}
	now := s.now()
	if s.older(staleTime) {
		since := now.Sub(s.tried)
		if !s.tried.IsZero() && since >= 0 && since < retryWait {
			return nil
		}
	} else if !s.bucket.AllowN(now, 1) {
		return nil
	}
	s.tried = now
	done := make(chan struct{})
	s.running = done
	go s.run(done)
	return done
}

func (s *keySet) run(done chan struct{}) {
	keys, err := s.fetch(s.ctx)
	if err != nil && s.ctx.Err() == nil {
		s.logger.Warn("OAuth issuer gives no keys", "error", err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = s.now()
	if err == nil {
		s.keys, s.fetched = keys, s.tried
	}
	s.running = nil
	close(done)
}

func (s *keySet) close() {
	s.cancel()
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	if running != nil {
		<-running
	}
}
