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

// sweepDeleted removes the rows of agents that were deleted long ago, or in the future,
// by a clock that was set back since. After an error, the next sweep tries again.
func (s *Service) sweepDeleted(ctx context.Context) {
	now := s.now()
	owners, err := s.store.Deleted(ctx, s.tenant, now.Add(-floorTime), now.Add(clockSkew), floorSweeps)
	if err != nil {
		return
	}
	for _, o := range owners {
		if err := floors.Sweep(ctx, s.store, o); err != nil && !errors.Is(err, ErrCorrupt) {
			return
		}
	}
}
