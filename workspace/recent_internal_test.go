package workspace

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// While one caller computes, the others wait only if there is no number yet.
func TestRecentIsComputedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecent(time.Minute, time.Now)
		slow := func(n int64) func() (int64, error) {
			return func() (int64, error) { time.Sleep(time.Second); return n, nil }
		}
		never := func() (int64, error) { t.Error("two callers compute at once"); return 0, nil }
		want := func(ctx context.Context, compute func() (int64, error), n int64, e error) {
			t.Helper()
			if got, err := r.get(ctx, compute); got != n || !errors.Is(err, e) {
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
