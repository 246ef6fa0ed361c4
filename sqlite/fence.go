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
	version, err := c.userVersion()
	switch {
	case err != nil:
		return err
	case version == schemaVersion:
		return nil
	case version < schemaVersion:
		return store.Errorf(store.ErrCorrupt, "the database's schema was set back from %d to %d while it was in "+
			"use; stop every process that uses the database, and restore it from a backup", schemaVersion, version)
	}
	return migratedSchema(version)
}

// fenceRead is fence for readers, which accept an older schema too. It sets c.schema.
func (c *conn) fenceRead() error {
	version, err := c.userVersion()
	if err == nil && version > schemaVersion {
		err = migratedSchema(version)
	}
	c.schema = version
	return err
}

func (c *conn) userVersion() (version int64, err error) { return c.Number("PRAGMA user_version") }

func migratedSchema(version int64) error {
	return store.Errorf(store.ErrUnsupported, "another process has migrated the database to schema %d, and this "+
		"version knows %d; start this process again with the newer scratchpad", version, schemaVersion)
}
