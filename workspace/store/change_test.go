package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// The state counts the changes 4 to 7.
func TestCheckChanges(t *testing.T) {
	full := store.OwnerState{Revision: 7, Changes: 4}
	for _, c := range []struct {
		state   store.OwnerState
		rows    []int64
		after   int64
		limit   int
		missing int64 // 0: none
	}{
		{full, []int64{4, 5, 6, 7}, 0, 10, 0},
		{full, []int64{4, 5}, 0, 2, 0},
		{full, []int64{6, 7}, 5, 2, 0},
		{full, nil, 7, 10, 0},
		{full, nil, 9, 10, 0},
		{full, []int64{5, 6, 7}, 0, 10, 4},
		{full, []int64{4, 5, 7}, 0, 10, 6},
		{full, []int64{4, 6}, 0, 2, 5},
		{full, []int64{4, 5, 6}, 0, 10, 7},
		{full, []int64{7}, 5, 10, 6},
		{full, nil, 0, 10, 4},
		{full, nil, 5, 10, 6},
		{store.OwnerState{}, nil, 0, 10, 0},
		{store.OwnerState{Revision: 7}, nil, 0, 10, 0},
		{store.OwnerState{Revision: 7}, []int64{1, 3}, 0, 10, 2},
	} {
		var rows []store.Change
		for _, n := range c.rows {
			rows = append(rows, store.Change{Revision: n})
		}
		err := store.CheckChanges(c.state, rows, c.after, c.limit)
		if c.missing == 0 && err == nil {
			continue
		}
		if want := fmt.Sprintf("change %d is missing: corrupt", c.missing); !errors.Is(err, store.ErrCorrupt) || err.Error() != want {
			t.Errorf("rows %d after %d of %+v = %v, want %q", c.rows, c.after, c.state, err, want)
		}
	}
}
