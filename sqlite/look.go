package sqlite

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

//go:embed schema.sql
var schemaSQL string

const (
	applicationID = 0x53637250 // "ScrP"
	schemaVersion = 2
)

// sideFiles are the ends of the names that stand beside a database.
var sideFiles = []string{"-wal", "-shm", "-journal", "-turn", "-write", "-reserve"}

// Files returns the names of the files of the database at a path: first the path
// itself, then what may stand beside it. Not all of them need be there.
func Files(path string) []string {
	files := []string{path}
	for _, end := range sideFiles {
		files = append(files, path+end)
	}
	return files
}

// checkName refuses a database whose name is that of another one's side file.
func checkName(path string) error {
	for _, end := range sideFiles {
		if strings.HasSuffix(path, end) {
			return fmt.Errorf("a name that ends in %s is for a file beside a database; give another one: %w", end, workspace.ErrInvalid)
		}
	}
	if name := filepath.Base(path); strings.HasSuffix(name, partEnd) && strings.Contains(name, "-new-") {
		return fmt.Errorf("a name with -new- that ends in %s is for a database that is being made; give another one: %w", partEnd, workspace.ErrInvalid)
	}
	return nil
}

func checkFolder(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s; create it: %w", dir, workspace.ErrInvalid)
	}
	return nil
}

// look says whether the database is still to be made, and otherwise reads,
// without changing a byte, whether it is one of ours. Only what is missing or
// has 0 bytes is new.
func look(path string) (isNew bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lookNew(path)
	}
	if err != nil {
		return false, fileError(err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return false, fmt.Errorf("it is a symbolic link; give the file itself: %w", workspace.ErrInvalid)
	case info.IsDir():
		return false, fmt.Errorf("it is a folder; give a file in it: %w", workspace.ErrInvalid)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("it is no regular file: %w", workspace.ErrInvalid)
	case info.Size() == 0:
		return lookNew(path)
	}
	if err := checkNames(path); err != nil {
		return false, err
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

// lookNew is look where nothing was seen at the path. Another process may have
// made the database since, and written to its log.
func lookNew(path string) (isNew bool, err error) {
	if err = noOrphanLog(path); err == nil {
		return true, nil
	}
	if info, statErr := os.Lstat(path); statErr == nil && info.Size() > 0 {
		return look(path)
	}
	return false, err
}

// noOrphanLog refuses to begin a new database where SQLite would throw away the
// write-ahead log of a lost one.
func noOrphanLog(path string) error {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return fmt.Errorf("it is empty or missing, but %s holds data of it: put the database back beside that file; or stop every process that uses the database, move that file away, and restore the database from a backup: %w",
			filepath.Base(path)+"-wal", workspace.ErrCorrupt)
	}
	return nil
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
	removeParts(path)
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-new-*"+partEnd) // mode 0600
	if err != nil {
		return fileError(err)
	}
	temp := f.Name()
	f.Close()
	err = writeSchema(temp)
	if err == nil {
		err = syncFolder(filepath.Dir(path)) // so that no log is left of the temporary name
	}
	if err == nil {
		err = nameDatabase(temp, path)
	}
	if err := errors.Join(err, removeTemp(temp)); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// tempEnds end the names of the files of a database that is being made.
var tempEnds = []string{"", "-wal", "-shm", "-journal"}

// removeTemp removes a database that was made under a temporary name.
func removeTemp(temp string) error {
	for _, end := range tempEnds {
		if err := os.Remove(temp + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fileError(err)
		}
	}
	return nil
}

// nameDatabase gives the database its name. Where an empty file stands there, or
// the file system knows no links, it is renamed.
func nameDatabase(temp, path string) error {
	err := moveNew(temp, path)
	if err == nil {
		return nil
	}
	if info, statErr := os.Lstat(path); statErr == nil && info.Size() != 0 {
		return fileError(err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fileError(err)
	}
	return nil
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

// syncFolder makes a new name in a folder durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fileError(err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !isWindows() {
		return fileError(err)
	}
	return nil
}

func isWindows() bool { return filepath.Separator == '\\' }

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
