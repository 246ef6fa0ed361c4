package postgres_test

import (
	"cmp"
	"errors"
	"testing"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testing/pgtest"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/postgres"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

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
