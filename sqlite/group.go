package sqlite

import (
	"errors"
	"runtime"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// commitGroup runs the waiting functions in one transaction and answers them.
func (w *writer) commitGroup() {
	w.group, w.next, w.careful = w.group[:0], 0, false
	w.meter.commit.begin()
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
		w.meter.committed()
		for _, j := range w.group {
			w.reply(j)
		}
		w.boundLog()
		w.refillReserve()
	case engine.IsFsync(err):
		w.lostFsync(err)
	case dbfile.IsLost(err):
		w.lostFiles(err)
	default:
		w.runAlone()
	}
	w.group = nil
}

// begin begins a transaction. Before that it checks that the open files are still at
// their paths, and after it that the schema is the one that this version knows.
func (w *writer) begin() error {
	names, err := w.c.files.Check()
	if err != nil {
		return w.loseFiles(err)
	}
	if names > 1 { // nothing is lost yet, and the second name may be removed again
		return store.Errorf(store.ErrReadOnly, "the database or its write-ahead log has a second name (hard link), "+
			"and a program that writes under that name would damage the database; remove the second name")
	}
	if _, err = w.c.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err = w.c.fence(); err == nil {
		return nil
	}
	w.rollback()
	if engine.CodeOf(err) == 0 { // the fence's own error, not one of SQLite
		w.fail(err)
	}
	return err
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
	if j == nil { // callers that are ready to run may bring more for this commit
		runtime.Gosched()
		j = w.pop(running)
	}
	if j != nil {
		w.group = append(w.group, j)
		w.next++
	}
	return j
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
		if _, err := w.c.Exec("SAVEPOINT job"); err != nil {
			return err
		}
	}
	w.call(j)
	return w.keepOrUndo(j)
}

// keepOrUndo keeps a function's work in the transaction, or undoes it if it failed.
func (w *writer) keepOrUndo(j *job) error {
	failed := j.err != nil || j.panicked || j.exited
	switch {
	case w.c.Broken != nil: // also if the function has not returned that error
		return w.c.Broken
	case !w.careful && failed && j.tx.changed:
		return errLeftover
	case !w.careful:
		return nil
	}
	if failed {
		if _, err := w.c.Exec("ROLLBACK TO job"); err != nil {
			return err
		}
	}
	_, err := w.c.Exec("RELEASE job")
	return err
}

// call runs the function of a job. A panic is kept for the caller. A Goexit ends this
// goroutine, see run.
func (w *writer) call(j *job) {
	j.err, j.panicked, j.value = nil, false, nil
	j.tx = tx{reader: reader{c: w.c, owner: j.owner}}
	w.c.Broken = nil
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
	if took := time.Since(began); took > slowJob && !j.stays {
		w.log.Warn("a transaction's function is slow; it must do nothing but its calls", "owner", j.owner, "took", took)
	}
}

// commit ends the transaction. SQLite returns when it has synced the log.
// [dbfile.IsLost] is true of the error if the transaction was written to a lost file.
func (w *writer) commit() error {
	if _, err := w.c.Exec("COMMIT"); err != nil {
		return err
	}
	_, err := w.c.files.Check()
	return err
}

// reply tells the caller of a job, and whoever watches its owner.
func (w *writer) reply(j *job) {
	ok := j.err == nil && !j.panicked && !j.exited
	w.meter.answered(ok)
	if ok && j.tx.redacted {
		w.redacted()
	}
	if ok && j.tx.grew {
		w.grew(j.owner)
	}
	close(j.done)
}

// restart undoes the whole group, to run it again with each function in a savepoint. The
// first run does without savepoints: one costs a tenth of a write, and most functions that
// fail do so before they change anything.
func (w *writer) restart() error {
	w.rollback()
	w.careful, w.next = true, 0
	return w.begin()
}

// rollback ends the transaction, if SQLite has not ended it already.
func (w *writer) rollback() {
	w.c.Exec("ROLLBACK") // fails without harm if there is no transaction
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
		case engine.IsFull(j.err):
			w.meter.foundFull()
		case engine.IsFsync(j.err):
			w.lostFsync(j.err)
			return
		case dbfile.IsLost(j.err):
			w.lostFiles(j.err)
			return
		}
		w.reply(j)
		w.group = w.group[1:]
	}
}

// alone runs one function in its own transaction. If the disk is full and the function
// only removes something, alone releases the reserve and runs it once more.
func (w *writer) alone(j *job) error {
	err := w.once(j)
	if engine.IsFull(err) && j.tx.removed && !j.tx.added && w.releaseReserve() {
		if err = w.once(j); err == nil {
			w.truncateLog(0)
		}
	}
	return err
}

func (w *writer) once(j *job) error {
	w.meter.commit.begin()
	if err := w.begin(); err != nil {
		return err
	}
	w.call(j)
	if w.c.Broken != nil { // also if the function has not returned that error
		j.err = w.c.Broken
	}
	if j.err != nil || j.panicked {
		w.rollback()
		return j.err
	}
	if err := w.commit(); err != nil {
		w.rollback()
		return err
	}
	w.dirty = true
	w.meter.committed()
	return nil
}
