package room

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// mustTake takes room that must be there at once.
func mustTake(t *testing.T, q *Room, ctx context.Context, bytes int64) (leave func()) {
	t.Helper()
	began := time.Now()
	leave, err := q.Take(ctx, bytes)
	if err != nil || time.Since(began) > 0 {
		t.Fatalf("Take(%d) = %v after %v, want room at once", bytes, err, time.Since(began))
	}
	return leave
}

// A person with many tabs keeps nobody else out, and waits for half of the room at most.
func TestRoomIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(100)
		for range 64 { // tabs, of which five have room
			go func() {
				leave, err := q.Take(WithGuest(t.Context(), "ada"), 10)
				if err == nil {
					time.Sleep(time.Minute)
					leave()
				}
			}()
		}
		synctest.Wait()
		mustTake(t, q, WithGuest(t.Context(), "bob"), 50)()
		began := time.Now()
		if _, err := q.Take(WithGuest(t.Context(), "ada"), 1); !errors.Is(err, ErrOwn) || time.Since(began) != longestWait {
			t.Errorf("one tab more: %v after %v, want ErrOwn after %v", err, time.Since(began), longestWait)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		mustTake(t, q, WithGuest(t.Context(), "ada"), 100)()
		if len(q.people) != 0 {
			t.Errorf("the room keeps %d people who have left", len(q.people))
		}
	})
}

// Who needs more than a share gets it, and others wait for one such page, not for all that
// the person has asked for.
func TestRoomOfLargePage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(100)
		for range 10 {
			go func() {
				leave, err := q.Take(WithGuest(t.Context(), "ada"), 1000)
				if err == nil {
					time.Sleep(time.Second)
					leave()
				}
			}()
		}
		synctest.Wait()
		began := time.Now()
		leave, err := q.Take(WithGuest(t.Context(), "bob"), 10)
		if err != nil || time.Since(began) != time.Second {
			t.Fatalf("a small page: %v after %v, want room after one page of the other person", err, time.Since(began))
		}
		leave()
		time.Sleep(time.Minute)
	})
}

// An answer that nobody reads keeps its own bytes alone.
func TestRoomOfAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(100)
		slow := WithGuest(t.Context(), "ada")
		first, second := mustTake(t, q, slow, 30), mustTake(t, q, slow, 20)
		Keep(slow, 5)
		other := mustTake(t, q, WithGuest(t.Context(), "ada"), 45)
		bob := mustTake(t, q, WithGuest(t.Context(), "bob"), 50)
		Keep(slow, 100) // asks for no more
		first()
		first()
		second()
		other()
		bob()
		mustTake(t, q, slow, 100)()
	})
}

// Who goes away while waiting leaves the queue, and who waits behind comes next.
func TestRoomGoneAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(100)
		leave := mustTake(t, q, WithGuest(t.Context(), "ada"), 100)
		ctx, cancel := context.WithCancel(WithGuest(t.Context(), "bob"))
		gone := make(chan error)
		go func() {
			_, err := q.Take(ctx, 100)
			gone <- err
		}()
		synctest.Wait()
		next := make(chan error)
		go func() {
			leave, err := q.Take(WithGuest(t.Context(), "eve"), 1)
			if err == nil {
				leave()
			}
			next <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-gone; err == nil {
			t.Error("who went away has room")
		}
		leave()
		if err := <-next; err != nil {
			t.Errorf("who waited behind: %v", err)
		}
		mustTake(t, q, WithGuest(t.Context(), "ada"), 100)()
		if len(q.people) != 0 {
			t.Errorf("the room keeps %d people who have left", len(q.people))
		}
	})
}
