package postgres_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
	"github.com/jackc/pgx/v5/pgconn"
)

// The store keeps its promises behind pgbouncer in transaction mode, where each transaction may
// run on another connection. All of the suite runs with SCRATCHPAD_TEST=full.
func TestBouncer(t *testing.T) {
	testkit.SkipUnlessLong(t)
	first := pgtest.URL(t)
	behind := pgtest.Bouncer(t, first)
	// One pgbouncer serves all databases.
	through := func(t testing.TB, url string) string {
		return strings.Replace(behind, "/"+database(t, first)+"?", "/"+database(t, url)+"?", 1)
	}
	if testkit.Full() {
		t.Run("store", func(t *testing.T) {
			storetest.Run(t, func(t testing.TB) store.Store { return open(t, through(t, pgtest.URL(t))) })
		})
	}
	t.Run("shared", func(t *testing.T) {
		storetest.RunShared(t, func(t testing.TB) (a, b store.Store) {
			url := pgtest.URL(t)
			return open(t, through(t, url)), open(t, url)
		})
	})
	t.Run("terminated", func(t *testing.T) {
		url := pgtest.URL(t)
		bouncerTerminated(t, url, openWith(t, through(t, url), postgres.Options{}))
	})
}

func database(t testing.TB, url string) string {
	t.Helper()
	config, err := pgconn.ParseConfig(url)
	testkit.Must(t, err)
	return config.Database
}

// bouncerTerminated ends the connections between pgbouncer and the server, idle ones and
// those in use, while agents append.
func bouncerTerminated(t *testing.T, url string, svc *workspace.Service) {
	agents := make([]*outcomes, 3)
	done := make(chan struct{})
	var writers sync.WaitGroup
	for i := range agents {
		a := newOutcomes(t, svc, fmt.Sprintf("agent%d", i))
		agents[i] = a
		writers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
					a.append(t.Context(), fmt.Sprintf("entry-%d", n))
				}
			}
		})
	}
	for ended := 0; ended < 20; {
		n, err := pgtest.Terminate(t.Context(), url)
		if err != nil {
			t.Error(err)
			break
		}
		ended += n
	}
	close(done)
	writers.Wait()
	var sum tally
	for _, a := range agents {
		if err := a.append(t.Context(), "last"); err != nil {
			t.Errorf("an append afterwards: %v", err)
		}
		sum.add(a.judge(t, url))
	}
	t.Logf("%d appends are acknowledged, %d unknown, %d failed", sum.ok, sum.unknown, sum.failed)
}
