package memstore_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 10, Long: 60, Full: 100, Short: 3}.Set()
	goleak.VerifyTestMain(m)
}

func open(t testing.TB) store.Store {
	s := memstore.New()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v, want nil", err)
		}
	})
	return s
}

func TestStore(t *testing.T) { storetest.Run(t, open) }

// TestBlockedOwner holds one owner's turn: others go on, and who waits for it may leave.
func TestBlockedOwner(t *testing.T) {
	s := open(t)
	blocked, other := store.Owner{Tenant: "local", Agent: "a"}, store.Owner{Tenant: "local", Agent: "b"}
	err := s.Update(t.Context(), blocked, func(tx store.Tx) error {
		if err := s.Update(t.Context(), other, func(tx store.Tx) error {
			return tx.Apply(store.OwnerState{Usage: store.Usage{Files: 1}})
		}); err != nil {
			t.Errorf("Update of another owner = %v, want nil", err)
		}
		if list, err := s.Owners(t.Context(), store.OwnersQuery{Tenant: "local", Limit: 10}); err != nil || len(list.Owners) != 1 || list.Owners[0].Owner != other {
			t.Errorf("Owners = %v, %v, want the other owner", list, err)
		}

		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			left <- s.Update(ctx, blocked, func(store.Tx) error {
				t.Error("the function ran while another had the owner")
				return nil
			})
		}()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("Update that is cancelled while it waits = %v, want context.Canceled", err)
		}
		return nil
	})
	if err != nil {
		t.Errorf("Update = %v, want nil", err)
	}
}

func TestReaderEndsWithItsFunction(t *testing.T) {
	s := open(t)
	var kept store.Tx
	testkit.Must(t, s.Update(t.Context(), store.Owner{Tenant: "local", Agent: "a"}, func(tx store.Tx) error {
		kept = tx
		return nil
	}))
	defer func() {
		if recover() == nil {
			t.Error("SaveOwner after Update returned did not panic")
		}
	}()
	kept.Apply(store.OwnerState{})
}
