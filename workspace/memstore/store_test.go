package memstore_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

func TestMain(m *testing.M) {
	testkit.Checks{Checks: 10, Long: 60, Full: 100, Short: 3}.Set()
	goleak.VerifyTestMain(m)
}

func open(t testing.TB) workspace.Store {
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
	blocked, other := workspace.Owner{Tenant: "local", Agent: "a"}, workspace.Owner{Tenant: "local", Agent: "b"}
	err := s.Update(t.Context(), blocked, func(tx workspace.Tx) error {
		if err := s.Update(t.Context(), other, func(tx workspace.Tx) error {
			return tx.SaveOwner(workspace.OwnerState{Usage: workspace.Usage{Files: 1}})
		}); err != nil {
			t.Errorf("Update of another owner = %v, want nil", err)
		}
		if list, err := s.Owners(t.Context(), workspace.OwnersQuery{Tenant: "local", Limit: 10}); err != nil || len(list) != 1 || list[0].Owner != other {
			t.Errorf("Owners = %v, %v, want the other owner", list, err)
		}

		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			left <- s.Update(ctx, blocked, func(workspace.Tx) error {
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
	var kept workspace.Tx
	testkit.Must(t, s.Update(t.Context(), workspace.Owner{Tenant: "local", Agent: "a"}, func(tx workspace.Tx) error {
		kept = tx
		return nil
	}))
	defer func() {
		if recover() == nil {
			t.Error("SaveOwner after Update returned did not panic")
		}
	}()
	kept.SaveOwner(workspace.OwnerState{})
}
