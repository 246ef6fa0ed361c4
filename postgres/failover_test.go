package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Two stores go on after a failover by themselves. Nothing that was acknowledged is lost,
// nothing happens twice, and each outcome is reported truly. The old primary comes back
// as the standby. SCRATCHPAD_TEST=full has twenty rounds.
func TestFailover(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	a := pgtest.NewCluster(t, pgtest.ClusterOptions{})
	b := a.Standby("b", pgtest.Synchronous)
	url := pgtest.FailoverURL(a, b)
	var acknowledged atomic.Int64
	agents := make([]*outcomes, 6)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var writers sync.WaitGroup
	services := []*workspace.Service{openWith(t, url, postgres.Options{}), openWith(t, url, postgres.Options{})}
	for i := range agents {
		o := newOutcomes(t, services[i%2], fmt.Sprintf("agent%d", i))
		agents[i] = o
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				entry := fmt.Sprintf("entry-%d", n)
				if i < 3 {
					if o.append(context.Background(), entry) == nil {
						acknowledged.Add(1)
					}
				} else {
					o.appendOnce(context.Background(), entry)
					acknowledged.Add(1)
				}
			}
		})
	}
	var longest time.Duration
	for range testkit.Pick(1, 2, 20) {
		waitFor(t, &acknowledged, 50)
		a.Stop()
		b.Promote()
		promoted := time.Now()
		waitFor(t, &acknowledged, 6)
		longest = max(longest, time.Since(promoted))
		a.Rewind(b, pgtest.Synchronous)
		a, b = b, a
	}
	waitFor(t, &acknowledged, 50)
	cancel()
	writers.Wait()
	var sum tally
	for _, o := range agents {
		sum.add(o.judge(t, a.URL()))
	}
	t.Logf("%d appends are acknowledged, %d unknown, %d failed; the clients went on at most %v after a promotion", sum.ok, sum.unknown, sum.failed, longest)
}

// waitFor waits until n more appends are acknowledged.
func waitFor(t *testing.T, acknowledged *atomic.Int64, n int64) {
	t.Helper()
	n += acknowledged.Load()
	for deadline := time.Now().Add(time.Minute); acknowledged.Load() < n; {
		if time.Now().After(deadline) {
			t.Fatalf("%d appends are acknowledged, want %d", acknowledged.Load(), n)
		}
		time.Sleep(time.Millisecond)
	}
}

// waitsForStandby are the server's processes that wait for the standby with a commit.
const waitsForStandby = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

// The outcome of a commit is unknown while its synchronous standby is gone, however the
// wait for the standby ends. The store never cancels the commit, and reads go on.
func TestStandbyGone(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	primary := pgtest.NewCluster(t, pgtest.ClusterOptions{})
	standby := primary.Standby("b", pgtest.Synchronous)
	server, proxy := asking(t, primary.URL()), pgtest.NewProxy(t, primary.URL())
	svc := openWith(t, proxy.URL(), postgres.Options{CommitWait: 2 * time.Second, LockTimeout: 2 * time.Second})
	for _, end := range []struct{ agent, sql string }{
		{"late", "SELECT 1"}, // the caller does not wait any longer
		{"terminated", "SELECT pg_terminate_backend(pid) " + waitsForStandby},
		{"cancelled", "SELECT pg_cancel_backend(pid) " + waitsForStandby},
	} {
		a := newOutcomes(t, svc, end.agent)
		testkit.Must(t, a.append(t.Context(), "before"))
		standby.Stop()
		done := make(chan error, 1)
		go func() { done <- a.append(context.Background(), "subject") }()
		server.wait("SELECT count(*) "+waitsForStandby, "1")
		server.exec(end.sql)
		if err := <-done; !errors.Is(err, store.ErrOutcomeUnknown) {
			t.Errorf("%s: append = %v, want %v", end.agent, err, store.ErrOutcomeUnknown)
		}
		if _, err := a.w.ReadLog(t.Context(), outcomeLog, workspace.ReadLogOptions{}); err != nil {
			t.Errorf("%s: read: %v", end.agent, err)
		}
		if end.agent == "late" {
			if err := a.append(t.Context(), "meanwhile"); !errors.Is(err, store.ErrBusy) {
				t.Errorf("the owner's next append = %v, want %v", err, store.ErrBusy)
			}
			server.wait("SELECT count(*) "+waitsForStandby, "1") // it was not cancelled
		}
		standby.Start()
		server.wait("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1")
		server.wait("SELECT count(*) "+waitsForStandby, "0")
		if err := a.append(t.Context(), "after"); err != nil {
			t.Errorf("%s: append with the standby back: %v", end.agent, err)
		}
		a.judge(t, primary.URL())
		server.wait("SELECT count(*) FROM entries WHERE owner = 'local/"+end.agent+"' AND content = 'subject'", "1")
	}
	if n := proxy.Cancels(); n > 0 {
		t.Errorf("the server was asked %d times to cancel", n)
	}
}
