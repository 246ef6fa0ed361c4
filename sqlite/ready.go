package sqlite

import (
	"cmp"
	"context"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Ready returns nil if the store answers and takes writes. Ready looks at the files and their
// disk, and reads the schema from the database. So Ready notices, before a write has failed,
// that a file was removed or replaced, that the disk is full or read-only, and that the
// schema is newer now.
//
// Ready takes about a millisecond, and a second at most. Callers at the same time share
// one look. Its errors name no path and nothing else of the machine: they are for everybody.
// The first of equal errors is logged with the details.
//
// Errors: [store.ErrReadOnly], [store.ErrStorageFull], [store.ErrCorrupt],
// [store.ErrUnsupported], [store.ErrBusy] and [store.ErrClosed].
func (s *Store) Ready(ctx context.Context) error {
	if ctx.Err() != nil {
		return store.NotStarted(ctx)
	}
	if s.writer == nil {
		return store.Errorf(store.ErrReadOnly, "the database is open for reading only")
	}
	return s.probe.Do(ctx, s.log.With("path", s.path), s.look)
}

func (s *Store) look() error {
	if err := s.writer.ready(); err != nil {
		return err
	}
	c, err := dialOpened(s.files, "rw", "busy_timeout(250)", "query_only(1)", "trusted_schema(OFF)")
	if err != nil {
		return unseen(err)
	}
	defer c.close()
	if err = c.fence(); engine.CodeOf(err) != 0 {
		err = unseen(err)
	}
	return err
}

// unseen is the error about a database that cannot be read.
func unseen(err error) error {
	return store.CausedBy(err, cmp.Or(store.Kind(err), store.ErrBusy),
		"the database cannot be read; the server's log says why")
}

// ready returns nil if, for all that is known, the writer takes writes.
func (w *writer) ready() error {
	if err := w.whyBroken(); err != nil {
		return store.CausedBy(err, store.Kind(err),
			"the store takes no more writes until the server is started again; its log says why")
	}
	return cmp.Or(w.c.files.Ready(), w.meter.late())
}
