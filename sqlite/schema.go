package sqlite

import (
	"cmp"
	_ "embed"
	"path/filepath"
	"strconv"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

//go:embed schema.sql
var schemaSQL string

const (
	applicationID = 0x53637250 // "ScrP"
	schemaVersion = 5          // of schema.sql
)

// schemaText returns the statements that make a schema.
func schemaText(version int64) string {
	if version == schemaVersion {
		return schemaSQL
	}
	return pastSchema(version)
}

// create makes a database under a temporary name and moves it to the path when it is
// complete and durable. So nobody ever sees half of one. The caller holds the turn.
func create(path string) error {
	temp, err := dbfile.NewPart(path)
	if err != nil {
		return err
	}
	err = writeSchema(temp)
	if err == nil {
		err = dbfile.GiveDatabaseName(temp, path)
	}
	if err := cmp.Or(err, dbfile.RemoveTemp(temp)); err != nil {
		return err
	}
	return dbfile.SyncFolder(filepath.Dir(path))
}

// writeSchema makes a database that is not synced yet. Nobody uses it before it is whole and
// has its name, so it needs no journal, and no file stands beside it. WAL mode begins when
// it is opened again.
func writeSchema(path string) error {
	c, err := dial(path, "rw", "journal_mode(MEMORY)", "synchronous(OFF)")
	if err != nil {
		return err
	}
	err = c.Script("BEGIN IMMEDIATE;\n" + schemaSQL +
		";\nPRAGMA application_id = " + strconv.Itoa(applicationID) +
		";\nPRAGMA user_version = " + strconv.Itoa(schemaVersion) +
		";\nCOMMIT;\nPRAGMA journal_mode = WAL")
	return cmp.Or(err, c.close())
}

// checkSchema refuses a database whose tables and indexes are not those of its schema.
func (c *conn) checkSchema() error {
	if err := c.fenceRead(); err != nil {
		return err
	}
	return c.checkObjects(schemaText(c.schema))
}

// checkObjects refuses a database whose tables and indexes are not those of the schema, or
// that contains more than these and SQLite's own. Another program's trigger or view would
// change what is stored or read, and its index or constraint what may be stored.
func (c *conn) checkObjects(schema string) error {
	missing := parseSchema(schema)
	err := c.Each(func(f *row.Fields) error {
		o, table, sql := object{f.Text(), f.Text()}, f.Text(), f.Text()
		if f.Bad {
			return store.Errorf(store.ErrCorrupt, "its schema cannot be read; restore it from a backup")
		}
		return missing.take(o, table, sql)
	}, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
	if err != nil {
		return err
	}
	return missing.rest()
}
