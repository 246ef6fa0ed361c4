package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
)

// Operators see why a write may be lost, here because the server of tests does not sync.
func TestInfo(t *testing.T) {
	testkit.SkipInShort(t)
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url)
	i, err := s.Info(t.Context())
	testkit.Must(t, err)
	if i.Server == "" || i.Standby || i.ReadOnly || i.Schema < 1 || i.Schema != i.Newest || i.Bytes < 1<<20 || i.Connections < 1 || i.MaxConnections != 300 ||
		i.SynchronousCommit != "on" || i.SynchronousStandbys != "" || i.Standbys != nil || i.Lag != 0 {
		t.Errorf("Info() = %+v", i)
	}
	if len(i.NotDurable) != 2 || !strings.Contains(i.NotDurable[0], "fsync is off") || !strings.Contains(i.NotDurable[1], "full_page_writes is off") {
		t.Errorf("not durable, because %q", i.NotDurable)
	}
}

// A primary knows its standbys, and a standby says that it is one.
func TestInfoOfStandby(t *testing.T) {
	testkit.SkipInShort(t)
	if !testkit.Long() {
		t.Skip("starts two servers of its own; run it with SCRATCHPAD_TEST=all")
	}
	t.Parallel()
	primary := pgtest.NewCluster(t, pgtest.ClusterOptions{Fsync: true, Settings: map[string]string{"full_page_writes": "on"}})
	open(t, primary.URL()) // makes the tables
	standby := primary.Standby("beta", pgtest.Synchronous)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		i, err := open(t, primary.URL()).Info(t.Context())
		testkit.Must(t, err)
		if slices.ContainsFunc(i.Standbys, func(s postgres.Standby) bool { return s.Name == "beta" && s.Sync == "sync" }) && strings.Contains(i.SynchronousStandbys, "beta") && i.NotDurable == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("Info() of the primary = %+v", i)
		}
	}
	s, err := postgres.OpenReadOnly(t.Context(), standby.URL(), postgres.Options{})
	testkit.Must(t, err)
	defer s.Close()
	if i, err := s.Info(t.Context()); err != nil || !i.Standby || i.Standbys != nil || i.Lag < 0 || i.Lag > time.Minute {
		t.Errorf("Info() of the standby = %+v, %v", i, err)
	}
}
