package dbfile

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Turn lets the processes that write one database take turns. SQLite's own lock goes to
// whoever polls at the right moment, so one looping process starves the others. Here a
// waiting process holds the first lock, and gets the second one, the right to write,
// when its holder is done. A process that has just written must wait for the first lock
// again. The kernel frees both locks when a process dies.
//
// A Turn is not safe for concurrent use.
type Turn struct {
	queue *os.File // DB-turn: whose turn is next
	write *os.File // DB-write: who may write
}

// TakeTurn opens the two lock files of a database, making them if they are missing, and
// waits until it is this process's turn to write. It returns [store.ErrBusy] if the
// context's deadline comes first.
func TakeTurn(ctx context.Context, path string) (*Turn, error) {
	t, err := openTurn(path)
	if err != nil {
		return nil, err
	}
	taken := make(chan error, 1)
	go func() { taken <- t.Take() }()
	select {
	case err := <-taken:
		if err != nil {
			t.Close()
			return nil, err
		}
		return t, nil
	case <-ctx.Done():
		go func() { // nothing can interrupt the wait
			<-taken
			t.Close()
		}()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, store.CausedBy(ctx.Err(), store.ErrBusy, "another process is writing and does not give up "+
				"its turn")
		}
		return nil, ctx.Err()
	}
}

func openTurn(path string) (*Turn, error) {
	queue, err := openSide(path, queueEnd, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	write, err := openSide(path, writeEnd, os.O_CREATE)
	if err != nil {
		queue.Close()
		return nil, err
	}
	return &Turn{queue, write}, nil
}

// Take blocks until it is this process's turn to write. Nothing can interrupt it.
func (t *Turn) Take() error {
	if err := lockFile(t.queue); err != nil {
		return err
	}
	err := lockFile(t.write)
	return cmp.Or(err, unlockFile(t.queue))
}

// Give ends the turn that Take began.
func (t *Turn) Give() error { return unlockFile(t.write) }

// Close closes the lock files, and so ends the turn.
func (t *Turn) Close() error { return cmp.Or(t.queue.Close(), t.write.Close()) }
