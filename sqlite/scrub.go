package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A redaction takes the content of a version out of its row. Copies of it may be left in
// other pages and in the write-ahead log. So the transaction of the redaction also stores
// a record that the file is to be scrubbed. Then VACUUM writes the database anew, and a
// checkpoint empties the log. The record goes when both are done. If the process ends
// before, the next one that opens the database finds the record and begins again.

// scrubRecord is the key of the record. Each redaction gives the record a new revision.
const scrubRecord = "sqlite/scrub"

const (
	scrubSmall   = 64 << 20         // a file with fewer bytes is scrubbed at once;
	scrubIdle    = 10 * time.Second // a larger one when nobody has written to it for so long,
	scrubEvery   = time.Hour        // and not more often than this by one process
	scrubRoom    = 3                // times the size of the file that must be free
	scrubPause   = 5 * time.Second  // after an error
	scrubAtClose = 3 * time.Second  // how long closing the store goes on with the work
	scrubAsked   = 10 * time.Second // how long Scrub waits for readers to leave the log
	scrubAlone   = time.Minute      // a record of this age was given up by the process that stored it
)

// wantScrub stores the record, in the transaction of a redaction.
func (t *tx) wantScrub() error {
	t.redacted = true
	return t.putRecord(store.Record{Key: scrubRecord, Revision: newRevision(), Updated: time.Now()})
}

// lookForScrub takes over a record that another process has left.
func (w *writer) lookForScrub() {
	rec, err := w.c.record(scrubRecord)
	if age := time.Since(rec.Updated); err == nil && rec.Revision != 0 && (age < 0 || age > scrubAlone) {
		w.redacted()
	}
}

// Scrub writes the database anew, so that nothing that was redacted, deleted or dropped is left
// in the file and its log. After a redaction a store does so by itself, but for a file of 64 MiB or
// more only when nobody has written for ten seconds. Others can read meanwhile, and wait with
// their writes.
//
// It returns [store.ErrBusy] if a reader that began before stays in the log,
// [store.ErrStorageFull] if less than three times the size of the database is free
// beside the database or in SQLite's folder for temporary files, and
// [store.ErrCorrupt], with nothing changed, if the structure of the database is
// damaged.
func (s *Store) Scrub(ctx context.Context) error {
	if s.writer == nil {
		return store.Errorf(store.ErrReadOnly, "%s is open for reading only", s.path)
	}
	for done, deadline := int64(0), time.Now().Add(scrubAsked); ; {
		var err error
		if done, err = s.scrub(ctx, done, true); !errors.Is(err, store.ErrBusy) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(minPause):
		}
	}
}

// asked is in place of the record's revision if a scrub was asked for without a record.
const asked = -1

// dueScrub returns the revision of the record; without one, 0, or asked with always set.
func (c *conn) dueScrub(always bool) (int64, error) {
	rec, err := c.record(scrubRecord)
	if always && rec.Revision == 0 {
		return asked, err
	}
	return rec.Revision, err
}

// scrub does the work if there is a record, or always. done is what dueScrub returned when the
// database was written anew already; scrub returns it for the next call.
func (s *Store) scrub(ctx context.Context, done int64, always bool) (int64, error) {
	c, err := dialOpened(s.files, "rw", "busy_timeout(100)", "synchronous(FULL)", "wal_autocheckpoint(0)",
		"trusted_schema(OFF)", "cache_size(-4096)")
	if err != nil {
		return done, err
	}
	defer c.close()
	due, err := c.dueScrub(always)
	if err == nil && due != 0 && due != done {
		if err = s.roomToScrub(); err == nil {
			err = c.sound(ctx)
		}
	}
	if err != nil || due == 0 {
		return done, err
	}
	turn, err := dbfile.TakeTurn(ctx, s.path)
	if err != nil {
		return done, err
	}
	defer turn.Close()
	switch names, err := s.files.Check(); {
	case err != nil:
		return done, unreadable(err)
	case names > 1:
		return done, store.Errorf(store.ErrReadOnly, "a file of the database has a second name")
	}
	done, err = c.scrubInTurn(ctx, done, always)
	if engine.IsFsync(err) {
		s.writer.checkpointLost.Store(true)
		s.writer.fail(store.Errorf(store.ErrReadOnly,
			"the disk failed to confirm a write (%s); check the disk and start this process again", dbfile.Plain(err)))
	}
	return done, err
}

// scrubInTurn is the part of scrub that nobody may disturb.
func (c *conn) scrubInTurn(ctx context.Context, done int64, always bool) (int64, error) {
	if err := c.fence(); err != nil {
		return done, err
	}
	due, err := c.dueScrub(always)
	if err != nil || due == 0 {
		return done, err
	}
	if due != done {
		if err := c.EachUntil(ctx, func(*row.Fields) error { return nil }, "VACUUM"); err != nil {
			return done, err
		}
		done = due
	}
	l, err := c.Checkpoint("TRUNCATE")
	if err != nil {
		return done, err
	}
	if l.Busy {
		return done, store.Errorf(store.ErrBusy, "a reader that began before is still in the write-ahead log")
	}
	_, err = c.Exec("DELETE FROM records WHERE key = ? AND revision = ?", scrubRecord, done)
	return done, err
}

// roomToScrub returns [store.ErrStorageFull] if a full disk could end the VACUUM. It
// writes the database to a temporary file, and from there to the log.
func (s *Store) roomToScrub() error {
	need := scrubRoom * (dbfile.Bytes(s.path) + dbfile.Bytes(s.path+dbfile.Log))
	for _, dir := range []string{filepath.Dir(s.path), dbfile.TempFolder()} {
		if free := dbfile.FreeBytes(dir); free < need {
			return store.Errorf(store.ErrStorageFull, "%s has %d bytes free, and writing the database anew needs %d",
				dir, free, need)
		}
	}
	return nil
}

// sound returns [store.ErrCorrupt] if the structure of the database is damaged. VACUUM
// would leave out what could still be saved.
func (c *conn) sound(ctx context.Context) error {
	return c.EachUntil(ctx, func(f *row.Fields) error {
		if said := f.Next(); said != "ok" {
			return store.Errorf(store.ErrCorrupt,
				"the database is damaged (%v), so nothing was changed; restore it from a backup", said)
		}
		return nil
	}, "PRAGMA quick_check(1)")
}

// A scrubber calls scrub when there is a record, as long as the store is open.
type scrubber struct {
	s       *Store
	wake    chan struct{} // has room for one: something was redacted
	closing chan struct{}
	ended   chan struct{}
	cancel  context.CancelFunc

	// Only the goroutine uses the following:
	next   time.Time     // of the next try
	pause  time.Duration // the last one because of a reader
	large  time.Time     // when a large file was last scrubbed
	done   int64         // see scrub
	failed bool          // the last try failed, and that was logged
}

func newScrubber(s *Store) *scrubber {
	return &scrubber{s: s, wake: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{})}
}

func (b *scrubber) start() {
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	go b.run(ctx)
}

// redacted says that there is a new record.
func (b *scrubber) redacted() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *scrubber) run(ctx context.Context) {
	defer close(b.ended)
	for due := false; ; {
		var timer <-chan time.Time
		if due {
			timer = time.After(b.wait())
		}
		select {
		case <-b.wake:
			due, b.done = true, 0
		case <-timer:
			if b.wait() <= 0 { // nobody has written meanwhile
				due = b.try(ctx)
			}
		case <-b.closing:
			due = due || len(b.wake) > 0
			for due && !b.isLarge() && ctx.Err() == nil && !b.failed {
				if due = b.try(ctx); due {
					time.Sleep(minPause)
				}
			}
			if due {
				b.s.log.Warn("redacted content may still be in the database file; a process that keeps the database " +
					"open removes it, or scratchpad doctor --scrub")
			}
			return
		}
	}
}

// wait returns how long the next try has to wait.
func (b *scrubber) wait() time.Duration {
	wait := time.Until(b.next)
	if b.done == 0 && b.isLarge() {
		wait = max(wait, time.Until(dbfile.LogTime(b.s.path).Add(scrubIdle)), time.Until(b.large.Add(scrubEvery)))
	}
	return wait
}

func (b *scrubber) isLarge() bool { return dbfile.Bytes(b.s.path) >= scrubSmall }

// try does the work, and reports whether it is still to be done.
func (b *scrubber) try(ctx context.Context) (due bool) {
	began := time.Now()
	if b.isLarge() {
		b.large = began
	}
	var err error
	b.done, err = b.s.scrub(ctx, b.done, false)
	switch {
	case ctx.Err() != nil:
		return true
	case err == nil:
		b.next = time.Now().Add(min(time.Since(began), time.Minute)) // so that redactions cannot keep the disk busy
		b.failed, b.pause = false, 0
		return false
	case errors.Is(err, store.ErrBusy):
		b.pause = min(max(2*b.pause, minPause), maxPause)
		b.next = time.Now().Add(b.pause)
		return true
	}
	if !b.failed {
		b.s.log.Error("redacted content may still be in the database file; removing it failed and is tried again later",
			"err", err)
	}
	b.failed, b.next = true, time.Now().Add(scrubPause)
	// Otherwise the next process that opens the database tries again.
	return !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrUnsupported) && b.s.writer.whyBroken() == nil
}

// close ends the goroutine, which goes on for a while if it is at work.
func (b *scrubber) close() {
	close(b.closing)
	select {
	case <-b.ended:
	case <-time.After(scrubAtClose):
	}
	b.cancel() // a VACUUM that is interrupted has changed nothing
	<-b.ended
}
