package sqlite

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/pages"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A redaction takes the content of a version out of its row. Copies of it may be left in
// other pages and in the write-ahead log. So the transaction of the redaction also stores
// a record that the file is to be scrubbed. The writer then runs a pass over the database
// in steps, between the groups, empties the log, and removes the record. If the process
// ends before, the next one that opens the database finds the record and begins again.

// scrubRecord is the key of the record. Each redaction gives the record a new revision.
const scrubRecord = "sqlite/scrub"

const (
	scrubPause   = 5 * time.Second       // after an error
	scrubAtClose = 3 * time.Second       // how long closing the store goes on with the pass
	scrubLook    = 20 * time.Millisecond // between looks at the check
	scrubAlone   = time.Minute           // a record of this age was given up by the process that stored it
)

// scrub is the work on a record. Only the writer's goroutine uses it.
type scrub struct {
	wanted   bool      // there is a record
	next     time.Time // of the next step
	pause    time.Duration
	failed   bool // the last step failed, and that was logged
	began    time.Time
	revision int64        // of the record when the pass began
	check    *pages.Check // before the pass; nil: none has begun
	c        *conn        // may write pages; nil: it is not open
	pass     *pages.Pass  // nil: none has begun
	emptied  bool         // the log was emptied after the pass
	mark     dbfile.LogMark
	reads    bool // c is in a read transaction, so that nobody begins the log again unseen
}

// wantScrub stores the record, in the transaction of a redaction.
func (t *tx) wantScrub() error {
	v := []any{scrubRecord, []byte{}, rand.Int64N(1<<62) + 1, row.Micros(time.Now())}
	_, err := t.exec(upsertRecord, append(v, row.Sum(v...))...)
	t.redacted = true
	return err
}

// lookForScrub finds out whether another process has left the record. opened says that this
// process has just opened the database.
func (w *writer) lookForScrub(opened bool) {
	if w.scrub.wanted {
		return
	}
	rec, err := w.c.record(scrubRecord)
	age := time.Since(rec.Updated)
	if err == nil && rec.Revision != 0 && (opened || age < 0 || age > scrubAlone) {
		w.scrub.wanted = true
	}
}

func (s *scrub) due() bool { return s.wanted && !time.Now().Before(s.next) }

// drop ends the pass.
func (s *scrub) drop() {
	s.check.Stop()
	if s.c != nil {
		s.c.close()
	}
	*s = scrub{wanted: s.wanted, next: s.next, failed: s.failed}
}

// scrubStep takes the turn and does a part of the work.
func (w *writer) scrubStep() {
	if w.whyBroken() != nil {
		w.scrub.wanted = false
		w.scrub.drop()
		return
	}
	if !w.checked() {
		return
	}
	if err := w.takeTurn(); err != nil {
		w.scrubFailed(err)
		return
	}
	defer w.giveTurn()
	began := time.Now()
	if err := w.scrubSome(); err != nil {
		w.scrubFailed(err)
		return
	}
	if s := &w.scrub; s.pause == 0 {
		s.next = time.Now().Add(time.Since(began)) // as much time for others
	} else {
		s.next = time.Now().Add(s.pause)
	}
}

// checked reports whether the structure is sound. The first call begins the check.
func (w *writer) checked() bool {
	s := &w.scrub
	if s.check == nil {
		s.check = pages.BeginCheck(w.c.files.Path(), func() error { _, err := w.c.files.Check(); return err })
	}
	err := s.check.Result()
	if err == workspace.ErrBusy {
		s.pause, s.next = scrubLook, time.Now().Add(scrubLook)
	} else if err != nil {
		w.scrubFailed(err)
	}
	return err == nil
}

func (w *writer) scrubFailed(err error) {
	s := &w.scrub
	s.drop()
	s.next = time.Now().Add(scrubPause)
	if engine.IsFull(err) {
		w.releaseReserve(err)
	}
	if errors.Is(err, workspace.ErrCorrupt) || errors.Is(err, workspace.ErrUnsupported) {
		s.wanted = false // until the database is opened again
	}
	if !s.failed {
		w.log.Error("redacted content may still be in the database file; removing it failed and is tried again later", "err", err)
	}
	s.failed = true
}

// scrubSome does a part of the work. The caller holds the turn.
func (w *writer) scrubSome() error {
	s := &w.scrub
	if s.pass == nil {
		return w.beginPass()
	}
	if !s.pass.Done {
		return w.stepPass()
	}
	if !s.emptied {
		if _, err := w.fold(logWait); err != nil {
			return err
		}
	}
	if !s.emptied { // a reader is in the log
		s.pause = min(max(2*s.pause, minPause), maxPause)
		return nil
	}
	return w.endScrub()
}

// beginPass opens the connection of the pass.
func (w *writer) beginPass() (err error) {
	s := &w.scrub
	s.pause = 0
	if s.c, err = dialOpened(w.c.files, engine.ModePages, busyTimeout, "synchronous(FULL)", "wal_autocheckpoint(0)",
		"journal_size_limit(67108864)", "trusted_schema(OFF)", "cache_size(-1024)"); err != nil {
		return err
	}
	s.began = time.Now()
	if err := w.inPass(func() error {
		rec, err := s.c.record(scrubRecord)
		if err != nil || rec.Revision == 0 { // another process has done it
			s.wanted = rec.Revision != 0
			return err
		}
		s.revision = rec.Revision
		s.pass, err = pages.NewPass(s.c.Conn)
		return err
	}); err != nil {
		return err
	}
	if !s.wanted {
		s.drop()
		return nil
	}
	return w.skipLog()
}

// stepPass runs a step of the pass.
func (w *writer) stepPass() error {
	s := &w.scrub
	w.boundLog()
	if wait := time.Until(w.foldAt); wait > 0 { // a reader stays in the log, and it must not grow without end
		s.pause = wait
		return nil
	}
	s.pause = 0
	if err := w.inPass(s.pass.Step); err != nil {
		return err
	}
	if s.pass.Wrote {
		w.dirty = true
	}
	if s.pass.Unreached > 0 {
		w.log.Warn("some pages of the database belong to nothing, and were not scrubbed after a redaction; scratchpad verify tells more", "pages", s.pass.Unreached)
	}
	return w.skipLog()
}

// inPass runs fn in a transaction of the pass's connection.
func (w *writer) inPass(fn func() error) error {
	c := w.scrub.c
	if names, err := w.c.files.Check(); err != nil || names > 1 {
		return errors.Join(err, workspace.Errorf(workspace.ErrReadOnly, "a file of the database is not as it was"))
	}
	if _, err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := c.fence()
	if err == nil {
		err = fn()
	}
	if err == nil {
		_, err = c.Exec("COMMIT")
	}
	if err != nil {
		c.Exec("ROLLBACK") // fails without harm if there is no transaction
	}
	if engine.IsFsync(err) {
		w.fail(workspace.Errorf(workspace.ErrReadOnly, "the disk failed to confirm a write (%s); check the disk and start this process again", dbfile.Plain(err)))
	}
	return err
}

// endScrub removes the record, unless there was a redaction after the pass began.
func (w *writer) endScrub() error {
	s := &w.scrub
	if err := w.begin(); err != nil {
		return err
	}
	_, err := w.c.Exec("DELETE FROM records WHERE key = ? AND revision = ?", scrubRecord, s.revision)
	var rec workspace.Record
	if err == nil {
		rec, err = w.c.record(scrubRecord)
	}
	if err == nil {
		err = w.commit()
	}
	if err != nil {
		w.rollback()
		return err
	}
	w.dirty = true
	s.wanted, s.failed = rec.Revision != 0, false
	took := time.Since(s.began)
	s.drop()
	s.pause = min(took, time.Minute) // before the next pass, so that redactions cannot keep the disk busy
	return nil
}

// followLog makes the pass visit what was committed since the last call. The caller holds
// the turn, and nothing is in a transaction.
func (w *writer) followLog() {
	s := &w.scrub
	if s.pass == nil || s.pass.Done {
		return
	}
	l, err := w.c.Checkpoint("NOOP")
	known := false
	if err == nil {
		s.mark, known, err = w.c.files.LogPages(s.mark, l.Pages, s.pass.Add)
	}
	if err != nil || !known {
		s.pass.Restart()
	}
}

// skipLog is followLog after a commit of the pass itself.
func (w *writer) skipLog() error {
	l, err := w.c.Checkpoint("NOOP")
	if err == nil {
		w.scrub.mark, _, err = w.c.files.LogPages(w.scrub.mark, l.Pages, func(uint32) {})
	}
	return err
}

// watchLog keeps a snapshot while others have their turn, so that the log still has all
// that they commit when this process has its turn again.
func (w *writer) watchLog() {
	s := &w.scrub
	if s.pass == nil || s.pass.Done {
		return
	}
	w.followLog()
	_, err := s.c.Exec("BEGIN")
	s.reads = err == nil
	if err == nil {
		err = s.c.Pragma("schema_version")
	}
	if err != nil {
		s.pass.Restart()
	}
}

// unwatchLog ends the snapshot.
func (w *writer) unwatchLog() {
	w.followLog()
	if s := &w.scrub; s.reads {
		s.c.Exec("COMMIT")
		s.reads = false
	}
}

// finishScrub goes on with the pass for a while when the store is closed.
func (w *writer) finishScrub() {
	s := &w.scrub
	s.failed = false
	for deadline := time.Now().Add(scrubAtClose); s.wanted && time.Now().Before(deadline); {
		if s.pause > 0 {
			time.Sleep(min(s.pause, minPause))
		}
		if w.scrubStep(); s.failed {
			break
		}
	}
	if s.wanted {
		w.log.Warn("redacted content may still be in the database file; it is removed when the database is opened again")
	}
	s.drop()
}
