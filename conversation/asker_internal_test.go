package conversation

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// If a summary is dropped before the summariser is called, it is not called at all:
// it would get messages that were cleared, or keep Close waiting.
func TestDroppedSummaryAsksNobody(t *testing.T) {
	for _, why := range []error{errReplaced, errClosing} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			a := asker{timeout: time.Minute, summarize: func(context.Context, Request) (string, error) {
				calls++
				return "s", nil
			}}
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(why)
			_, err := a.ask(t.Context(), ctx, Request{})
			synctest.Wait()
			if calls != 0 || !errors.Is(err, why) {
				t.Errorf("%v: %d calls, %v", why, calls, err)
			}
		})
	}
}
