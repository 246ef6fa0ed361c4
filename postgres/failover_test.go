package postgres_test

import (
	"cmp"
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

// An answer that rests on a commit which no standby has is not given before a standby has
// it. A failover may take such a commit back: a key that is revoked already would be valid
// again.
func TestConfirm(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	cluster := pgtest.NewCluster(t, pgtest.ClusterOptions{})
	testkit.Must(t, open(t, cluster.URL()).Update(t.Context(), someOwner, countFile))
	s := openStore(t, cluster.URL(), postgres.Options{CommitWait: 500 * time.Millisecond})
	system := s.System(t.Context())
	cluster.Reload(map[string]string{"synchronous_standby_names": "nobody"})
	waitForDelete(t, s, store.ErrOutcomeUnknown)
	cluster.Exec("SET synchronous_commit = local; INSERT INTO records VALUES ('there', '', 5, now()); UPDATE owners SET files = 9")
	refused := errors.New("refused")
	calls := map[string]func() error{
		"Put of what is there":        func() error { _, err := system.Put("there", nil, 0); return err },
		"Put at another revision":     func() error { _, err := system.Put("there", nil, 4); return err },
		"Put of what is gone":         func() error { _, err := system.Put("gone", nil, 3); return err },
		"Delete of what is gone":      func() error { return system.Delete("gone", 3) },
		"Delete at another revision":  func() error { return system.Delete("there", 4) },
		"Restore of what is there":    func() error { return system.Restore(store.Record{Key: "there", Revision: 5}) },
		"Update that is refused":      func() error { return s.Update(t.Context(), someOwner, refuse(refused, false)) },
		"Update that undoes a change": func() error { return s.Update(t.Context(), someOwner, refuse(refused, true)) },
	}
	for name, call := range calls {
		if name == "Update that undoes a change" {
			continue // its owner's turn is taken until the other one is confirmed
		}
		if err := call(); !errors.Is(err, store.ErrOutcomeUnknown) {
			t.Errorf("%s = %v, want ErrOutcomeUnknown", name, err)
		}
	}
	cluster.Reload(map[string]string{"synchronous_standby_names": ""})
	waitForDelete(t, s, store.ErrNotFound)
	for name, call := range calls {
		if err := call(); !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrNotFound) && err != refused {
			t.Errorf("%s, once standbys are not waited for = %v", name, err)
		}
	}
	testkit.Must(t, s.Close())
	if got := cluster.Exec("SELECT count(*) FROM records"); got[0] != "1" {
		t.Errorf("there are %s records, want 1", got[0])
	}
}

// waitForDelete returns when the deletion of nothing has the outcome, which is unknown while
// commits wait for standbys. One of the server's processes reads their names some time after
// a reload. The store waits a short time for a commit.
func waitForDelete(t *testing.T, s *postgres.Store, want error) {
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if err := s.System(t.Context()).Delete("nothing", 1); errors.Is(err, want) {
			return
		}
	}
	t.Errorf("the deletion of nothing never has the outcome %v", want)
}

// refuse returns a function of Update that reads the owner's state and returns an error.
func refuse(answer error, change bool) func(store.Tx) error {
	return func(tx store.Tx) error {
		state, err := tx.Owner()
		if err != nil || !change {
			return cmp.Or(err, answer)
		}
		state.Files++
		if err := tx.Apply(state); err != nil {
			return err
		}
		if _, err := tx.Scan(store.ScanQuery{Kind: store.KindFile, Limit: 1}); err != nil { // sends it
			return err
		}
		return answer
	}
}
