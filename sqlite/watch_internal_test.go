package sqlite

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// change stores a log with a row in the journal.
func change(tx store.Tx) error {
	return tx.Apply(store.LogChange{
		Head:   store.LogHead{Path: "log", First: 1, Last: 1},
		Change: store.Change{Revision: 1, Op: store.OpAppend, Kind: store.KindLog, Path: "log", After: 1},
		Owner:  store.OwnerState{Usage: store.Usage{Logs: 1}, Revision: 1, Changes: 1},
	})
}

// If a group has lost its transaction, or is run again because a function of it failed,
// exactly those are told whose function went through.
func TestToldAlone(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		s := openInternal(t)
		told, err := s.Watch(t.Context())
		testkit.Must(t, err)
		inside, leave := make(chan struct{}), make(chan struct{})
		answers := []<-chan error{start(s, func(store.Tx) error { // may run again
			select {
			case <-inside:
			default:
				close(inside)
			}
			<-leave
			return nil
		})}
		<-inside
		queue := func(agent string, fn func(store.Tx) error) {
			answer := make(chan error, 1)
			go func() {
				err := errExited
				defer func() { answer <- err }()
				err = s.Update(context.Background(), store.Owner{Tenant: "local", Agent: agent}, fn)
			}()
			waitQueued(s, len(answers))
			answers = append(answers, answer)
		}
		failed := errors.New("failed")
		queue("stores", change)
		queue("fails", func(tx store.Tx) error { return errors.Join(change(tx), failed) })
		queue("exits", func(tx store.Tx) error { change(tx); runtime.Goexit(); return nil })
		queue("ends", func(tx store.Tx) error {
			if lost {
				lost = false
				s.writer.c.Exec("ROLLBACK")
				s.writer.c.Broken = &engine.Error{Code: engine.CodeInterrupt, Text: "planted"}
				return nil
			}
			return change(tx)
		})
		close(leave)
		for i, want := range []error{nil, nil, failed, errExited, nil} {
			if err := <-answers[i]; !errors.Is(err, want) {
				t.Errorf("function %d: %v, want %v", i, err, want)
			}
		}
		got := map[string]bool{}
		for len(told) > 0 {
			got[(<-told).Agent] = true
		}
		if !got["stores"] || !got["ends"] || got["fails"] || got["exits"] {
			t.Errorf("told of %v, want stores and ends", got)
		}
	}
}
