package oauth

import (
	"context"
	"crypto"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/agent-scratchpad/scratchpad/internal/server/auth"
)

const (
	freshTime  = 5 * time.Minute  // older keys are still used, and fetched again
	staleTime  = time.Hour        // older keys are not used
	fetchEvery = 10 * time.Second // on average
	maxFetches = 5                // one after the other
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

	flight singleflight.Group // of fetches

	bucket *rate.Limiter // of fetches

	mu      sync.Mutex // guards what follows
	keys    map[keyID]crypto.PublicKey
	fetched time.Time // when the issuer gave the keys; zero: never
}

func newKeySet(fetch func(context.Context) (map[keyID]crypto.PublicKey, error), now func() time.Time,
	logger *slog.Logger) *keySet {
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
	key, old := s.find(id), s.older(freshTime)
	s.mu.Unlock()
	if key != nil && !old {
		return key, nil
	}
	fetched := s.flight.DoChan("", func() (any, error) { s.renew(); return nil, nil })
	if key != nil {
		return key, nil
	}
	select {
	case <-fetched:
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %v", auth.ErrUnavailable, ctx.Err())
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

// renew fetches the keys, unless there were too many fetches.
func (s *keySet) renew() {
	if s.ctx.Err() != nil || !s.bucket.AllowN(s.now(), 1) {
		return
	}
	keys, err := s.fetch(s.ctx)
	if err != nil && s.ctx.Err() == nil {
		s.logger.Warn("OAuth issuer gives no keys", "error", err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.keys, s.fetched = keys, s.now()
	}
}

// close ends the fetch that runs, and waits for its end.
func (s *keySet) close() {
	s.cancel()
	<-s.flight.DoChan("", func() (any, error) { return nil, nil })
}
