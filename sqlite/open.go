package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Options of [Open]. The zero value works.
type Options struct {
	Readers    int          // connections for reading, opened when needed; 0: 4
	Durability Durability   // of what this process writes; the zero value is Full
	Logger     *slog.Logger // slow functions and trouble that no caller sees; nil: slog.Default
}

func (o Options) withDefaults() Options {
	if o.Readers == 0 {
		o.Readers = 4
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Durability says what an acknowledged write survives. Processes on one database
// may differ in it.
type Durability int

const (
	Full   Durability = iota // a power cut: what an answer rests on is synced before, also what others wrote
	Normal                   // the end of the process; a power cut may take the last commits, never a part of one, and damages nothing
)

// String returns "full" or "normal".
func (d Durability) String() string {
	switch d {
	case Full:
		return "full"
	case Normal:
		return "normal"
	}
	return fmt.Sprintf("Durability(%d)", int(d))
}

// Open opens the database at a path, or makes it where nothing is there or an
// empty file, in a folder that exists and can be written to. Beside the database
// stand SQLite's -wal and -shm, which belong to it while it is in use; -turn and
// -write, by which processes take turns; and -reserve, 4 MiB that are given up
// when the disk is full, so that something can be deleted. When no process has
// the database open, only the database itself matters. The context ends the wait
// for other processes: its deadline with [workspace.ErrBusy], its cancellation
// with [context.Canceled].
//
// A database of an older schema is taken to the present one, in one transaction,
// after a copy was made and verified beside it, DB-schema1-backup for schema 1. The
// copy needs as much room as the database; it stays, and Open logs its name. From
// then on older versions of this module refuse the database, and a process of one
// that still has it open can store nothing more. Where the context ends first, the
// rest goes on in the background, and Open can be called again.
//
// What is no database of this module is refused and not changed in a byte, with
// an error that wraps [workspace.ErrInvalid] (another program's, no database, a
// link, a file with several names, a folder, a network file system),
// [workspace.ErrUnsupported] (written by a newer version), [workspace.ErrCorrupt]
// (also: a table, index, view or trigger that is not this module's) or
// [workspace.ErrBusy]. A database that this user may only read is refused with
// [workspace.ErrReadOnly]; [OpenReadOnly] opens it.
//
// A database or a log that is removed, renamed or replaced while it is open is
// noticed before a write is acknowledged, and so is a newer schema. The store
// then takes no more writes until the process is started again.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	o = o.withDefaults()
	s, err := open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string, o Options) (*Store, error) {
	switch {
	case o.Readers < 0:
		return nil, fmt.Errorf("Options.Readers is %d: %w", o.Readers, workspace.ErrInvalid)
	case o.Durability != Full && o.Durability != Normal:
		return nil, fmt.Errorf("Options.Durability is %v; it is Full or Normal: %w", o.Durability, workspace.ErrInvalid)
	}
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
	c, err := openWriter(ctx, path, t, isNew, o)
	if err != nil {
		return nil, err
	}
	s := newStore(path, o)
	s.files = c.files
	s.writer = startWriter(path, c, t, o.Durability, o.Logger)
	return s, nil
}

func newStore(path string, o Options) *Store {
	s := &Store{path: path, log: o.Logger, readers: make(chan *conn, o.Readers), closed: make(chan struct{})}
	for range o.Readers {
		s.readers <- nil
	}
	return s
}

// resolve returns the absolute path, and refuses one that cannot be that of a
// database.
func resolve(ctx context.Context, path string) (abs string, err error) {
	switch {
	case ctx == nil:
		return "", fmt.Errorf("the context is nil: %w", workspace.ErrInvalid)
	case ctx.Err() != nil:
		return "", notStarted(ctx)
	case path == "":
		return "", fmt.Errorf("the path is empty; give a file: %w", workspace.ErrInvalid)
	case path == "mem:":
		return "", fmt.Errorf("that is no file; for a store in memory take package memstore: %w", workspace.ErrInvalid)
	}
	return dbfile.Resolve(path)
}

// openWriter makes the database if it is new, takes one of an older schema to the
// present one, and opens the connection that writes. All is done in turn with
// other processes. On an error the turn is closed. Where the context ends first,
// the rest goes on without the caller: a database that takes long to copy gets
// to the new schema whatever the deadlines are.
func openWriter(ctx context.Context, path string, t *dbfile.Turn, isNew bool, o Options) (*conn, error) {
	type opened struct {
		c   *conn
		err error
	}
	ready := make(chan opened, 1)
	go func() {
		c, err := prepare(path, isNew, o)
		if err = errors.Join(err, t.Give()); err != nil {
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
			return nil, fmt.Errorf("the database is still being made ready; try again: %w: %w", workspace.ErrBusy, ctx.Err())
		}
		return nil, ctx.Err()
	}
}

// prepare is called in turn.
func prepare(path string, isNew bool, o Options) (*conn, error) {
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
	c, err := dialWriter(path, o.Durability)
	if err != nil {
		return nil, err
	}
	if c, err = upToDate(c, path, o); err != nil {
		return nil, err
	}
	dbfile.ReserveOf(path).Fill()
	return c, nil
}

// dialWriter opens the connection that writes, and notes which files it has open.
func dialWriter(path string, d Durability) (*conn, error) {
	if err := errors.Join(dbfile.RemovePartNames(path), dbfile.CheckLinks(path)); err != nil {
		return nil, err
	}
	var lost error
	for range 3 { // some file systems give a file another number when it is first opened for writing
		db, err := dbfile.IDOf(path)
		if err != nil {
			return nil, err
		}
		c, err := dial(path, "rw", busyTimeout, "journal_mode(WAL)", "synchronous("+d.String()+")", "foreign_keys(ON)",
			"journal_size_limit(67108864)", "wal_autocheckpoint(0)", "trusted_schema(OFF)", "cache_size(-4096)")
		if err != nil {
			return nil, err
		}
		if err := c.checkVersion(); err != nil {
			c.close()
			return nil, err
		}
		if c.files, err = dbfile.NewOpened(path, db); err == nil {
			return c, nil
		}
		c.close()
		lost = err
	}
	return nil, fmt.Errorf("while it was opened, %v; try again: %w", lost, workspace.ErrBusy)
}

// upToDate returns the connection if its database has the present schema, and
// otherwise a new one, after the database was taken there.
func upToDate(c *conn, path string, o Options) (*conn, error) {
	version, err := c.userVersion()
	switch {
	case err == nil && version == schemaVersion:
		return c, nil
	case err == nil && version > schemaVersion:
		err = newerSchema(version)
	}
	if err = errors.Join(err, c.close()); err != nil {
		return nil, err
	}
	if err := migrate(path, version, o.Logger); err != nil {
		return nil, err
	}
	return dialWriter(path, o.Durability)
}

func (c *conn) checkVersion() (err error) {
	_, err = c.one(func(row []driver.Value) error {
		f := fields{row: row}
		if v := f.text(); oldSQLite(v) {
			return fmt.Errorf("SQLite %s can corrupt a database when its log is reset; build with 3.51.3 or later: %w", v, workspace.ErrUnsupported)
		}
		return nil
	}, "SELECT sqlite_version()")
	return err
}

// busyTimeout is the net below the turn: in milliseconds, what SQLite itself
// waits for other processes.
const busyTimeout = "busy_timeout(15000)"
