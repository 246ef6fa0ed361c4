package sqlite

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Options of [Open]. The zero value works.
type Options struct {
	Logger *slog.Logger // gets slow functions, and errors that no caller sees; nil: slog.Default
}

// readers is how many connections for reading a store has. They are opened when needed.
const readers = 4

// Open opens the database at a path. If there is no file, or an empty one, Open makes a
// new database. The folder must exist, and this user must be allowed to write in it. The
// package comment lists the files that stand beside a database.
//
// Open waits for other processes until the context ends. Then it returns
// [store.ErrBusy] for a deadline, and [context.Canceled] for a cancellation.
//
// A database of an older schema is migrated to the present one, in one transaction.
// Before that, Open makes a copy beside it, DB-schema4-backup for schema 4, and verifies
// the copy, which needs as much room as the database. The copy stays, and Open logs its
// name. Older versions of this module refuse a migrated database. If a process of an
// older version still has it open, that process can store nothing more. If the context
// ends during a migration, the migration goes on in the background, and Open can be
// called again.
//
// Open refuses a file that it must not write to, and does not change a byte of it. The
// error wraps
//   - [store.ErrInvalid] for another program's database, a file that is not a
//     database, a link, a file with several names, a folder, and a network file system;
//   - [store.ErrUnsupported] for a database that a newer version has written;
//   - [store.ErrCorrupt] for a damaged one, and for one with a table, index, view or
//     trigger that this module did not make;
//   - [store.ErrBusy] for one that another program keeps locked;
//   - [store.ErrReadOnly] for one that this user may only read: see [OpenReadOnly].
//
// The store notices, before it acknowledges a write, that the open database or its log
// was removed, renamed or replaced, or that the schema is newer now. The store then takes no
// more writes until the process is started again.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	s, err := open(ctx, path, cmp.Or(o.Logger, slog.Default()))
	if err != nil {
		return nil, dbfile.Wrap(err, "open %s", path)
	}
	return s, nil
}

func open(ctx context.Context, path string, log *slog.Logger) (*Store, error) {
	path, err := resolve(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := dbfile.CheckSides(path); err != nil {
		return nil, err
	}
	isNew, err := look(path)
	if err != nil {
		return nil, err
	}
	if err := dbfile.CheckWritable(path, isNew); err != nil {
		return nil, err
	}
	t, err := dbfile.TakeTurn(ctx, path)
	if err != nil {
		return nil, err
	}
	c, err := openWriter(ctx, path, t, isNew, log)
	if err != nil {
		return nil, err
	}
	s := newStore(path, log)
	s.files = c.files
	s.scrubber = newScrubber(s)
	if rec, err := c.record(scrubRecord); err == nil && rec.Revision != 0 {
		s.scrubber.redacted()
	}
	s.writer = startWriter(path, c, t, log, s.watchers.TellName, s.scrubber.redacted)
	s.scrubber.start()
	return s, nil
}

func newStore(path string, log *slog.Logger) *Store {
	s := &Store{path: path, log: log, readers: make(chan struct{}, readers), closed: make(chan struct{})}
	s.watchers.Poll = s.poll
	return s
}

// resolve returns the absolute path. It refuses a path at which no database can be.
func resolve(ctx context.Context, path string) (abs string, err error) {
	switch {
	case ctx == nil:
		return "", store.Errorf(store.ErrInvalid, "the context is nil")
	case ctx.Err() != nil:
		return "", store.NotStarted(ctx)
	case path == "":
		return "", store.Errorf(store.ErrInvalid, "the path is empty; give a file")
	case path == "mem:":
		return "", store.Errorf(store.ErrInvalid, "mem: is not a file; for a store in memory use package memstore")
	}
	return dbfile.Resolve(path)
}

// openWriter makes the database if it is new, migrates one of an older schema, and opens
// the connection that writes. It holds the turn meanwhile, and closes it on an error. If
// the context ends first, the work goes on without the caller. So a database that takes
// long to copy is migrated in the end, whatever the deadlines are.
func openWriter(ctx context.Context, path string, t *dbfile.Turn, isNew bool, log *slog.Logger) (*conn, error) {
	type opened struct {
		c   *conn
		err error
	}
	ready := make(chan opened, 1)
	go func() {
		c, err := prepare(path, isNew, log)
		if err = cmp.Or(err, t.Give()); err != nil {
			if c != nil {
				c.close()
			}
			t.Close()
			c = nil
		}
		ready <- opened{c, err}
	}()
	select {
	case r := <-ready:
		return r.c, r.err
	case <-ctx.Done():
		go func() {
			if r := <-ready; r.err == nil {
				r.c.close()
				t.Close()
			}
		}()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, store.CausedBy(ctx.Err(), store.ErrBusy, "the database is still being prepared; try again")
		}
		return nil, ctx.Err()
	}
}

// prepare does the work of openWriter. The caller holds the turn.
func prepare(path string, isNew bool, log *slog.Logger) (*conn, error) {
	if isNew {
		isNew, err := look(path)
		if err != nil {
			return nil, err
		}
		if isNew {
			if err := create(path); err != nil {
				return nil, err
			}
		}
	}
	c, err := dialWriter(path)
	if err != nil {
		return nil, err
	}
	if err := c.bringUpToDate(path, log); err != nil {
		c.close()
		return nil, err
	}
	// A process that was killed may have left commits in the log that nobody has synced, and
	// answers of this process may rest on them. Later commits of others are seen only when
	// they are synced.
	if err := c.files.SyncLog(); err != nil {
		c.close()
		return nil, store.Errorf(store.ErrReadOnly,
			"the disk failed to confirm the write-ahead log (%s); check the disk and start this process again",
			dbfile.Plain(err))
	}
	dbfile.ReserveOf(path).Fill()
	return c, nil
}

// dialWriter opens the connection that writes, and records which files it has open.
func dialWriter(path string) (*conn, error) {
	var lost error
	for range 3 { // some file systems change a file's number when it is first opened for writing
		db, err := dbfile.IDOf(path)
		if err != nil {
			return nil, err
		}
		c, err := dial(path, "rw", busyTimeout, "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
			"journal_size_limit(67108864)", "wal_autocheckpoint(0)", "trusted_schema(OFF)", "cache_size(-4096)")
		if err != nil {
			return nil, err
		}
		if c.files, err = dbfile.NewOpened(path, db); err == nil {
			return c, nil
		}
		c.close()
		lost = err
	}
	return nil, store.Errorf(store.ErrBusy, "while it was being opened, %s; try again", dbfile.Plain(lost))
}

// busyTimeout is how long SQLite itself waits for other processes, in milliseconds. With
// the turn that is hardly ever needed.
const busyTimeout = "busy_timeout(15000)"
