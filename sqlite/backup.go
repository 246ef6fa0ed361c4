package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agent-scratchpad/scratchpad/workspace"
	"modernc.org/sqlite"
)

// BackupOptions of [Store.Backup]. The zero value works.
type BackupOptions struct {
	Progress func(done, total int64) // pages copied and pages in all, now and then; nil: none
	Verify   func(done, total int64) // then bytes of the copy's content checked and in all, likewise
}

const backupPages = 1024 // copied in one step

// Backup writes the database as it is at this moment to a new file, while
// others read and write, and verifies the copy before it gets its name. The file
// must not exist yet, nor any of [Files] beside it. Without error, the copy is durable and every hash in it
// has been checked; with one, no part of it is left. Where the disk of the new file is full, the error wraps
// [workspace.ErrStorageFull]. The copy is a database like any other: to restore it, put it in
// the place of the old one, and remove that one's -wal and -shm, while no process
// has it open.
func (s *Store) Backup(ctx context.Context, file string, o BackupOptions) error {
	err := s.backup(ctx, file, o)
	switch {
	case err == nil:
		return nil
	case isFull(err): // SQLite's own text is about the connection that was read
		err = fmt.Errorf("the disk is full; make room on it, or give a file on another disk: %w", workspace.ErrStorageFull)
	}
	return fmt.Errorf("backup to %s: %w", file, err)
}

func (s *Store) backup(ctx context.Context, file string, o BackupOptions) error {
	if err := checkName(file); err != nil {
		return err
	}
	if err := checkFolder(filepath.Dir(file)); err != nil {
		return err
	}
	switch _, err := os.Lstat(file); {
	case err == nil:
		return fmt.Errorf("it exists; give a new name: %w", workspace.ErrInvalid)
	case !errors.Is(err, fs.ErrNotExist):
		return fileError(err)
	}
	if err := noSideFile(file); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+"-new-*") // mode 0600
	if err != nil {
		return fileError(err)
	}
	temp := f.Name()
	f.Close()
	defer removeTemp(temp)
	if err := s.read(ctx, func(c *conn) error { return c.copyTo(ctx, temp, o) }); err != nil {
		return err
	}
	if err := syncFile(temp); err != nil {
		return err
	}
	report, err := verifyCopy(ctx, temp, VerifyOptions{Progress: o.Verify})
	if err != nil {
		return err
	}
	if len(report.Problems) > 0 {
		return fmt.Errorf("the copy has %d problems, first: %s: %w", len(report.Problems), report.Problems[0], workspace.ErrCorrupt)
	}
	if err := noSideFile(file); err != nil { // made meanwhile
		return err
	}
	if err := giveName(moveNew, temp, file); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(file))
}

// noSideFile refuses a name beside which a file stands that SQLite or this
// package would take for a part of the new database.
func noSideFile(file string) error {
	for _, name := range Files(file)[1:] {
		switch _, err := os.Lstat(name); {
		case err == nil:
			return fmt.Errorf("%s is there, of another database, and would ruin the backup; give a new name, or remove that file where no process uses it: %w",
				filepath.Base(name), workspace.ErrInvalid)
		case !errors.Is(err, fs.ErrNotExist):
			return fileError(err)
		}
	}
	return nil
}

// copyTo copies in steps inside the connection's read transaction, so that what
// others write meanwhile neither shows in the copy nor makes it begin again.
func (c *conn) copyTo(ctx context.Context, temp string, o BackupOptions) error {
	if err := c.pragma("schema_version"); err != nil { // begins the snapshot
		return err
	}
	source, ok := c.dc.(interface {
		NewBackup(string) (*sqlite.Backup, error)
	})
	if !ok {
		return fmt.Errorf("the driver has no online backup: %w", workspace.ErrUnsupported)
	}
	b, err := source.NewBackup(dsn(temp, "rw", nil))
	if err != nil {
		return translate(err)
	}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			b.Finish()
			return err
		}
		if more, err = b.Step(backupPages); err != nil {
			b.Finish()
			return translate(err)
		}
		if o.Progress != nil {
			total := int64(b.PageCount())
			o.Progress(total-int64(b.Remaining()), total)
		}
	}
	return translate(b.Finish())
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return fileError(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fileError(err)
	}
	return nil
}

// giveName gives a finished file its name, unless the name is taken meanwhile.
// It is moved or linked there; where the file system knows no links, an empty file takes
// the name first, which is then replaced.
func giveName(link func(from, to string) error, temp, file string) error {
	err := link(temp, file)
	if err == nil || !noLinks(err) {
		return fileError(err)
	}
	claim, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fileError(err)
	}
	mine, err := claim.Stat()
	if err = errors.Join(err, claim.Close()); err != nil {
		return fileError(err)
	}
	if now, err := os.Lstat(file); err != nil || !os.SameFile(mine, now) || now.Size() != 0 {
		return fmt.Errorf("another program has taken the name meanwhile; give a new one: %w", workspace.ErrInvalid)
	}
	if err := os.Rename(temp, file); err != nil {
		return errors.Join(fileError(err), os.Remove(file))
	}
	return nil
}

// noLinks reports whether an error of [os.Link] says that the file system knows
// no links.
func noLinks(err error) bool {
	const invalidFunction = syscall.Errno(1) // of Windows, on FAT
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EPERM) || isWindows() && errors.Is(err, invalidFunction)
}

// verifyCopy verifies a file that nobody else has open.
func verifyCopy(ctx context.Context, file string, o VerifyOptions) (VerifyReport, error) {
	c, err := dial(file, "ro")
	if err != nil {
		return VerifyReport{}, err
	}
	defer c.close()
	if err := c.identify(); err != nil {
		return VerifyReport{}, err
	}
	return c.verifyAll(ctx, o, func(_ string, fn func(*conn) error) error { return fn(c) })
}
