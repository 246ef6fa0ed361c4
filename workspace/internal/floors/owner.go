package floors

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Of returns the numbers above which an owner without a row begins.
func Of(ctx context.Context, s store.Store, o store.Owner) (Floor, error) {
	return Read(s.System(ctx), Key(o.Tenant, o.Agent))
}

// Begin lets an agent without a row begin above the numbers of deleted agents.
func Begin(s *store.OwnerState, floor *Floor) {
	if *s == (store.OwnerState{}) && floor != nil {
		s.FileFloor, s.LogFloor, s.Revision = floor.Files, floor.Logs, floor.Revision
	}
}

// Sweep copies the numbers of a deleted agent into its shared record, and then
// removes its row, unless the agent has written meanwhile.
func Sweep(ctx context.Context, s store.Store, o store.Owner) error {
	var seen store.OwnerState
	err := s.View(ctx, o, func(tx store.Reader) (err error) {
		seen, err = tx.Owner()
		return err
	})
	if err != nil || !seen.IsDeleted() {
		return err
	}
	numbers := Floor{Files: seen.FileFloor, Logs: seen.LogFloor, Revision: seen.Revision}
	if err := Raise(s.System(ctx), Key(o.Tenant, o.Agent), numbers); err != nil {
		return err
	}
	return s.Update(ctx, o, func(tx store.Tx) error {
		state, err := tx.Owner()
		if err != nil || state != seen {
			return err
		}
		return tx.Apply(store.OwnerState{})
	})
}
