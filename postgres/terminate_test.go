package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

// A connection that the server ended while it was idle never surfaces: reads and writes
// after it succeed, with a pool full of such connections.
func TestTerminateIdle(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	// With a pause after each dead connection, a call would have to wait for longer.
	svc := openWith(t, url, postgres.Options{MaxConns: 24, LockTimeout: 8 * time.Second})
	agents := make([]*outcomes, 18)
	for i := range agents {
		agents[i] = newOutcomes(t, svc, fmt.Sprintf("agent%d", i))
	}
	all := func(round int) { // opens connections, as many as the calls need
		var calls sync.WaitGroup
		for _, a := range agents {
			calls.Go(func() {
				if err := a.append(t.Context(), fmt.Sprintf("all-%d", round)); err != nil {
					t.Errorf("append: %v", err)
				}
			})
		}
		calls.Wait()
	}
	ended, rounds := 0, 0
	for want := testkit.Pick(20, 30, 200); ended < want; rounds++ {
		all(rounds)
		n := endAll(t, url)
		ended += n
		if err := agents[0].append(t.Context(), fmt.Sprintf("write-%d", rounds)); err != nil {
			t.Errorf("a write after %d idle connections were ended: %v", n, err)
		}
		all(rounds + 1_000_000)
		endAll(t, url)
		if _, err := agents[0].w.ReadLog(t.Context(), outcomeLog, workspace.ReadLogOptions{}); err != nil {
			t.Errorf("a read after idle connections were ended: %v", err)
		}
	}
	for _, a := range agents {
		if n := a.judge(t, url); n.unknown+n.failed > 0 {
			t.Errorf("%s: %+v", a.agent, n)
		}
	}
	t.Logf("%d idle connections were ended in %d rounds", ended, rounds)
}

// endAll ends the connections of a database until none is left, and returns their number. A
// store may just be opening one, which the server shows only later.
func endAll(t testing.TB, url string) (ended int) {
	t.Helper()
	const left = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		n, err := pgtest.Terminate(t.Context(), url)
		testkit.Must(t, err)
		if ended = max(ended, n); ask(t, url, left)[0] == "0" {
			return ended
		}
	}
	t.Fatal("connections do not end")
	return ended
}

// Connections are ended while writes are under way. Each outcome is reported truly, and
// no write happens twice.
func TestTerminateInFlight(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	svc := openWith(t, url, postgres.Options{MaxConns: 6})
	agents := make([]*outcomes, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var writers sync.WaitGroup
	for i := range agents {
		a := newOutcomes(t, svc, fmt.Sprintf("agent%d", i))
		agents[i] = a
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				entry := fmt.Sprintf("entry-%d", n)
				if i%2 == 0 {
					a.append(context.Background(), entry)
				} else {
					a.appendOnce(context.Background(), entry)
				}
				if _, err := a.w.ReadLog(ctx, outcomeLog, workspace.ReadLogOptions{Limit: 1}); err != nil && ctx.Err() == nil {
					t.Errorf("a read: %v", err)
				}
			}
		})
	}
	ended := 0
	for want := testkit.Pick(20, 30, 200); ended < want; {
		n, err := pgtest.Terminate(t.Context(), url, "active", "idle in transaction")
		if err != nil {
			t.Error(err)
			break
		}
		ended += n
		time.Sleep(2 * time.Millisecond)
	}
	cancel()
	writers.Wait()
	var sum tally
	for _, a := range agents {
		sum.add(a.judge(t, url))
	}
	if sum.failed > 0 {
		t.Errorf("%d appends failed, want none: what did not happen is run again", sum.failed)
	}
	t.Logf("%d connections were ended; %d appends are acknowledged, %d unknown", ended, sum.ok, sum.unknown)
}

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
