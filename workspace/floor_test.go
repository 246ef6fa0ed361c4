package workspace_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	port "github.com/agent-scratchpad/scratchpad/workspace/store"
)

// rowsLeft returns the owners that have a row.
func rowsLeft(t testing.TB, store workspace.Store) []port.OwnerUsage {
	t.Helper()
	list, err := store.Owners(t.Context(), port.OwnersQuery{Which: port.AllOwners, Limit: 10_000})
	testkit.Must(t, err)
	return list.Owners
}

// regrow deletes an agent, and returns the numbers of its next writes.
func regrow(t testing.TB, store workspace.Store) (version, entry int64) {
	svc := serviceOn(t, store, workspace.Options{})
	ws := agentOf(t, svc, "a")
	for range 3 {
		write(t, ws, "f", "x")
	}
	appendLog(t, ws, "l", "1", "2")
	testkit.Must(t, testkit.Err(svc.DeleteAgent(t.Context(), "a")))
	if left := rowsLeft(t, store); len(left) != 0 {
		t.Errorf("the rows of %v are left, want none", left)
	}
	r, err := ws.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	testkit.Must(t, err)
	return r.Version, appendLog(t, ws, "l", "x").First
}

// A deleted agent leaves no row, but its share of a record. Its numbers are not given again.
func TestDeletedRowsAreBounded(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	if version, entry := regrow(t, store); version != 4 || entry != 3 {
		t.Errorf("the agent goes on with version %d and entry %d, want 4 and 3", version, entry)
	}
}

// After its deletion, an agent may begin with a deletion that finds nothing and keeps its
// request. That is its first write too.
func TestNumbersAfterAnEmptyDeletion(t *testing.T) {
	svc, _ := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	appendLog(t, ws, "l", "1", "2")
	testkit.Must(t, testkit.Err(svc.DeleteAgent(t.Context(), "a")))
	testkit.Must(t, testkit.Err(ws.DeleteLog(t.Context(), "l", workspace.DeleteLogOptions{IdempotencyKey: "k"})))
	if first := appendLog(t, ws, "l", "x").First; first != 3 {
		t.Errorf("the log goes on with entry %d, want 3", first)
	}
}

// The row of a deleted agent may go during the agent's first write, if its deletion was cut short and
// is made again: after the write has seen the row, and before or after it reads the record.
func TestNumbersBesideASweep(t *testing.T) {
	for _, when := range []string{"totals", "record"} {
		t.Run(when, func(t *testing.T) {
			mem := memstore.New()
			defer mem.Close()
			other := serviceOn(t, mem, workspace.Options{})
			sweep := func() {
				if _, err := other.DeleteAgent(t.Context(), "a"); err != nil {
					t.Error(err)
				}
			}
			store := &interrupted{Store: mem}
			ws := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
			testkit.Must(t, mem.Update(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(tx port.Tx) error {
				return tx.Apply(port.OwnerState{FileFloor: 2, Revision: 2})
			}))
			store.when, store.do = when, sweep
			r, err := ws.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
			if err != nil || r.Version != 3 {
				t.Errorf("the agent goes on with version %d, %v; want 3", r.Version, err)
			}
		})
	}
}

// An interrupted store calls a function once, before the totals or after a record is
// read.
type interrupted struct {
	workspace.Store
	when string
	do   func()
}

func (s *interrupted) at(when string) {
	if s.when == when {
		s.when = ""
		s.do()
	}
}

func (s *interrupted) Owners(ctx context.Context, q port.OwnersQuery) (port.OwnerList, error) {
	if q.Which == port.OwnerTotals {
		s.at("totals")
	}
	return s.Store.Owners(ctx, q)
}

func (s *interrupted) System(ctx context.Context) workspace.Records {
	return interruptedRecords{s.Store.System(ctx), s}
}

type interruptedRecords struct {
	workspace.Records
	s *interrupted
}

func (r interruptedRecords) Get(key string) (workspace.Record, error) {
	record, err := r.Records.Get(key)
	r.s.at("record")
	return record, err
}

// With a planted bug, which loses the records of the numbers, the same check fails.
func TestDeletedRowsNeedTheRecord(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	if version, entry := regrow(t, forgetful{store}); version != 1 || entry != 1 {
		t.Errorf("the agent goes on with version %d and entry %d, want 1 and 1: nothing is tested", version, entry)
	}
}

type forgetful struct{ workspace.Store }

type forgetfulRecords struct{ workspace.Records }

func (s forgetful) System(ctx context.Context) workspace.Records {
	return forgetfulRecords{s.Store.System(ctx)}
}

func (r forgetfulRecords) Put(key string, value []byte, revision int64) (int64, error) {
	if strings.HasPrefix(key, "floor/") {
		return 1, nil
	}
	return r.Records.Put(key, value, revision)
}

// An agent that never got a number leaves no row. If a record cannot be read, the agents
// that share it cannot begin, but can delete.
func TestFloorRecord(t *testing.T) {
	svc, store := newService(t, workspace.Options{})
	ws := agentOf(t, svc, "a")
	testkit.Must(t, testkit.Err(ws.DeleteFile(t.Context(), "f", workspace.DeleteOptions{IdempotencyKey: "key"})))
	if found, err := svc.DeleteAgent(t.Context(), "a"); err != nil || !found {
		t.Errorf("DeleteAgent = %t, %v, want it found", found, err)
	}
	if left := rowsLeft(t, store); len(left) != 0 {
		t.Errorf("the rows of %v are left, want none", left)
	}
	const key = "floor/local/ca97" // it is stored, so it may not change
	testkit.Must(t, testkit.Err(store.System(t.Context()).Put(key, []byte("?"), 0)))
	_, err := ws.WriteFile(t.Context(), "f", nil, workspace.WriteOptions{})
	wantErr(t, "the first write beside a damaged record", err, workspace.ErrCorrupt, key)
}

// An agent whose deletion fails half way because its rows are damaged is not said to be gone.
func TestDeleteDamagedAgent(t *testing.T) {
	store := memstore.New()
	defer store.Close()
	ws := agentOf(t, serviceOn(t, store, workspace.Options{}), "a")
	write(t, ws, "f", "x")
	testkit.Must(t, store.Update(t.Context(), port.Owner{Tenant: "local", Agent: "a"}, func(tx port.Tx) error {
		state, err := tx.Owner()
		state.Requests = 1 // there is none
		testkit.Must(t, err)
		return tx.Apply(state)
	}))
	_, err := serviceOn(t, store, workspace.Options{}).DeleteAgent(t.Context(), "a")
	wantErr(t, "DeleteAgent", err, workspace.ErrCorrupt, "1 requests are counted and not there")
}
