package room_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/agent-scratchpad/scratchpad/internal/room"
)

// One person gets half of the room. What an answer does not need goes back at once.
func TestTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := room.New(100)
		ada, bob, cyd := room.WithGuest(t.Context(), "ada"), room.WithGuest(t.Context(), "bob"), room.WithGuest(t.Context(), "cyd")
		take := func(guest context.Context, bytes int64, want error) (leave func()) {
			t.Helper()
			leave, err := r.Take(guest, bytes)
			if !errors.Is(err, want) || err != nil && want == nil {
				t.Fatalf("%d bytes: %v, want %v", bytes, err, want)
			}
			return leave
		}
		leave := take(ada, r.Share(), nil)
		take(ada, 1, room.ErrOwn)
		take(bob, 50, nil)
		take(cyd, 1, room.ErrOthers)
		room.Keep(bob, 10)
		take(cyd, 40, nil)
		take(cyd, 1, room.ErrOthers)
		leave()
		leave() // a second time, it does nothing
		take(cyd, 10, nil)
		take(cyd, 1, room.ErrOwn)
		take(bob, 40, nil)
		take(ada, 1, room.ErrOthers)
	})
}
