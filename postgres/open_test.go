package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
)

// A server beyond this machine that need not prove its name is a warning, once for each Open.
// The context has ended, so that nothing is sent.
func TestOpenWarnsOfUnverifiedHosts(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for url, host := range map[string]string{
		"postgres://u@192.0.2.1/d?sslmode=prefer":                           "192.0.2.1",
		"postgres://u@192.0.2.1/d?sslmode=disable":                          "192.0.2.1",
		"postgres://u@[2001:db8::1]/d?sslmode=require":                      "2001:db8::1",
		"postgres://u@192.0.2.1/d?sslmode=verify-ca":                        "192.0.2.1",
		"postgres://u@/d?host=127.0.0.1,192.0.2.1,192.0.2.2&sslmode=prefer": "192.0.2.1",
		"postgres://u@192.0.2.1/d?sslmode=verify-full":                      "",
		"postgres://u@127.0.0.1/d?sslmode=disable":                          "",
		"postgres://u@[::1]/d?sslmode=prefer":                               "",
		"postgres://u@localhost/d?sslmode=disable":                          "",
		"postgres://u@/d?host=/run/postgresql&sslmode=prefer":               "",
	} {
		var log bytes.Buffer
		if _, err := postgres.Open(ended, url, postgres.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that the context has ended", url, err)
		}
		want := 0
		if host != "" {
			want = 1
		}
		if got := log.String(); strings.Count(got, "\n") != want || !strings.Contains(got, host) || want == 1 && !strings.Contains(got, "level=WARN") {
			t.Errorf("%s: the log has %q, want %d warnings about %q", url, got, want, host)
		}
	}
}

// Servers that start together over an empty database all find the tables that one of them
// makes. They are held up where each has seen that there are none.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	holder, a := asking(t, url), asking(t, url)
	const schemaLock = "396386651053" // 0x5c4a7c4bad, as in schema.go
	holder.exec("SELECT pg_advisory_lock(" + schemaLock + ")")
	const servers = 4
	var opening sync.WaitGroup
	for range servers {
		opening.Go(func() {
			s, err := postgres.Open(t.Context(), url, postgres.Options{})
			if err != nil {
				t.Errorf("Open() = %v", err)
				return
			}
			s.Close()
		})
	}
	a.wait("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND "+ofDatabase, fmt.Sprint(servers))
	holder.exec("SELECT pg_advisory_unlock(" + schemaLock + ")")
	opening.Wait()
}

// A server starts although its connection is ended while it looks at the schema.
func TestOpenTerminated(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	ended := 0
	for range 20 {
		var opened atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := 0; n == 0 && !opened.Load(); ended += n {
				var err error
				if n, err = pgtest.Terminate(t.Context(), url); err != nil {
					t.Error(err)
				}
			}
		})
		s, err := postgres.Open(t.Context(), url, postgres.Options{})
		opened.Store(true)
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
