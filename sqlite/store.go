package sqlite

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Store is a [store.Store] in one SQLite file. It is safe for concurrent use, and
// several processes may have the same file open.
type Store struct {
	path     string
	log      *slog.Logger
	writer   *writer // nil: opened by OpenReadOnly
	watchers store.Watchers
	scrubber *scrubber      // likewise
	files    *dbfile.Opened // of the writer
	readers  chan struct{}  // holds a value for each connection for reading that is in use
	closed   chan struct{}
	once     sync.Once
	probe    store.Probe
	waits    atomic.Int64 // readers that found no connection free

	mu   sync.Mutex // guards the following
	idle []*conn    // open connections for reading that nobody uses
}

// Path returns the absolute path of the database.
func (s *Store) Path() string { return s.path }

// View implements [store.Store]. View shows what is committed. In a store that
// [OpenReadOnly] has opened, some of that may not be synced: the last commits of a process
// that was killed. A power cut may undo them.
func (s *Store) View(ctx context.Context, o store.Owner, fn func(store.Reader) error) error {
	return s.read(ctx, func(c *conn) error { return fn(reader{c: c, owner: o.String()}) })
}

// read runs fn in a read transaction.
func (s *Store) read(ctx context.Context, fn func(*conn) error) (err error) {
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	healthy := false
	defer func() { s.release(c, healthy) }()
	if _, err := c.Exec("BEGIN"); err != nil {
		return err
	}
	// This also runs after a panic or a Goexit in fn, which go on to the caller.
	defer func() {
		_, end := c.Exec("COMMIT")
		healthy = end == nil
	}()
	if err := c.fenceRead(); err != nil {
		if s.writer != nil && engine.CodeOf(err) == 0 { // the fence's own error, not one of SQLite
			s.writer.fail(err)
		}
		return err
	}
	return fn(c)
}

// reader waits for a connection. It opens one if none is idle. So those that are open go on
// reading when the file is lost.
func (s *Store) reader(ctx context.Context) (*conn, error) {
	select {
	case <-s.closed:
		return nil, store.ErrClosed
	default:
	}
	if len(s.readers) == readers {
		s.waits.Add(1)
	}
	select {
	case <-s.closed:
		return nil, store.ErrClosed
	case <-ctx.Done():
		return nil, store.NotStarted(ctx)
	case s.readers <- struct{}{}:
	}
	s.mu.Lock()
	if last := len(s.idle) - 1; last >= 0 {
		defer s.mu.Unlock()
		c := s.idle[last]
		s.idle = s.idle[:last]
		return c, nil
	}
	s.mu.Unlock()
	c, err := s.dialReader()
	if err != nil {
		<-s.readers
	}
	return c, err
}

func (s *Store) dialReader() (*conn, error) {
	pragmas := []string{busyTimeout, "query_only(1)", "foreign_keys(ON)", "cache_size(-1024)"}
	if s.writer == nil {
		return dialRead(s.path, pragmas...)
	}
	return dialOpened(s.files, "rw", append(pragmas, "trusted_schema(OFF)")...)
}

// release puts a connection back. It closes one that is not healthy or cannot see new
// commits; the next caller opens another.
func (s *Store) release(c *conn, healthy bool) {
	if !healthy || c.still {
		c.close()
	} else {
		s.mu.Lock()
		s.idle = append(s.idle, c)
		s.mu.Unlock()
	}
	<-s.readers
}

// Update implements [store.Store].
func (s *Store) Update(ctx context.Context, o store.Owner, fn func(store.Tx) error) error {
	return s.write(ctx, o.String(), func(t *tx) error { return fn(t) })
}

// write runs fn on the writer's goroutine.
func (s *Store) write(ctx context.Context, owner string, fn func(*tx) error) error {
	return s.run(&job{ctx: ctx, owner: owner, fn: fn})
}

func (s *Store) run(j *job) error {
	if s.writer == nil {
		return store.Errorf(store.ErrReadOnly, "%s is open for reading only, nothing is stored; ask the operator to "+
			"make it writable", s.path)
	}
	return s.writer.await(j)
}

// Close implements [store.Store]. Close stores the functions that are queued, removes
// what redactions have left in a small file, runs a last checkpoint, and closes the
// connections. If another process keeps the turn for three seconds, Close refuses the queued
// functions with [store.ErrClosed] and returns.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		s.watchers.Close()  // its connection too: the last one to close removes the log
		for range readers { // waits for those that read
			s.readers <- struct{}{}
		}
		for _, c := range s.idle {
			err = cmp.Or(err, c.close())
		}
		if s.writer != nil {
			s.scrubber.close()
			s.probe.Close()
			err = cmp.Or(err, s.writer.close())
		}
	})
	return err
}
