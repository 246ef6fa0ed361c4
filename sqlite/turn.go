package sqlite

import (
	"errors"
	"os"
)

// turn gives the processes that write one database their turn. SQLite's own
// lock goes to whoever polls at the right moment, so that one looping process
// starves the others. Here a process that waits holds the first lock, and gets
// the second, the right to write, when the holder is done; the one that has
// just written must queue for the first again. The kernel frees both when a
// process dies.
type turn struct {
	queue *os.File // DB-turn: whose turn is next
	write *os.File // DB-write: who may write
}

func openTurn(path string) (*turn, error) {
	queue, err := openSide(path, "-turn", os.O_CREATE)
	if err != nil {
		return nil, err
	}
	write, err := openSide(path, "-write", os.O_CREATE)
	if err != nil {
		queue.Close()
		return nil, err
	}
	return &turn{queue, write}, nil
}

// take blocks until it is this process's turn to write. It cannot be
// interrupted.
func (t *turn) take() error {
	if err := lockFile(t.queue); err != nil {
		return err
	}
	err := lockFile(t.write)
	return errors.Join(err, unlockFile(t.queue))
}

func (t *turn) give() error { return unlockFile(t.write) }

func (t *turn) close() error { return errors.Join(t.queue.Close(), t.write.Close()) }
