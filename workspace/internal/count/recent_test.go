package count_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/count"
)

// The number is computed again when it is too old, or from the future. An error is not
// kept.
func TestNumberAges(t *testing.T) {
	clock := testkit.NewClock()
	r := count.NewRecent(time.Minute, clock.Now)
	failed := errors.New("failed")
	for _, c := range []struct {
		advance time.Duration
		compute int64 // 0: it fails
		want    int64
		err     error
	}{
		{0, 0, 0, failed},
		{0, 1, 1, nil},
		{time.Minute - 1, 2, 1, nil},
		{1, 3, 3, nil},
		{-time.Second, 4, 4, nil},
		{2 * time.Minute, 0, 0, failed},
		{0, 5, 5, nil},
	} {
		clock.Advance(c.advance)
		got, err := r.Get(t.Context(), func() (int64, error) {
			if c.compute == 0 {
				return 9, failed
			}
			return c.compute, nil
		})
		if got != c.want || err != c.err {
			t.Errorf("Get, which could compute %d, = %d, %v, want %d, %v", c.compute, got, err, c.want, c.err)
		}
	}
}

// While one caller computes, the others wait only if there is no number yet.
func TestNumberIsComputedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := count.NewRecent(time.Minute, time.Now)
		slow := func(n int64) func() (int64, error) {
			return func() (int64, error) { time.Sleep(time.Second); return n, nil }
		}
		never := func() (int64, error) { t.Error("two callers compute at once"); return 0, nil }
		want := func(ctx context.Context, compute func() (int64, error), n int64, e error) {
			t.Helper()
			if got, err := r.Get(ctx, compute); got != n || !errors.Is(err, e) {
				t.Errorf("Get = %d, %v, want %d, %v", got, err, n, e)
			}
		}
		go want(t.Context(), slow(1), 1, nil)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		want(ctx, never, 0, context.DeadlineExceeded)
		want(t.Context(), never, 1, nil)

		time.Sleep(time.Hour)
		go want(t.Context(), slow(2), 2, nil)
		synctest.Wait()
		began := time.Now()
		want(t.Context(), never, 1, nil)
		if time.Since(began) > 0 {
			t.Error("a caller waits although there is a number")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		want(t.Context(), never, 2, nil)
	})
}
