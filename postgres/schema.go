package postgres

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"github.com/agent-scratchpad/scratchpad/postgres/internal/wire"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

//go:embed schema.sql
var schemaSQL string

// schemaVersion is the version of the schema that this package reads and writes.
const schemaVersion = 1

// schemaLock is the key of the advisory lock under which the schema is made and migrated.
const schemaLock = 0x5c4a7c4bad

// storageSQL makes the tables take less room and time. Each may fail, on a server that does
// not have it.
var storageSQL = []string{
	"ALTER TABLE versions ALTER content SET COMPRESSION lz4",
	"ALTER TABLE entries ALTER content SET COMPRESSION lz4",
	"ALTER TABLE owners SET (fillfactor = 50)",
	"ALTER TABLE files SET (fillfactor = 80)",
	"ALTER TABLE logs SET (fillfactor = 50)",
}

// checkVersion returns an error if the schema is not the one that this package knows.
func checkVersion(version int64) error {
	switch {
	case version > schemaVersion:
		return store.Errorf(store.ErrUnsupported,
			"the database has schema %d, this version knows %d; use a newer version of scratchpad", version,
			schemaVersion)
	case version < schemaVersion:
		return store.Errorf(store.ErrUnsupported, "the database has schema %d, which is no schema of scratchpad",
			version)
	}
	return nil
}

// schemaOf returns the version of the schema, 0 if there is none.
func schemaOf(ctx context.Context, s *Store, c *wire.Conn) (version int64, err error) {
	there := false
	later := "" // a schema after the first one of search_path that has our tables
	// A look at pg_class is up to date. to_regclass alone may remember, within a transaction,
	// that there was no table before the wait for the lock. The table of other programs with
	// that name has no table owners beside it.
	const look = "SELECT nspname = current_schema(), nspname FROM pg_class t JOIN pg_namespace n ON n.oid = " +
		"relnamespace" +
		" WHERE relname = 'schema_version' AND nspname = ANY (current_schemas(false)) AND (nspname = current_schema()" +
		" OR EXISTS (SELECT FROM pg_class WHERE relname = 'owners_live' AND relnamespace = t.relnamespace))"
	err = s.run(ctx, c, wire.Statement{SQL: look, Row: func(row *wire.Row) error {
		first, name := false, ""
		err := row.Scan(&first, &name)
		if first {
			there = true
		} else {
			later = name
		}
		return err
	}})
	if err == nil && !there && later != "" {
		err = store.Errorf(store.ErrUnsupported,
			"the tables are in schema %s, which is not the first one of search_path; name that schema alone, or "+
				"another one alone", later)
	}
	if err != nil || !there {
		return 0, err
	}
	err = s.run(ctx, c, wire.Statement{SQL: "SELECT version FROM schema_version", Row: wire.Into(&version)})
	if stateOf(err) == stateUndefinedCol || errors.Is(err, store.ErrCorrupt) {
		err = errForeign
	}
	return version, err
}

var errForeign = store.Errorf(store.ErrUnsupported,
	"the database has tables of another program with the names of ours; create a schema for scratchpad and name it "+
		"with search_path in the URL")

// makeSchema makes the tables if there are none. Of several processes, one makes them and
// the others wait for it.
func (s *Store) makeSchema(ctx context.Context, c *wire.Conn) error {
	version, err := schemaOf(ctx, s, c)
	if err != nil {
		return err
	}
	if version != 0 {
		return checkVersion(version)
	}
	batch := append(s.beginWrite(new(int64)), wire.Statement{SQL: "SELECT pg_advisory_xact_lock($1)",
		Args: []any{int64(schemaLock)}})
	if err := s.run(ctx, c, batch...); err != nil {
		return err
	}
	if version, err = schemaOf(ctx, s, c); err != nil || version != 0 {
		s.run(ctx, c, wire.Statement{SQL: "ROLLBACK"}) // it was made meanwhile
		if err == nil {
			err = checkVersion(version)
		}
		return err
	}
	batch = nil
	for _, sql := range strings.Split(schemaSQL, ";\n") {
		if strings.TrimSpace(sql) != "" {
			batch = append(batch, wire.Statement{SQL: sql})
		}
	}
	batch = append(batch, wire.Statement{SQL: "COMMIT"})
	if err := s.run(ctx, c, batch...); err != nil {
		s.run(ctx, c, wire.Statement{SQL: "ROLLBACK"})
		switch stateOf(err) {
		case stateNoPrivilege:
			return store.Errorf(store.ErrUnsupported,
				"the role may not create tables in the database; make it the owner of the database, or GRANT CREATE "+
					"ON SCHEMA public to it")
		case stateDuplicateTable, stateDuplicateType:
			return errForeign
		case stateNoSchema:
			return store.Errorf(store.ErrUnsupported,
				"search_path names no schema that is there and that the role may use; create the schema")
		}
		return err
	}
	for _, sql := range storageSQL {
		if err := s.run(ctx, c, wire.Statement{SQL: sql}); err != nil {
			s.log.Debug("postgres: the server does not have an option of storage", "statement", sql, "error", err)
		}
	}
	return nil
}
