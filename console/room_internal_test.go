package console

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-scratchpad/scratchpad/internal/room"
)

// Who finds no room learns whose pages take it.
func TestTakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, ada, bob := room.New(100), room.WithGuest(t.Context(), "ada"), room.WithGuest(t.Context(), "bob")
		if _, err := takeRoom(ada, in, in.Share()); err != nil {
			t.Fatal(err)
		}
		var busy *Busy
		if _, err := takeRoom(ada, in, 1); !errors.As(err, &busy) || !strings.Contains(busy.Text, "your other pages") {
			t.Errorf("a page more: %v, want Busy with the person's own pages", err)
		}
		if _, err := takeRoom(bob, in, in.Share()+1); !errors.As(err, &busy) || !strings.Contains(busy.Text, "the pages of others") {
			t.Errorf("a page of somebody else: %v, want Busy with the pages of others", err)
		}
	})
}
