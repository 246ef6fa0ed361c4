//go:build unix

package sqlite

import (
	"errors"
	"os"
	"testing"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A function that runs alone, because its group has lost its transaction, is not
// acknowledged either if the database was removed meanwhile.
func TestLostFilesAlone(t *testing.T) {
	t.Parallel()
	s := openInternal(t)
	runs := 0
	err := <-start(s, testOwner, func(tx store.Tx) error {
		if runs++; runs == 1 {
			loseTransaction(s)
			return nil
		}
		if err := os.Remove(s.path); err != nil {
			t.Error(err)
		}
		return storeFile(tx, "x")
	})
	if !errors.Is(err, store.ErrOutcomeUnknown) || runs != 2 {
		t.Errorf("Update = %v in %d runs; want ErrOutcomeUnknown in 2", err, runs)
	}
}
