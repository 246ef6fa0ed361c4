package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// No number is given twice, also when an agent was deleted. At first its own row
// keeps them. After floorTime they go into a record that it shares with every
// 65,536th agent, so that the rows of deleted agents are bounded, and what one agent
// has written shows in the numbers of few others. The record is raised before the row
// goes, and read by an agent that has no row, before its first write.
const (
	floorPrefix = "floor/"
	floorTime   = 30 * 24 * time.Hour // from a deletion until the row may go
	floorSweeps = 100                 // rows that one deletion removes at most
	floorTries  = 1000                // to raise a record while others raise it too; each time one of them succeeds
)

// floorRecord is the value of such a record.
type floorRecord struct {
	Files int64 `json:"files"` // the highest version of a file
	Logs  int64 `json:"logs"`  // the highest entry of a log
}

func floorKey(o Owner) string {
	sum := sha256.Sum256([]byte(o.Agent))
	return fmt.Sprintf("%s%s/%04x", floorPrefix, o.Tenant, binary.BigEndian.Uint16(sum[:]))
}

// floorOf returns the numbers above which an agent without a row begins.
func (s *Service) floorOf(ctx context.Context, o Owner) (floorRecord, error) {
	floor, _, err := readFloor(s.store.System(ctx), floorKey(o))
	return floor, err
}

func readFloor(records Records, key string) (floor floorRecord, revision int64, err error) {
	r, err := records.Get(key)
	if errors.Is(err, ErrNotFound) {
		return floorRecord{}, 0, nil
	}
	if err != nil {
		return floorRecord{}, 0, err
	}
	if json.Unmarshal(r.Value, &floor) != nil {
		return floorRecord{}, 0, fmt.Errorf("the numbers of deleted agents cannot be read in the record %s: %w", key, ErrCorrupt)
	}
	return floor, r.Revision, nil
}

// beginAbove lets an agent without a row begin above the numbers of deleted ones.
func (s *OwnerState) beginAbove(floor *floorRecord) {
	if *s == (OwnerState{}) && floor != nil {
		s.FileFloor, s.LogFloor = floor.Files, floor.Logs
	}
}

// sweepDeleted removes rows of agents that were deleted long ago, or, by a clock
// that was set back since, in the future. What goes wrong in it is tried again by
// the next one.
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

// sweepOwner takes the numbers of a deleted agent over into its record, and then
// removes its row, unless it was written meanwhile.
func (s *Service) sweepOwner(ctx context.Context, o Owner) error {
	var seen OwnerState
	err := s.store.View(ctx, o, func(tx Reader) (err error) {
		seen, err = tx.Owner()
		return err
	})
	if err != nil || !seen.IsDeleted() {
		return err
	}
	if err := s.raiseFloor(ctx, floorKey(o), floorRecord{seen.FileFloor, seen.LogFloor}); err != nil {
		return err
	}
	return s.store.Update(ctx, o, func(tx Tx) error {
		state, err := tx.Owner()
		if err != nil || state != seen {
			return err
		}
		return tx.SaveOwner(OwnerState{})
	})
}

// raiseFloor raises a record to the numbers given.
func (s *Service) raiseFloor(ctx context.Context, key string, to floorRecord) error {
	records := s.store.System(ctx)
	for range floorTries {
		floor, revision, err := readFloor(records, key)
		if err != nil {
			return err
		}
		raised := floorRecord{max(floor.Files, to.Files), max(floor.Logs, to.Logs)}
		if raised == floor {
			return nil
		}
		text, err := json.Marshal(raised)
		if err != nil {
			return err
		}
		if _, err = records.Put(key, text, revision); !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("raising the record %s: %w", key, ErrBusy)
}
