package sqlite

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Files returns the path of a database, followed by the names of the files that may stand
// beside it: SQLite's own, the lock files and the reserve. Not all of them need exist.
func Files(path string) []string { return dbfile.Files(path) }

// CheckFiles returns [store.ErrInvalid] if something else has the name of a file
// beside the database: a link, a folder, or a file of another user. [Open] makes the same
// check. CheckFiles opens nothing.
func CheckFiles(path string) error { return dbfile.CheckSides(path) }

// look reports whether the database is still to be made: whether the file is missing or
// has 0 bytes. Otherwise it refuses a database that this version must not write to. It
// changes no byte.
func look(path string) (isNew bool, err error) {
	if isNew, err = dbfile.IsNew(path); isNew || err != nil {
		return isNew, err
	}
	c, err := dialRead(path, "busy_timeout(2000)")
	if err != nil {
		return false, engine.Explain(err)
	}
	defer c.close()
	return false, restored(path, engine.Explain(c.identify()))
}

// restored adds a hint to an error about damage if there is a log: a backup that is put
// in the place of a database reads as damaged beside that database's log.
func restored(path string, err error) error {
	info, statErr := os.Lstat(path + "-wal")
	if !errors.Is(err, store.ErrCorrupt) || statErr != nil || info.Size() == 0 {
		return err
	}
	return store.CausedBy(err, store.ErrCorrupt,
		"%s; if this is a backup that you put here, stop every process that uses the database, and remove %s and %s",
		dbfile.Plain(err), filepath.Base(path)+"-wal", filepath.Base(path)+"-shm")
}

// identify refuses a database that this version must not use. It sets c.schema. All that it
// reads is of one snapshot, because another process may be migrating the database.
func (c *conn) identify() error {
	if _, err := c.Exec("BEGIN"); err != nil {
		return err
	}
	defer c.Exec("COMMIT")
	var app, version int64
	_, err := c.One(func(f *row.Fields) error {
		f.Scan(&app, &version)
		return f.Err("answer to pragmas")
	}, "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version")
	if err != nil {
		return err
	}
	switch {
	case app != applicationID:
		return store.Errorf(store.ErrInvalid, "it is the database of another program (application_id %d); give "+
			"another path", app)
	case version > schemaVersion:
		return newerSchema(version)
	case version < 1:
		return store.Errorf(store.ErrCorrupt, "its schema is damaged (version %d); restore it from a backup", version)
	}
	c.schema = version
	return c.checkObjects(schemaText(version))
}
