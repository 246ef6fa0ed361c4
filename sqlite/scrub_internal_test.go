package sqlite

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The pass of a writer visits what others commit between two of its steps.
func TestScrubFollowsOthers(t *testing.T) {
	t.Parallel()
	s := openInternal(t)
	svc, err := workspace.New(s, workspace.Options{})
	testkit.Must(t, err)
	ws, err := svc.Agent("a")
	testkit.Must(t, err)
	write := func(path string, size int) {
		_, err := ws.WriteFile(t.Context(), path, bytes.Repeat([]byte("x"), size), workspace.WriteOptions{})
		testkit.Must(t, err)
	}
	for _, path := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"} {
		write(path, 1<<20)
	}
	turn, err := dbfile.TakeTurn(t.Context(), s.path)
	testkit.Must(t, err)
	testkit.Must(t, turn.Give())
	defer turn.Close()
	c, err := dialWriter(s.path)
	testkit.Must(t, err)
	w := &writer{path: s.path, c: c, turn: turn, reserve: dbfile.ReserveOf(s.path), log: slog.Default(), wake: make(chan struct{}, 1)}
	defer c.close()
	defer w.scrub.drop()
	testkit.Must(t, w.takeTurn())
	testkit.Must(t, w.begin())
	testkit.Must(t, (&tx{reader: reader{c: c}}).wantScrub())
	testkit.Must(t, w.commit())
	w.scrub.wanted = true
	testkit.Must(t, errors.Join(w.scrubSome(), w.scrubSome()))
	for range 3 {
		left := w.scrub.pass.Left()
		if left == 0 || w.scrub.pass.Done {
			t.Fatal("the pass has ended: nothing is tested")
		}
		w.giveTurn()
		write("new", 500_000)
		testkit.Must(t, w.takeTurn())
		if grew := w.scrub.pass.Left() - left; grew < 100 {
			t.Errorf("after others have written 500,000 bytes, %d pages more are to be visited, want more than 100", grew)
		}
		testkit.Must(t, w.scrubSome())
	}
	w.giveTurn()
}
