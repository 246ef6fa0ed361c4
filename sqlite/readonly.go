package sqlite

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// OpenReadOnly opens an existing database for reading. Neither OpenReadOnly nor Close changes
// a byte of the database. SQLite makes only the -shm and the empty -wal beside the database
// that it needs for reading. If they cannot be made, as on a read-only medium, a
// database without a log is read without locks; a page that another process changes
// during such a read may look damaged.
//
// Update and the changes of System return [store.ErrReadOnly]. Backup works. A
// database of an older schema is read as it is; the next [Open] migrates it.
//
// OpenReadOnly refuses the same files as Open. If Open would make a new database, it
// returns [store.ErrNotFound].
func OpenReadOnly(ctx context.Context, path string, o Options) (*Store, error) {
	abs, err := resolve(ctx, path)
	isNew := false
	if err == nil {
		isNew, err = look(abs)
	}
	switch {
	case err != nil:
		return nil, dbfile.Wrap(err, "open %s", path)
	case isNew:
		return nil, store.Errorf(store.ErrNotFound, "open %s: there is no database yet", path)
	}
	return newStore(abs, cmp.Or(o.Logger, slog.Default())), nil
}

// Info is what a database says of itself.
type Info struct {
	Schema   int64 // its version
	Newest   int64 // the version that this program writes, and to which Open migrates
	PageSize int64 // in bytes
	Pages    int64
	Free     int64 // unused pages, which later writes fill
	Redacted bool  // redactions have left something in the file or its log, see [Store.Scrub]
}

// Info returns what the database says of itself.
func (s *Store) Info(ctx context.Context) (info Info, err error) {
	err = s.read(ctx, func(c *conn) error {
		info.Newest = schemaVersion
		_, err := c.One(func(f *row.Fields) error {
			f.Scan(&info.Schema, &info.PageSize, &info.Pages, &info.Free, &info.Redacted)
			return f.Err("answer to pragmas")
		}, "SELECT user_version, page_size, page_count, freelist_count, (SELECT count(*) FROM records WHERE key = ?) "+
			"FROM pragma_user_version, pragma_page_size, pragma_page_count, pragma_freelist_count", scrubRecord)
		return err
	})
	return info, err
}

// Check looks for damage quickly, in about the time that reading the file once takes. It
// checks SQLite's own structure, and that the tables and indexes are those of the schema. Rows
// are checked by [Store.Verify] alone. Check returns nil if there is no problem.
func (s *Store) Check(ctx context.Context) (problems []string, err error) {
	var r VerifyReport
	err = s.read(ctx, func(c *conn) error {
		if err := c.structure(ctx, &r); err != nil {
			return err
		}
		return r.Damage(c.checkSchema())
	})
	if err != nil {
		return r.Problems, dbfile.Wrap(err, "check")
	}
	return r.Problems, nil
}

// LibraryVersion is the version of the SQLite in this program.
const LibraryVersion = engine.Version
