package postgres

import (
	"cmp"
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
const schemaVersion = 3

// upgrades are the statements that bring the tables of a schema to the next one, by that
// schema. They write no row again.
var upgrades = map[int64]string{
	1: "ALTER TABLE versions ADD COLUMN project bytea NOT NULL DEFAULT '';\nUPDATE schema_version SET version = 2",
	2: `ALTER TABLE owners ADD COLUMN deleted_bytes bigint NOT NULL DEFAULT 0 CHECK (deleted_bytes >= 0),
	ADD COLUMN restorable bigint NOT NULL DEFAULT 0 CHECK (restorable >= 0),
	ADD COLUMN next_expiry timestamptz NOT NULL DEFAULT '-infinity';
ALTER TABLE files ADD COLUMN expires timestamptz NOT NULL DEFAULT '-infinity',
	ADD COLUMN past bytea NOT NULL DEFAULT '';
DROP INDEX files_deleted;
CREATE INDEX files_deleted ON files (owner, deleted, path) WHERE deleted IS NOT NULL AND expires = '-infinity';
CREATE INDEX files_restorable ON files (owner, expires, path) WHERE expires > '-infinity';
UPDATE schema_version SET version = 3`,
}

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
	case version == schemaVersion:
		return nil
	case upgrades[version] != "":
		return store.Errorf(store.ErrUnsupported, "the database has schema %d, which this version reads after it has "+
			"brought it to %d; start a server or a command that writes", version, schemaVersion)
	}
	return store.Errorf(store.ErrUnsupported, "the database has schema %d, which is no schema of scratchpad", version)
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
	err = s.run(ctx, c, wire.Statement{SQL: look, Row: func(row *wire.Fields) error {
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

// makeSchema makes the tables if there are none, and brings those of an older schema to the
// present one, in one transaction. Of several processes, one does so and the others wait for it.
func (s *Store) makeSchema(ctx context.Context, c *wire.Conn) error {
	version, err := schemaOf(ctx, s, c)
	if err != nil || version != 0 && upgrades[version] == "" {
		return cmp.Or(err, checkVersion(version))
	}
	batch := append(s.beginWrite(new(int64)), wire.Statement{SQL: "SELECT pg_advisory_xact_lock($1)",
		Args: []any{int64(schemaLock)}})
	if err := s.run(ctx, c, batch...); err != nil {
		return err
	}
	if version, err = schemaOf(ctx, s, c); err != nil || version != 0 && upgrades[version] == "" {
		s.run(ctx, c, wire.Statement{SQL: "ROLLBACK"}) // it was made meanwhile
		return cmp.Or(err, checkVersion(version))
	}
	text := schemaSQL
	if version != 0 {
		text = ""
		for from := version; from < schemaVersion; from++ {
			text += upgrades[from] + ";\n"
		}
	}
	batch = nil
	for _, sql := range strings.Split(text, ";\n") {
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
				"the role may not create or change tables in the database; make it the owner of the database and of "+
					"the tables, or GRANT CREATE ON SCHEMA public to it")
		case stateDuplicateTable, stateDuplicateType:
			return errForeign
		case stateNoSchema:
			return store.Errorf(store.ErrUnsupported,
				"search_path names no schema that is there and that the role may use; create the schema")
		}
		return err
	}
	if version != 0 {
		s.log.Warn("the database was migrated to a new schema; servers of an older version store nothing more",
			"from", version, "to", schemaVersion)
		return nil
	}
	for _, sql := range storageSQL {
		if err := s.run(ctx, c, wire.Statement{SQL: sql}); err != nil {
			s.log.Debug("postgres: the server does not have an option of storage", "statement", sql, "error", err)
		}
	}
	return nil
}
