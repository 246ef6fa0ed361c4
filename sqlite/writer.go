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
	groupJobs  = 256     // functions in one transaction at most
	groupBytes = 4 << 20 // content in one transaction, after which no function joins it
	slowJob    = 100 * time.Millisecond
	idleAfter  = time.Second // without a write, until the log is folded into the database
)

// writer is the group commit: one goroutine that owns the writing connection,
// runs the functions that wait in one transaction, and answers them all after
// the commit. What a function has changed before it failed is undone alone.
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
	broken  error // why no more is written; nil: it is

	wake   chan struct{} // has room for one
	exited chan struct{} // closed when the goroutine has ended

	taking atomic.Bool // it waits for the turn

	// Of the goroutine alone:
	group      []*job        // taken and not yet answered
	next       int           // the first of the group that has not run in this transaction
	careful    bool          // each function of the group runs in a savepoint
	dirty      bool          // written since the log was last folded
	exitedBy   *job          // whose Goexit ended the goroutine before this one
	foldAt     time.Time     // not before, after readers were in the way
	foldPause  time.Duration // the last one
	foldFailed bool          // the last time, of which the log was told
	lost       bool          // a file, see loseFiles
	foldLost   bool          // the disk failed to confirm a checkpoint
	refillAt   time.Time     // when the reserve, once released, is to be tried again; zero: it is there

	synced        bool  // the log, by confirm
	syncedVersion int64 // of the database then, as PRAGMA data_version says
}

func startWriter(path string, c *conn, t *dbfile.Turn, d Durability, log *slog.Logger) *writer {
	w := &writer{path: path, c: c, turn: t, reserve: dbfile.ReserveOf(path), durability: d, log: log, closeWait: 3 * time.Second,
		wake: make(chan struct{}, 1), exited: make(chan struct{})}
	c.takePagesWritten()
	go w.run()
	return w
}

// run is the writer's goroutine. A Goexit in a function ends it; another one
// then takes over, at the function after that one.
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

// wait returns true when there is a job, and false when the writer is to end.
// When nothing comes for a while it folds the log into the database.
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

// resume goes on where a Goexit cut a group off.
func (w *writer) resume() {
	j := w.exitedBy
	w.exitedBy = nil
	j.exited = true
	w.finishGroup(w.settle(j))
	w.giveTurn()
}

// commitGroup runs what waits in one transaction and answers it.
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

// finishGroup runs functions until none waits or the transaction has enough,
// commits, and answers. err is what came of the function before.
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

// commit ends the transaction, and makes durable what its answers rest on. The
// error is a [lostError] when what it has written is in a file that is lost.
func (w *writer) commit() error {
	if _, err := w.c.exec("COMMIT"); err != nil {
		return err
	}
	if _, err := w.c.files.Check(); err != nil {
		return err
	}
	return w.confirm()
}

// nextJob returns the job of the group that is to run next, or takes one more
// into the group; nil when there is none or the transaction has enough.
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

// restart undoes the whole group, to run it again with each function in a
// savepoint. A savepoint costs a tenth of a write, and functions that fail do so
// before they change anything, as a rule; so the first run does without.
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

// errLeftover says that a function failed after it had changed something, and
// that there is no savepoint to go back to.
var errLeftover = errors.New("a failed function left changes")

// runInGroup runs a function in the transaction of its group, in a savepoint
// where the group is careful. The error it returns is that of the transaction,
// which is gone then.
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
	case w.c.broken != nil: // also where the function has not passed it on
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

// call runs the function of a job. A panic is kept for the caller; a Goexit
// ends this goroutine, see run.
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

// runAlone is for a group whose transaction is gone: each function runs again in
// a transaction of its own, so that the trouble of one is not that of the others.
func (w *writer) runAlone() {
	w.rollback()
	w.next, w.careful = 0, false // for resume, if one of them ends this goroutine
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

// alone runs one function in its own transaction, and once more with the
// reserve released where it removes something and the disk is full.
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
	if w.c.broken != nil { // also where the function has not passed it on
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

// rollback ends a transaction of which nobody knows whether it still stands.
func (w *writer) rollback() {
	// Where SQLite has ended it already, this fails, and that is well.
	w.c.exec("ROLLBACK")
	w.c.takePagesWritten() // which are no part of the log then
}

// lostFsync is the answer when the disk did not confirm a commit: the page cache
// may show what the disk has lost, so nothing is written any more until the
// process is started again.
func (w *writer) lostFsync(err error) {
	w.rollback()
	w.fail(fmt.Errorf("the disk failed to confirm a write (%v); look at the disk, start this process again, and check the last writes: %w", err, workspace.ErrReadOnly))
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

// fail makes the store read-only.
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

// whyBroken returns why the store is read-only; nil: it is not.
func (w *writer) whyBroken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

// close stores what is queued and ends the goroutine. Where another process
// keeps the turn, it refuses what is queued, and the goroutine ends later.
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

// end folds the log and lets go of everything.
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
