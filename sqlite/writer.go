package sqlite

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	groupJobs  = 256         // the most functions in one transaction
	groupBytes = 4 << 20     // a transaction with so much content takes no more functions
	slowJob    = time.Second // a function that takes longer is logged
	idleAfter  = time.Second // without a write, a checkpoint empties the log
)

// writer is the group commit. One goroutine owns the connection that writes. It runs the
// waiting functions in one transaction and answers them all after the commit. If a
// function fails, its changes alone are undone.
type writer struct {
	c         *conn
	turn      *dbfile.Turn
	reserve   dbfile.Reserve
	log       *slog.Logger
	closeWait time.Duration      // how long close waits for the turn of another process
	grew      func(owner string) // is told of an owner whose journal of changes has a new row
	redacted  func()             // is told that the file is to be scrubbed

	mu      sync.Mutex // guards the following
	queue   []*job
	closing bool
	broken  error // why the store takes no more writes; nil: it does

	wake   chan struct{} // has room for one
	exited chan struct{} // closed when the goroutine has ended

	meter          measures
	checkpointLost atomic.Bool // the disk failed to confirm a checkpoint

	// Only the goroutine uses the following:
	group            []*job        // taken and not yet answered
	next             int           // the first of the group that has not run in this transaction
	careful          bool          // each function of the group runs in a savepoint
	dirty            bool          // something was written since the log was last emptied
	exitedBy         *job          // its Goexit ended the goroutine before this one
	emptyAt          time.Time     // readers were in the way: the log is not emptied before this time
	emptyPause       time.Duration // the last pause because of readers
	checkpointFailed bool          // the last checkpoint failed, and that was logged
	lost             bool          // a file was lost, see loseFiles
	tookReserve      bool          // an idle checkpoint took the reserve, which is not back yet
	refillAt         time.Time     // when to make the released reserve again; zero: it is there
}

func startWriter(path string, c *conn, t *dbfile.Turn, log *slog.Logger, grew func(owner string),
	redacted func()) *writer {
	w := &writer{c: c, turn: t, reserve: dbfile.ReserveOf(path), log: log, grew: grew, redacted: redacted,
		closeWait: 3 * time.Second,
		wake:      make(chan struct{}, 1), exited: make(chan struct{})}
	go w.run()
	return w
}

// run is the writer's goroutine. A Goexit in a function ends it. Then another goroutine
// takes over at the next function.
func (w *writer) run() {
	finished := false
	defer func() {
		if !finished {
			go w.run()
		}
	}()
	if w.group != nil {
		w.resume()
	}
	for w.wait() {
		if err := w.takeTurn(); err != nil {
			w.refuse(err)
			continue
		}
		w.commitGroup()
		w.giveTurn()
	}
	w.end()
	finished = true
}

// wait returns true when there is a job, and false when the writer is to end. If no job
// comes for a while, it runs a checkpoint.
func (w *writer) wait() bool {
	for {
		w.mu.Lock()
		some, closing := len(w.queue) > 0, w.closing
		w.mu.Unlock()
		switch {
		case some:
			return true
		case closing:
			return false
		case !w.dirty:
			<-w.wake
			continue
		}
		idle := time.NewTimer(idleAfter)
		select {
		case <-w.wake:
		case <-idle.C:
			w.checkpoint()
		}
		idle.Stop()
	}
}

func (w *writer) takeTurn() error {
	w.meter.turn.begin()
	defer w.meter.turn.end()
	return w.turn.Take()
}

func (w *writer) giveTurn() {
	w.meter.commit.drop() // of a transaction that failed
	if err := w.turn.Give(); err != nil {
		w.fail(store.Errorf(store.ErrReadOnly, "%s", dbfile.Plain(err)))
	}
}

// resume continues a group after the Goexit of one of its functions.
func (w *writer) resume() {
	j := w.exitedBy
	w.exitedBy = nil
	j.exited = true
	w.finishGroup(w.keepOrUndo(j))
	w.giveTurn()
}

// close runs the queued functions and ends the goroutine. If another process keeps the
// turn, close refuses them, and the goroutine ends later.
func (w *writer) close() error {
	w.mu.Lock()
	w.closing = true
	w.mu.Unlock()
	w.poke()
	for {
		select {
		case <-w.exited:
			return nil
		case <-time.After(w.closeWait):
		}
		if w.meter.turn.running() > 0 {
			w.refuse(store.ErrClosed)
			return nil
		}
	}
}

// end runs a last checkpoint and closes everything.
func (w *writer) end() {
	if w.dirty {
		w.checkpoint()
	}
	if w.checkpointLost.Load() {
		if err := w.c.KeepLog(); err != nil {
			w.log.Warn("closing the database", "err", err)
		}
	}
	if err := w.c.close(); err != nil {
		w.log.Warn("closing the database", "err", err)
	}
	w.turn.Close()
	close(w.exited)
}
