package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Store is a [workspace.Store] in one SQLite file. It is safe for concurrent
// use, and several processes may have the same file open.
type Store struct {
	path    string
	log     *slog.Logger
	writer  *writer        // nil: opened by OpenReadOnly
	files   *dbfile.Opened // of the writer
	readers chan *conn     // nil: a connection that is still to be opened
	closed  chan struct{}
	once    sync.Once
}

// Path returns the absolute path of the database.
func (s *Store) Path() string { return s.path }

// View implements [workspace.Store]. It shows what is committed. A power cut may
// take back what another process has committed and not synced, with [Normal]
// durability or because it was killed, until an Update of a process with [Full]
// durability was answered.
func (s *Store) View(ctx context.Context, o workspace.Owner, fn func(workspace.Reader) error) error {
	return s.read(ctx, func(c *conn) error { return fn(reader{c: c, owner: o.String()}) })
}

// read runs fn in a read transaction.
func (s *Store) read(ctx context.Context, fn func(*conn) error) (err error) {
	if ctx.Err() != nil {
		return notStarted(ctx)
	}
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	healthy := false
	defer func() { s.release(c, healthy) }()
	if _, err := c.exec("BEGIN"); err != nil {
		return err
	}
	// Also after a panic or a Goexit in fn, which go on to the caller.
	defer func() {
		_, end := c.exec("COMMIT")
		healthy = end == nil
	}()
	if err := c.fenceRead(); err != nil {
		return err
	}
	return fn(c)
}

// reader waits for a free connection and opens it if it is not yet.
func (s *Store) reader(ctx context.Context) (*conn, error) {
	select {
	case <-s.closed:
		return nil, workspace.ErrClosed
	default:
	}
	select {
	case <-s.closed:
		return nil, workspace.ErrClosed
	case <-ctx.Done():
		return nil, notStarted(ctx)
	case c := <-s.readers:
		if c != nil {
			return c, nil
		}
	}
	pragmas := []string{busyTimeout, "query_only(1)", "foreign_keys(ON)", "trusted_schema(OFF)", "cache_size(-1024)"}
	var c *conn
	var err error
	if s.writer == nil {
		c, err = dialRead(s.path, pragmas...)
	} else {
		c, err = dialOpened(s.files, pragmas...)
	}
	if err != nil {
		s.readers <- nil
		if dbfile.IsLost(err) { // what was opened before can still be read
			if c := s.openReader(); c != nil {
				return c, nil
			}
		}
		return nil, err
	}
	return c, nil
}

// openReader returns a free connection that is open; nil: there is none.
func (s *Store) openReader() *conn {
	for range cap(s.readers) {
		select {
		case c := <-s.readers:
			if c != nil {
				return c
			}
			s.readers <- nil
		default:
		}
	}
	return nil
}

// release puts a connection back. One that is not healthy, or sees nothing new,
// is opened anew.
func (s *Store) release(c *conn, healthy bool) {
	if !healthy || c.still {
		c.close()
		c = nil
	}
	s.readers <- c
}

// Update implements [workspace.Store].
func (s *Store) Update(ctx context.Context, o workspace.Owner, fn func(workspace.Tx) error) error {
	return s.write(ctx, o.String(), func(t *tx) error { return fn(t) })
}

// write runs fn on the writer's goroutine.
func (s *Store) write(ctx context.Context, owner string, fn func(*tx) error) error {
	if s.writer == nil {
		return fmt.Errorf("%s is open for reading only, nothing is stored; ask the operator to make it writable: %w", s.path, workspace.ErrReadOnly)
	}
	return s.writer.do(ctx, owner, fn)
}

// Owners implements [workspace.Store].
func (s *Store) Owners(ctx context.Context, tenant, after string, limit int) (owners []workspace.OwnerUsage, err error) {
	prefix := tenant + "/"
	err = s.read(ctx, func(c *conn) error {
		owners = nil
		form := c.owners()
		return c.each(func(row []driver.Value) error {
			f := fields{row: row}
			owner := f.text()
			usage := form.read(&f, owner).Usage
			owners = append(owners, workspace.OwnerUsage{
				Owner: workspace.Owner{Tenant: tenant, Agent: owner[min(len(prefix), len(owner)):]}, Usage: usage,
			})
			return f.err("usage of", owner)
		}, "SELECT owner, "+form.columns+" FROM owners o WHERE owner > ? AND owner < ?"+
			" AND "+holdsAnything+" ORDER BY owner LIMIT ?",
			prefix+after, afterPrefix(prefix), int64(limit))
	})
	return owners, err
}

// Deleted implements [workspace.Store].
func (s *Store) Deleted(ctx context.Context, tenant string, from, to time.Time, limit int) (owners []workspace.Owner, err error) {
	prefix := tenant + "/"
	err = s.read(ctx, func(c *conn) error {
		owners = nil
		return c.each(func(row []driver.Value) error {
			f := fields{row: row}
			owner := f.text()
			owners = append(owners, workspace.Owner{Tenant: tenant, Agent: owner[min(len(prefix), len(owner)):]})
			return f.err("name of", "an owner")
		}, "SELECT owner FROM owners o WHERE owner > ? AND owner < ? AND NOT "+holdsAnything+
			" AND requests = 0 AND deleted_files = 0 AND deleted_logs = 0 AND versions = 0 AND (updated < ? OR updated > ?) ORDER BY owner LIMIT ?",
			prefix, afterPrefix(prefix), micros(from), micros(to), int64(limit))
	})
	return owners, err
}

// holdsAnything is the condition on a row of owners for a usage that is not zero.
const holdsAnything = "(files > 0 OR logs > 0 OR entries > 0 OR bytes > 0 OR operations > 0)"

// Close implements [workspace.Store]: what was queued is stored, the log is
// folded into the database, and the connections are closed. Where another
// process keeps the turn for seconds, it returns without waiting for it.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		for range cap(s.readers) {
			if c := <-s.readers; c != nil {
				err = errors.Join(err, c.close())
			}
		}
		if s.writer != nil {
			err = errors.Join(err, s.writer.close())
		}
	})
	return err
}
