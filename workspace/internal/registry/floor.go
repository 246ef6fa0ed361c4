package registry

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A Floor has the numbers above which the paths and the changes of an agent begin, so that
// no number is ever given twice.
//
// At first the own row of a deleted agent keeps them. When the row goes, they go into a
// record that the agent shares with every 65,536th agent. So the rows of deleted agents are
// bounded, and what one agent has written shows in the numbers of few others. The record is
// raised before the row goes, and read by an agent that has no row, before its first write.
type Floor struct {
	Files int64 `json:"files"` // the highest version of a file
	Logs  int64 `json:"logs"`  // the highest entry of a log

	Revision int64 `json:"revision,omitempty"` // the last change
}

// floorKey names the record that an agent shares with others.
func floorKey(o store.Owner) string {
	sum := sha256.Sum256([]byte(o.Agent))
	return fmt.Sprintf("floor/%s/%04x", o.Tenant, binary.BigEndian.Uint16(sum[:]))
}

// FloorOf returns the numbers above which an owner without a row begins. Errors:
// [store.ErrCorrupt] and those of the records.
func FloorOf(ctx context.Context, s store.Store, o store.Owner) (*Floor, error) {
	floor, _, err := get[Floor](s.System(ctx), floorKey(o))
	return &floor, err
}

// Begin lets an agent without a row begin above the numbers of deleted agents. A floor of
// nil does nothing.
func (floor *Floor) Begin(s *store.OwnerState) {
	if floor != nil && *s == (store.OwnerState{}) {
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
	_, err = update(s.System(ctx), floorKey(o), func(f *Floor, _ bool) (bool, error) {
		old := *f
		*f = Floor{max(f.Files, seen.FileFloor), max(f.Logs, seen.LogFloor), max(f.Revision, seen.Revision)}
		return *f != old, nil
	})
	if err != nil {
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
