package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/sqlite/internal/dbfile"
	"github.com/agent-scratchpad/scratchpad/sqlite/internal/engine"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// BackupOptions of [Store.Backup]. The zero value works.
type BackupOptions struct {
	Progress func(done, total int64) // called now and then with the pages copied and all pages; nil: not called
	// Verify is called later with the bytes of the copy that are verified and all bytes. nil: not
	// called.
	Verify func(done, total int64)
}

const backupPages = 1024 // copied in one step

// Backup writes the database as it is at this moment to a new file, while others read
// and write. Backup verifies the copy before the copy gets its name. The file must not exist
// yet, nor any of [Files] beside it.
//
// If Backup returns nil, the copy is durable and every hash in it has been checked. After
// an error, no part of the copy is left. The error wraps [store.ErrStorageFull] if the
// disk of the new file is full.
//
// The copy is a database like any other. To restore it, stop every process that uses the
// old database, remove the old one's -wal and -shm, and put the copy in its place.
func (s *Store) Backup(ctx context.Context, file string, o BackupOptions) error {
	err := s.backup(ctx, file, o)
	switch {
	case err == nil:
		return nil
	case engine.IsFull(err): // SQLite's own text is about the connection that was read
		err = store.Errorf(store.ErrStorageFull, "the disk is full; make room on it, or give a file on another disk")
	}
	return dbfile.Wrap(err, "backup to %s", file)
}

func (s *Store) backup(ctx context.Context, file string, o BackupOptions) error {
	if err := dbfile.CheckName(file); err != nil {
		return err
	}
	switch _, err := os.Lstat(file); {
	case err == nil:
		return store.Errorf(store.ErrInvalid, "it exists; give a new name")
	case !errors.Is(err, fs.ErrNotExist):
		return dbfile.WithKind(err)
	}
	if err := dbfile.CheckNoSides(file); err != nil {
		return err
	}
	temp, err := dbfile.NewTemp(file)
	if err != nil {
		return err
	}
	defer dbfile.RemoveTemp(temp)
	if err := s.read(ctx, func(c *conn) error { return c.copyTo(ctx, temp, o) }); err != nil {
		return err
	}
	if err := dbfile.SyncFile(temp); err != nil {
		return err
	}
	report, err := verifyCopy(ctx, temp, VerifyOptions{Progress: o.Verify})
	if err != nil {
		return err
	}
	if len(report.Problems) > 0 {
		return store.Errorf(store.ErrCorrupt, "the copy has %d problems; the first is: %s", len(report.Problems),
			report.Problems[0])
	}
	if err := dbfile.CheckNoSides(file); err != nil { // somebody may have made one meanwhile
		return err
	}
	if err := dbfile.GiveName(temp, file); err != nil {
		return err
	}
	return dbfile.SyncFolder(filepath.Dir(file))
}

// copyTo copies in steps, in one read transaction: later writes do not make it begin again.
func (c *conn) copyTo(ctx context.Context, temp string, o BackupOptions) error {
	if err := c.Pragma("schema_version"); err != nil { // the first read begins the snapshot
		return err
	}
	b, err := c.NewBackup(temp)
	if err != nil {
		return err
	}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			b.Finish()
			return err
		}
		if more, err = b.Step(backupPages); err != nil {
			b.Finish()
			return err
		}
		if o.Progress != nil {
			all, left := b.Pages()
			o.Progress(int64(all-left), int64(all))
		}
	}
	return b.Finish()
}

// verifyCopy verifies a database that nobody else has open.
func verifyCopy(ctx context.Context, file string, o VerifyOptions) (VerifyReport, error) {
	c, err := dial(file, "ro", "trusted_schema(OFF)", "cell_size_check(ON)")
	if err != nil {
		return VerifyReport{}, err
	}
	defer c.close()
	if err := c.identify(); err != nil {
		return VerifyReport{}, err
	}
	return c.verifyAll(ctx, o, func() error { return nil })
}
