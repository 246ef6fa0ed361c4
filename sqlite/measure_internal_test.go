package sqlite

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Trouble counts as trouble for as long as it lasts, and a full disk for a while.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m measures
		expect := func(when string, kind error) {
			t.Helper()
			if err := m.late(); !errors.Is(err, kind) {
				t.Errorf("%s: %v, want %v", when, err, kind)
			}
		}
		expect("at first", nil)
		m.turn.begin()
		time.Sleep(lateTurn)
		expect("after a short wait", nil)
		time.Sleep(time.Nanosecond)
		expect("after a long wait", store.ErrBusy)
		m.turn.end()
		expect("with the turn", nil)
		m.commit.begin()
		time.Sleep(lateCommit + 1)
		expect("in a long commit", store.ErrBusy)
		m.committed()
		expect("after it", nil)
		m.foundFull()
		expect("on a full disk", store.ErrStorageFull)
		m.committed()
		expect("after a commit", nil)
		m.foundFull()
		time.Sleep(fullFor)
		expect("after a while", nil)
	})
}
