package sqlite

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/row"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// NNNN.sql migrates to the schema of its number, and schemaN.sql makes a past schema as a
// whole.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrationRows holds the Go code that runs after the SQL of a migration, by the schema
// that it migrates to. Most migrations need none.
var migrationRows = map[int64]func(*conn) error{
	2: func(c *conn) error { return c.moveOwners("owners_1", row.OwnerFormOf(1), row.OwnerFormOf(2)) },
	3: func(c *conn) error { return c.moveOwners("owners_2", row.OwnerFormOf(2), row.OwnerFormOf(3)) },
}

// withRevision returns the state in schema 3 of an owner of a schema before it. An owner
// that holds something gets the revision 1, whose row is not kept. So a reader of the
// journal learns that it must read the state.
func withRevision(s store.OwnerState) store.OwnerState {
	if s.Usage != (store.Usage{}) {
		s.Revision = 1
	}
	return s
}

// pastSchema returns the statements that make a schema before the present one.
func pastSchema(version int64) string {
	text, err := migrations.ReadFile(fmt.Sprintf("migrations/schema%d.sql", version))
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// migrationStep is called before each step of a migration. Tests end the process
// in it.
var migrationStep = func(step string) {}

// backupStem is the name of the copy of a database from before its migration. A number
// follows it if another file has that name.
func backupStem(path string, schema int64) string {
	return fmt.Sprintf("%s-schema%d-backup", path, schema)
}

// bringUpToDate migrates a database of an older schema to the present one: it makes a copy of
// the database, and then changes it in one transaction. The caller holds the turn.
func (c *conn) bringUpToDate(path string, log *slog.Logger) error {
	err := c.fenceRead()
	switch {
	case err != nil || c.schema == schemaVersion:
		return err
	case c.schema < 1:
		return store.Errorf(store.ErrCorrupt, "its schema is damaged (version %d); restore it from a backup", c.schema)
	}
	from := c.schema
	copied, err := c.keepCopy(path, log)
	if err != nil {
		return dbfile.Wrap(err, "its schema is %d, and no copy could be made beside it before the migration to "+
			"schema %d; nothing was changed", from, schemaVersion)
	}
	if err := c.upgrade(); err != nil {
		return dbfile.Wrap(err, "migrate it from schema %d to %d: nothing was changed, and a copy is in %s", from,
			schemaVersion, filepath.Base(copied))
	}
	if _, err := c.Checkpoint("TRUNCATE"); err != nil {
		log.Warn("the write-ahead log could not be folded into the database", "err", err)
	}
	log.Warn("the database was migrated to a new schema; a copy from before is kept, and may be removed", "database",
		path, "from", from, "to", schemaVersion, "copy", copied)
	return nil
}

// keepCopy makes a copy of the database beside it and returns the copy's name. The copy
// is durable and verified. If an earlier attempt has left the same copy, that one is used.
// No file is overwritten.
func (c *conn) keepCopy(path string, log *slog.Logger) (name string, err error) {
	stem := backupStem(path, c.schema)
	migrationStep("copy")
	temp, err := dbfile.NewPart(stem)
	if err != nil {
		return "", err
	}
	defer dbfile.RemoveTemp(temp)
	if err := c.copyWhole(temp); err != nil {
		return "", err
	}
	migrationStep("sync")
	if err := dbfile.SyncFile(temp); err != nil {
		return "", err
	}
	migrationStep("verify")
	if err := verifyKept(temp, log); err != nil {
		return "", err
	}
	migrationStep("name")
	if name, err = dbfile.GiveFreeName(temp, stem); err != nil {
		return "", err
	}
	return name, dbfile.SyncFolder(filepath.Dir(path))
}

// copyWhole copies the database as it is at this moment.
func (c *conn) copyWhole(temp string) error {
	if _, err := c.Exec("BEGIN"); err != nil {
		return err
	}
	err := c.copyTo(context.Background(), temp, BackupOptions{})
	_, end := c.Exec("COMMIT")
	return cmp.Or(err, end)
}

// verifyKept refuses a copy whose structure is damaged. Other damage, to what agents have
// stored, is in the copy as it was in the database. It is logged, and the migration goes
// on.
func verifyKept(temp string, log *slog.Logger) error {
	report, err := verifyCopy(context.Background(), temp, VerifyOptions{})
	if err != nil || len(report.Problems) == 0 {
		return err
	}
	if strings.HasPrefix(report.Problems[0], inStructure) { // those are first
		return store.Errorf(store.ErrCorrupt, "it is damaged (%s); restore it from a backup", report.Problems[0])
	}
	log.Error("the database was damaged before its migration; scratchpad verify lists the problems", "problems",
		len(report.Problems), "first", report.Problems[0])
	return nil
}

// upgrade runs the migrations that the database lacks, all or none of them.
func (c *conn) upgrade() (err error) {
	migrationStep("begin")
	if _, err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	from := c.schema
	defer func() {
		if err != nil {
			c.Exec("ROLLBACK") // fails if SQLite has already ended the transaction
			c.schema = from
		}
	}()
	for c.schema < schemaVersion {
		next := c.schema + 1
		text, err := migrations.ReadFile(fmt.Sprintf("migrations/%04d.sql", next))
		if err != nil {
			return err
		}
		migrationStep(fmt.Sprint("schema ", next))
		if err := c.Script(string(text)); err != nil {
			return err
		}
		if rows := migrationRows[next]; rows != nil {
			migrationStep(fmt.Sprint("rows ", next))
			if err := rows(c); err != nil {
				return err
			}
		}
		migrationStep(fmt.Sprint("version ", next))
		if err := c.Script(fmt.Sprintf("PRAGMA user_version = %d", next)); err != nil {
			return err
		}
		c.schema = next
	}
	migrationStep("commit")
	if _, err := c.Exec("COMMIT"); err != nil {
		return err
	}
	migrationStep("end")
	return nil
}

// moveOwners fills the table owners of the next schema from the one of the last, which has
// been renamed and goes. A damaged row stays damaged: it gets a wrong checksum.
func (c *conn) moveOwners(from string, last, next *row.OwnerForm) error {
	err := c.Each(func(f *row.Fields) error {
		owner := f.Text()
		s, _ := last.Read(f, owner)
		if next == row.OwnerFormOf(journalSchema) {
			s = withRevision(s)
		}
		values := next.Values(owner, s)
		if f.Bad {
			for i, v := range values { // a value that the table refuses would stop the whole migration
				if n, ok := v.(int64); ok {
					values[i] = max(0, n)
				}
			}
			crc := len(values) - 1
			values[crc] = values[crc].(int64) ^ 1
		}
		_, err := c.Exec("INSERT INTO owners VALUES (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
		return err
	}, "SELECT owner, "+last.Columns+" FROM "+strings.Replace(last.Table, "owners", from, 1)+" ORDER BY owner")
	if err != nil {
		return err
	}
	return c.Script("DROP TABLE " + from)
}
