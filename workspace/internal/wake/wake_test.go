package wake_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/wake"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A subscription that takes long holds nobody whose context ends.
func TestHubWaits(t *testing.T) {
	begin := make(chan struct{})
	h := wake.NewHub(func(ctx context.Context) (<-chan store.Owner, error) {
		<-begin
		told := make(chan store.Owner)
		context.AfterFunc(ctx, func() { close(told) })
		return told, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, _, err := h.Join(ctx, store.Owner{Agent: "a"})
		ended <- err
	}()
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Errorf("Join = %v, want %v", err, context.Canceled)
	}
	close(begin)
	_, leave, err := h.Join(t.Context(), store.Owner{Agent: "a"})
	testkit.Must(t, err)
	leave()
}
