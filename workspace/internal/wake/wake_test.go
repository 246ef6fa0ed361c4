package wake_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/wake"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A subscription that takes long holds nobody whose context ends. A change of all owners at once
// is told to a feed as "", and wakes everybody.
func TestHubWaits(t *testing.T) {
	begin := make(chan struct{})
	h := wake.NewHub(func(ctx context.Context) (<-chan store.Owner, error) {
		<-begin
		told := make(chan store.Owner)
		go func() {
			defer close(told)
			for ctx.Err() == nil {
				told <- store.Owner{} // the hub takes it until told is closed
			}
		}()
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
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(0, func() { close(begin) })
	feed, err := h.Feed(ctx, func(store.Owner) (string, bool) { return "a name", true })
	testkit.Must(t, err)
	if name := <-feed; name != "" {
		t.Errorf("the feed tells %q, want that any may have changed", name)
	}
	woken, leave, err := h.Join(t.Context(), store.Owner{Agent: "a"})
	testkit.Must(t, err)
	<-woken
	leave()
}
