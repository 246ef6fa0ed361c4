package workspace

import (
	"context"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/floors"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
)

const (
	floorTime   = 30 * 24 * time.Hour // from a deletion of an agent until its row may go
	floorSweeps = 100                 // rows that one deletion removes at most
)

// shared returns the records of the installation for the packages that use them.
func (s *Service) shared(ctx context.Context) records.Records { return records.Of(s.store.System(ctx)) }

// floorOf returns the numbers above which an agent without a row begins.
func (s *Service) floorOf(ctx context.Context, o Owner) (floors.Floor, error) {
	floor, err := floors.Read(s.shared(ctx), floors.Key(o.Tenant, o.Agent))
	return floor, floorError(err)
}

// floorError gives an error of package floors its kind. It returns other errors as they
// are.
func floorError(err error) error {
	var damaged *floors.DamagedError
	switch {
	case errors.As(err, &damaged):
		return Errorf(ErrCorrupt, "the numbers of deleted agents cannot be read in the record %s", damaged.Key)
	case err == records.ErrBusy:
		return or(Errorf(ErrBusy, "too many processes raise the numbers of deleted agents at once"), DoRetry, 0)
	}
	return err
}

// beginAbove lets an agent without a row begin above the numbers of deleted agents.
func beginAbove(s *OwnerState, floor *floors.Floor) {
	if *s == (OwnerState{}) && floor != nil {
		s.FileFloor, s.LogFloor, s.Revision = floor.Files, floor.Logs, floor.Revision
	}
}

// sweepDeleted removes the rows of agents that were deleted long ago, or in the future,
// by a clock that was set back since. After an error, the next sweep tries again.
func (s *Service) sweepDeleted(ctx context.Context) {
	now := s.now()
	owners, err := s.store.Deleted(ctx, s.tenant, now.Add(-floorTime), now.Add(clockSkew), floorSweeps)
	if err != nil {
		return
	}
	for _, o := range owners {
		if err := s.sweepOwner(ctx, o); err != nil && !errors.Is(err, ErrCorrupt) {
			return
		}
	}
}

// sweepOwner copies the numbers of a deleted agent into its shared record, and then
// removes its row, unless the agent has written meanwhile.
func (s *Service) sweepOwner(ctx context.Context, o Owner) error {
	var seen OwnerState
	err := s.store.View(ctx, o, func(tx Reader) (err error) {
		seen, err = tx.Owner()
		return err
	})
	if err != nil || !seen.IsDeleted() {
		return err
	}
	numbers := floors.Floor{Files: seen.FileFloor, Logs: seen.LogFloor, Revision: seen.Revision}
	if err := floors.Raise(s.shared(ctx), floors.Key(o.Tenant, o.Agent), numbers); err != nil {
		return floorError(err)
	}
	return s.store.Update(ctx, o, func(tx Tx) error {
		state, err := tx.Owner()
		if err != nil || state != seen {
			return err
		}
		return tx.SaveOwner(OwnerState{})
	})
}
