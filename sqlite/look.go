package sqlite

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

//go:embed schema.sql
var schemaSQL string

const (
	applicationID = 0x53637250 // "ScrP"
	schemaVersion = 2
)

// Files returns the names of the files of the database at a path: first the path
// itself, then what may stand beside it. Not all of them need be there.
func Files(path string) []string { return dbfile.Files(path) }

// CheckFiles refuses what stands beside the database at a path under the names of its
// side files and is none of them, as [Open] does, with [workspace.ErrInvalid]. It opens
// nothing.
func CheckFiles(path string) error { return dbfile.CheckSides(path) }

// look says whether the database is still to be made, and otherwise reads,
// without changing a byte, whether it is one of ours. Only what is missing or
// has 0 bytes is new.
func look(path string) (isNew bool, err error) {
	if isNew, err = dbfile.IsNew(path); isNew || err != nil {
		return isNew, err
	}
	c, err := dialRead(path, "busy_timeout(2000)")
	if err != nil {
		return false, lookError(err)
	}
	defer c.close()
	return false, restored(path, lookError(c.identify()))
}

// restored adds to an error about damage what a backup meets that was put beside
// the log of the database before it.
func restored(path string, err error) error {
	info, statErr := os.Lstat(path + "-wal")
	if !errors.Is(err, workspace.ErrCorrupt) || statErr != nil || info.Size() == 0 {
		return err
	}
	return fmt.Errorf("%w; if this is a backup that was put here, stop every process that uses the database, and remove %s and %s",
		err, filepath.Base(path)+"-wal", filepath.Base(path)+"-shm")
}

// identify refuses a database that this version must not touch, and learns the
// schema of one that it may.
func (c *conn) identify() error {
	app, err := c.number("SELECT application_id FROM pragma_application_id")
	if err != nil {
		return err
	}
	version, err := c.number("SELECT user_version FROM pragma_user_version")
	if err != nil {
		return err
	}
	switch {
	case err != nil:
		return err
	case app != applicationID:
		return fmt.Errorf("it is the database of another program (application_id %d); give another path: %w", app, workspace.ErrInvalid)
	case version > schemaVersion:
		return newerSchema(version)
	case version < 1:
		return fmt.Errorf("its schema is damaged (version %d); restore it from a backup: %w", version, workspace.ErrCorrupt)
	}
	c.schema = version
	return c.checkObjects(schemaText(version))
}

// lookError says what an error means before anything was opened for writing.
func lookError(err error) error {
	code := codeOf(err)
	switch {
	case err == nil || code == 0:
		return err
	case code == codeNotADB:
		return fmt.Errorf("it is no SQLite database, or its first page is damaged; give another path: %w", workspace.ErrInvalid)
	case code == codeIOErrShort:
		return fmt.Errorf("its write-ahead log is missing or cut; where another process still has it open, stop that one in the usual way and try again; else restore the database from a backup: %w", workspace.ErrCorrupt)
	case code&0xff == codeBusy:
		return fmt.Errorf("another program keeps it locked; close that program or try again: %w", workspace.ErrBusy)
	case code == codeReadOnlyRollbck:
		return fmt.Errorf("another program left a change half-done in it (it has a hot journal); open it with that program: %w", workspace.ErrInvalid)
	case code&0xff == codeCantOpen:
		return fmt.Errorf("it cannot be opened; look at the permissions of the file and its folder: %v: %w", err, workspace.ErrInvalid)
	case code&0xff == codeReadOnly:
		return fmt.Errorf("it cannot be opened; the database's folder must be writable: %v: %w", err, workspace.ErrReadOnly)
	case code&0xff == codeCorrupt, code&0xff == codeError, code&0xff == codeIOErr:
		return fmt.Errorf("it is damaged or cannot be read; restore it from a backup: %v: %w", err, workspace.ErrCorrupt)
	}
	return err
}

// create makes a database beside the path, under a name that nobody else has,
// and moves it there when it is whole and durable, so that no moment shows half of
// one. The caller holds the turn.
func create(path string) error {
	temp, err := dbfile.NewPart(path)
	if err != nil {
		return err
	}
	err = writeSchema(temp)
	if err == nil {
		err = dbfile.SyncFolder(filepath.Dir(path)) // so that no log is left of the temporary name
	}
	if err == nil {
		err = dbfile.GiveDatabaseName(temp, path)
	}
	if err := errors.Join(err, dbfile.RemoveTemp(temp)); err != nil {
		return err
	}
	return dbfile.SyncFolder(filepath.Dir(path))
}

func writeSchema(path string) error {
	c, err := dial(path, "rw", "journal_mode(WAL)", "synchronous(FULL)")
	if err != nil {
		return err
	}
	err = c.script("BEGIN IMMEDIATE;\n" + schemaSQL +
		";\nPRAGMA application_id = " + strconv.Itoa(applicationID) +
		";\nPRAGMA user_version = " + strconv.Itoa(schemaVersion) +
		";\nCOMMIT;\nPRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, c.close())
}

// oldSQLite reports a version before 3.51.3, whose reset of the write-ahead log
// can corrupt a database (https://www.sqlite.org/wal.html).
func oldSQLite(version string) bool {
	have, fixed := [3]int{}, [3]int{3, 51, 3}
	for i, part := range strings.SplitN(version, ".", 3) {
		have[i], _ = strconv.Atoi(part)
	}
	for i := range have {
		if have[i] != fixed[i] {
			return have[i] < fixed[i]
		}
	}
	return false
}
