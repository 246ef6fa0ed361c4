package postgres_test

import (
	"context"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/pgtest"
	"github.com/agent-scratchpad/scratchpad/postgres"
)

// Many servers that start over an empty database make its tables once, and all of them
// open it.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	for range 3 {
		url := pgtest.URL(t)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				s, err := postgres.Open(t.Context(), url, postgres.Options{})
				if err != nil {
					t.Errorf("Open() = %v, expected no error", err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// A server starts although its connection is ended while it looks at the schema.
func TestOpenTerminated(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	ended := 0
	for range 20 {
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := 0; n == 0 && ctx.Err() == nil; ended += n {
				var err error
				if n, err = pgtest.Terminate(ctx, url); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		stop()
		wg.Wait()
		if err != nil {
			t.Errorf("Open() = %v, expected no error", err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d connections were ended", ended)
}
