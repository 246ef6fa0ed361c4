package sqlite

import (
	"path/filepath"
	"testing"
)

// A table that a migration has changed or made again counts as the one of the schema.
func TestPlainAfterMigration(t *testing.T) {
	t.Parallel()
	const want = `-- What it is for.
CREATE TABLE things (
	owner TEXT NOT NULL, -- tenant/agent
	size  INTEGER NOT NULL CHECK (size >= 0),
	added INTEGER NOT NULL DEFAULT 0 CHECK (added IN (0, 1)),
	PRIMARY KEY (owner, size)
) STRICT, WITHOUT ROWID;`
	for name, statements := range map[string]string{
		"AddColumn": "CREATE TABLE things (\n\towner TEXT NOT NULL,\n\tsize INTEGER NOT NULL CHECK (size >= 0),\n\tPRIMARY KEY (owner, size)\n) STRICT, WITHOUT ROWID;\n" +
			"ALTER TABLE things ADD COLUMN added INTEGER NOT NULL DEFAULT 0 CHECK (added IN (0, 1))",
		"Rename": "CREATE TABLE things_new (owner TEXT NOT NULL, size INTEGER NOT NULL CHECK (size >= 0), added INTEGER NOT NULL DEFAULT 0 CHECK (added IN (0, 1)), PRIMARY KEY (owner, size)) STRICT, WITHOUT ROWID;\n" +
			"ALTER TABLE things_new RENAME TO things",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := dial(filepath.Join(t.TempDir(), "test.db"), "rwc")
			if err != nil {
				t.Fatal(err)
			}
			defer c.close()
			if err := c.Script(statements); err != nil {
				t.Fatal(err)
			}
			if err := c.checkObjects(want); err != nil {
				t.Error(err)
			}
			if err := c.checkObjects(want + "\nCREATE INDEX more ON things (size);"); err == nil {
				t.Error("a missing index is not found")
			}
		})
	}
}
