package sqlite

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	groupJobs  = 256                    // the most functions in one transaction
	groupBytes = 4 << 20                // a transaction with so much content takes no more functions
	slowJob    = 100 * time.Millisecond // a function that takes longer is logged
	idleAfter  = time.Second            // without a write, the log is folded into the database
)

// writer is the group commit. One goroutine owns the connection that writes. It runs the
// waiting functions in one transaction and answers them all after the commit. If a
// function fails, its changes alone are undone.
type writer struct {
	path       string
	c          *conn
	turn       *dbfile.Turn
	reserve    dbfile.Reserve
	durability Durability
	log        *slog.Logger
	closeWait  time.Duration // how long close waits for the turn of another process

	mu      sync.Mutex // guards the following
	queue   []*job
	closing bool
	broken  error // why the store takes no more writes; nil: it does

	wake   chan struct{} // has room for one
	exited chan struct{} // closed when the goroutine has ended

	taking atomic.Bool // the goroutine waits for the turn

	// Only the goroutine uses the following:
	group      []*job        // taken and not yet answered
	next       int           // the first of the group that has not run in this transaction
	careful    bool          // each function of the group runs in a savepoint
	dirty      bool          // something was written since the log was last folded
	exitedBy   *job          // its Goexit ended the goroutine before this one
	foldAt     time.Time     // readers were in the way: the log is not emptied before this time
	foldPause  time.Duration // the last pause because of readers
	foldFailed bool          // the last fold failed, and that was logged
	lost       bool          // a file was lost, see loseFiles
	foldLost   bool          // the disk failed to confirm a checkpoint
	refillAt   time.Time     // when to make the released reserve again; zero: it is there

	synced        bool  // confirm has synced the log
	syncedVersion int64 // PRAGMA data_version at that time
}

func startWriter(path string, c *conn, t *dbfile.Turn, d Durability, log *slog.Logger) *writer {
	w := &writer{path: path, c: c, turn: t, reserve: dbfile.ReserveOf(path), durability: d, log: log, closeWait: 3 * time.Second,
		wake: make(chan struct{}, 1), exited: make(chan struct{})}
	c.takePagesWritten()
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
// comes for a while, it folds the log into the database.
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
	w.taking.Store(true)
	defer w.taking.Store(false)
	return w.turn.Take()
}

func (w *writer) giveTurn() {
	if err := w.turn.Give(); err != nil {
		w.fail(fmt.Errorf("%v: %w", err, workspace.ErrReadOnly))
	}
}

// resume continues a group after the Goexit of one of its functions.
func (w *writer) resume() {
	j := w.exitedBy
	w.exitedBy = nil
	j.exited = true
	w.finishGroup(w.settle(j))
	w.giveTurn()
}

// commitGroup runs the waiting functions in one transaction and answers them.
func (w *writer) commitGroup() {
	w.group, w.next, w.careful = w.group[:0], 0, false
	if err := w.whyBroken(); err != nil {
		w.refuse(err)
		return
	}
	if err := w.begin(); err != nil {
		w.refuse(err)
		return
	}
	w.finishGroup(nil)
}

// finishGroup runs functions until none waits or the transaction is large enough. Then it
// commits and answers. err is the error of the transaction so far.
func (w *writer) finishGroup(err error) {
	for {
		if errors.Is(err, errLeftover) {
			err = w.restart()
		}
		if err != nil {
			break
		}
		j := w.nextJob()
		if j == nil {
			err = w.commit()
			break
		}
		err = w.runInGroup(j)
	}
	switch {
	case err == nil:
		w.dirty = true
		w.answer()
		w.boundLog()
		w.refillReserve()
	case isFsync(err):
		w.lostFsync(err)
	case dbfile.IsLost(err):
		w.lostFiles(err)
	default:
		w.runAlone()
	}
	w.group = nil
}

// commit ends the transaction, and makes the data durable that its answers rest on.
// [dbfile.IsLost] is true of the error if the transaction was written to a lost file.
func (w *writer) commit() error {
	if _, err := w.c.exec("COMMIT"); err != nil {
		return err
	}
	if _, err := w.c.files.Check(); err != nil {
		return err
	}
	return w.confirm()
}

// nextJob returns the job of the group that runs next, or takes another one into the
// group. It returns nil if there is none or the transaction is large enough.
func (w *writer) nextJob() *job {
	for ; w.next < len(w.group); w.next++ {
		if j := w.group[w.next]; !j.exited {
			w.next++
			return j
		}
	}
	if len(w.group) == groupJobs || w.size() >= groupBytes {
		return nil
	}
	j := w.pop(running)
	if j != nil {
		w.group = append(w.group, j)
		w.next++
	}
	return j
}

// restart undoes the whole group, to run it again with each function in a savepoint. The
// first run does without savepoints: one costs a tenth of a write, and most functions that
// fail do so before they change anything.
func (w *writer) restart() error {
	w.rollback()
	w.careful, w.next = true, 0
	return w.begin()
}

// size returns the bytes of content that the group has written.
func (w *writer) size() (n int64) {
	for _, j := range w.group {
		n += j.tx.wrote
	}
	return n
}

// errLeftover says that a function failed after it had changed something, and that there
// is no savepoint to go back to.
var errLeftover = errors.New("a failed function left changes")

// runInGroup runs a function in the transaction of its group, in a savepoint if the group
// is careful. An error that it returns has ended the transaction.
func (w *writer) runInGroup(j *job) error {
	if w.careful {
		if _, err := w.c.exec("SAVEPOINT job"); err != nil {
			return err
		}
	}
	w.call(j)
	return w.settle(j)
}

// settle keeps a function's work in the transaction, or undoes it if it failed.
func (w *writer) settle(j *job) error {
	failed := j.err != nil || j.panicked || j.exited
	switch {
	case w.c.broken != nil: // also if the function has not returned that error
		return w.c.broken
	case !w.careful && failed && j.tx.changed:
		return errLeftover
	case !w.careful:
		return nil
	}
	if failed {
		if _, err := w.c.exec("ROLLBACK TO job"); err != nil {
			return err
		}
	}
	_, err := w.c.exec("RELEASE job")
	return err
}

// call runs the function of a job. A panic is kept for the caller. A Goexit ends this
// goroutine, see run.
func (w *writer) call(j *job) {
	j.err, j.panicked, j.value = nil, false, nil
	j.tx = tx{reader: reader{c: w.c, owner: j.owner}}
	w.c.broken = nil
	began := time.Now()
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			j.panicked, j.value = true, v
			return
		}
		w.exitedBy = j
	}()
	j.err = j.fn(&j.tx)
	returned = true
	if took := time.Since(began); took > slowJob {
		w.log.Warn("a transaction's function is slow; it must do nothing but its calls", "owner", j.owner, "took", took)
	}
}

// answer tells the callers of the group.
func (w *writer) answer() {
	for _, j := range w.group {
		close(j.done)
	}
}

// runAlone handles a group that has lost its transaction. Each function runs again in a
// transaction of its own, so that one function's error does not hit the others.
func (w *writer) runAlone() {
	w.rollback()
	w.next, w.careful = 0, false // for resume, if a Goexit ends this goroutine
	for len(w.group) > 0 {
		j := w.group[0]
		if j.err = w.whyBroken(); j.err == nil && !j.exited {
			j.err = w.alone(j)
		}
		switch {
		case isFsync(j.err):
			w.lostFsync(j.err)
			return
		case dbfile.IsLost(j.err):
			w.lostFiles(j.err)
			return
		}
		close(j.done)
		w.group = w.group[1:]
	}
}

// alone runs one function in its own transaction. If the disk is full and the function
// only removes something, alone releases the reserve and runs it once more.
func (w *writer) alone(j *job) error {
	err := w.once(j)
	if isFull(err) && j.tx.removed && !j.tx.added && w.releaseReserve(err) {
		if err = w.once(j); err == nil {
			w.fold(0)
		}
	}
	return err
}

func (w *writer) once(j *job) error {
	if err := w.begin(); err != nil {
		return err
	}
	w.call(j)
	if w.c.broken != nil { // also if the function has not returned that error
		j.err = w.c.broken
	}
	if j.err != nil || j.panicked {
		w.rollback()
		if w.c.broken == nil {
			if err := w.confirm(); err != nil {
				return err
			}
		}
		return j.err
	}
	if err := w.commit(); err != nil {
		w.rollback()
		return err
	}
	w.dirty = true
	return nil
}

// rollback ends the transaction, if SQLite has not ended it already.
func (w *writer) rollback() {
	w.c.exec("ROLLBACK")   // fails without harm if there is no transaction
	w.c.takePagesWritten() // these pages never got into the log
}

// lostFsync answers a group whose commit the disk did not confirm. The page cache may now
// show data that the disk has lost. So the store takes no more writes until the process
// is started again.
func (w *writer) lostFsync(err error) {
	w.rollback()
	w.fail(fmt.Errorf("the disk failed to confirm a write (%v); check the disk, start this process again, and check the last writes: %w", err, workspace.ErrReadOnly))
	w.answerUnknown(fmt.Errorf("the disk failed to confirm the write (%v); it may or may not be stored: %w", err, workspace.ErrOutcomeUnknown))
}

// answerUnknown tells the callers of the group that their outcome is unknown.
func (w *writer) answerUnknown(unknown error) {
	for _, j := range w.group {
		j.err, j.panicked, j.exited = unknown, false, false
		close(j.done)
	}
	w.group = nil
}

// fail makes the store read-only, and refuses the functions that wait.
func (w *writer) fail(err error) {
	w.mu.Lock()
	first := w.broken == nil
	if first {
		w.broken = err
	}
	w.mu.Unlock()
	if first {
		w.log.Error("the store is read-only", "cause", err)
	}
	w.refuse(err)
}

// whyBroken returns why the store is read-only, and nil if it is not.
func (w *writer) whyBroken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
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
		if w.taking.Load() {
			w.refuse(workspace.ErrClosed)
			return nil
		}
	}
}

// end folds the log and closes everything.
func (w *writer) end() {
	if w.dirty {
		w.checkpoint()
	}
	if w.foldLost {
		if err := w.c.keepLog(); err != nil {
			w.log.Warn("closing the database", "err", err)
		}
	}
	if err := w.c.close(); err != nil {
		w.log.Warn("closing the database", "err", err)
	}
	w.turn.Close()
	close(w.exited)
}
