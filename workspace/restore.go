package workspace

import (
	"cmp"
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// RestoreOptions of [Workspace.RestoreFile]. The zero value brings back the newest retained
// version of a deleted file that is not redacted.
type RestoreOptions struct {
	Version        int64  // a retained version; 0: the newest of a deleted file that is not redacted
	IfVersion      *int64 // as in WriteOptions
	IdempotencyKey string // as in WriteOptions
}

// RestoreFile stores the content of a retained version as the next version of a file. The
// retained version may be the current one, or one of a deleted file. The other versions stay, as
// far as [Limits].Versions allows.
//
// If there is no file at the path, the file is again the one that the version belongs to, with its
// time of creation. It gets a new time of creation if that file has moved to another path.
//
// Errors: [ErrNotFound] if the version is not retained, is redacted, or its time has ended, see
// [Options].KeepDeleted; [ErrConflict] if the file is not at IfVersion, or if there is a file
// and Version is 0; [ErrQuota].
func (w *Workspace) RestoreFile(ctx context.Context, path string, o RestoreOptions) (WriteResult, error) {
	c := w.newWrite(ctx, "restore", path, o.IdempotencyKey)
	if o.Version != 0 {
		c.refuse(checkNumber(store.ArgVersion, o.Version, 1))
	}
	c.expect(o.IfVersion, 0)
	c.hashArgs(conditionBytes(&o.Version), conditionBytes(c.ifVersion))
	restored := o.Version
	result, err := c.writeFile(ctx, store.Query{File: c.path, Version: o.Version}, func(r *run) (err error) {
		restored, err = r.restore(o.Version)
		return err
	})
	result.Restored = restored
	return result, err
}

// restore makes a retained version of the file that was loaded the next one; 0: the newest one
// that is not redacted. It returns the number of the version.
func (r *run) restore(n int64) (int64, error) {
	h := r.File
	switch {
	case !readable(h, r.now):
		return 0, errNoFile
	case n == 0 && h.Exists():
		e := or(Errorf(ErrConflict, "it exists at version %d; say which %s to restore", h.Version, store.ArgVersion),
			store.DoRead, 0)
		e.Err = &Overlap{Path: h.Path, Created: h.Created}
		return 0, e
	case n == 0:
		last, err := restorable(r.tx, h, r.now)
		if err != nil {
			return 0, err
		}
		n = cmp.Or(last, h.Last())
		l, err := r.tx.Load(store.Query{File: r.path, Version: n})
		if err != nil {
			return 0, err
		}
		r.Version = l.Version
	}
	if err := fault.Readable(h, r.Version, n); err != nil {
		return 0, err
	}
	if err := r.Version.Verify(); err != nil {
		return 0, err
	}
	v := r.Version
	v.Author, v.Time, v.Project = stored(r.w.author), r.now, ""
	if !h.Exists() {
		if err := r.bringBack(h.CreatedOf(n)); err != nil {
			return 0, err
		}
	}
	return n, r.saveVersion(v, OpRestore, 0)
}

// bringBack makes the file that is written the one that was created at a time, unless that one is
// at another path.
func (r *run) bringBack(created time.Time) error {
	r.born = created
	for h, err := range store.Files(r.tx, "") {
		if err != nil {
			return err
		}
		if h.Created.Equal(created) {
			r.born = time.Time{}
			break
		}
	}
	return nil
}
