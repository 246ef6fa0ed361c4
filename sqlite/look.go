package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Files returns the path of a database, followed by the names of the files that may stand
// beside it: SQLite's own, the lock files and the reserve. Not all of them need exist.
func Files(path string) []string { return dbfile.Files(path) }

// CheckFiles returns [workspace.ErrInvalid] if something else has the name of a file
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
		return false, lookError(err)
	}
	defer c.close()
	return false, restored(path, lookError(c.identify()))
}

// restored adds a hint to an error about damage if there is a log: a backup that is put
// in the place of a database reads as damaged beside that database's log.
func restored(path string, err error) error {
	info, statErr := os.Lstat(path + "-wal")
	if !errors.Is(err, workspace.ErrCorrupt) || statErr != nil || info.Size() == 0 {
		return err
	}
	return fmt.Errorf("%w; if this is a backup that you put here, stop every process that uses the database, and remove %s and %s",
		err, filepath.Base(path)+"-wal", filepath.Base(path)+"-shm")
}

// identify refuses a database that this version must not use. It sets c.schema.
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

// lookError explains an error of SQLite that came before anything was opened for
// writing.
func lookError(err error) error {
	code := codeOf(err)
	switch {
	case err == nil || code == 0:
		return err
	case code == codeNotADB:
		return fmt.Errorf("it is not an SQLite database, or its first page is damaged; give another path: %w", workspace.ErrInvalid)
	case code == codeIOErrShort:
		return fmt.Errorf("its write-ahead log is missing or cut off; if another process has the database open, stop that process normally and try again; otherwise restore the database from a backup: %w", workspace.ErrCorrupt)
	case code&0xff == codeBusy:
		return fmt.Errorf("another program keeps it locked; close that program or try again: %w", workspace.ErrBusy)
	case code == codeReadOnlyRollbck:
		return fmt.Errorf("another program has not finished a change to it (there is a hot journal); open it with that program: %w", workspace.ErrInvalid)
	case code&0xff == codeCantOpen:
		return fmt.Errorf("it cannot be opened; check the permissions of the file and its folder: %s: %w", textOf(err), workspace.ErrInvalid)
	case code&0xff == codeReadOnly:
		return fmt.Errorf("it cannot be opened; the database's folder must be writable: %s: %w", textOf(err), workspace.ErrReadOnly)
	case code&0xff == codeCorrupt, code&0xff == codeError, code&0xff == codeIOErr:
		return fmt.Errorf("it is damaged or cannot be read; restore it from a backup: %s: %w", textOf(err), workspace.ErrCorrupt)
	}
	return err
}

// oldSQLite reports whether a version is older than 3.51.3. Such a version can corrupt a
// database when it resets the write-ahead log (https://www.sqlite.org/wal.html).
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
