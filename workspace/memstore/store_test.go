package memstore_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/memstore"
	"github.com/agent-scratchpad/scratchpad/workspace/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) workspace.Store {
		s := memstore.New()
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Errorf("Close = %v, want nil", err)
			}
		})
		return s
	})
}
