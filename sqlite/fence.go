package sqlite

import (
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Another process may migrate the database to a newer schema while this one has it open.
// This process must then neither write rows of its own schema nor misread the new ones.
// So it reads the schema's number in each transaction, in which nobody can change it.

// fence returns an error if the schema is not the one that this version writes. The
// caller has begun a transaction.
func (c *conn) fence() error {
	if err := c.fenceRead(); err != nil || c.schema == schemaVersion {
		return err
	}
	return store.Errorf(store.ErrCorrupt, "the database's schema was set back from %d to %d while it was in use; stop "+
		"every process that uses the database, and restore it from a backup", schemaVersion, c.schema)
}

// fenceRead is fence for readers, which accept an older schema too. It sets c.schema.
func (c *conn) fenceRead() (err error) {
	if c.schema, err = c.Number("PRAGMA user_version"); err == nil && c.schema > schemaVersion {
		err = newerSchema(c.schema)
	}
	return err
}

func newerSchema(version int64) error {
	return store.Errorf(store.ErrUnsupported, "a newer scratchpad has migrated the database to schema %d, and this "+
		"version knows %d; start again with the newer one", version, schemaVersion)
}
