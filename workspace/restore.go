package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// RestoreFile stores the content of a retained version as the next version of the file,
// also if that is the current one. The other versions stay, as far as the limit on versions
// allows. IfVersion of the options is the version that the file must be at, from 1.
// Errors: [ErrNotFound] if there is no such file, or the version is not retained or is
// redacted; [ErrConflict], [ErrQuota].
func (w *Workspace) RestoreFile(ctx context.Context, path string, version int64, o WriteOptions) (WriteResult, error) {
	const op = "restore"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return WriteResult{}, err
	}
	if err := checkNumber(op, path, ArgVersion, version, 1); err != nil {
		return WriteResult{}, err
	}
	o.IfVersion = cloned(o.IfVersion)
	if o.IfVersion != nil {
		if err := checkNumber(op, path, ArgIfVersion, *o.IfVersion, 1); err != nil {
			return WriteResult{}, err
		}
	}
	a, err := w.newAttempt(op, p.name, o.IdempotencyKey, conditionBytes(&version), conditionBytes(o.IfVersion))
	if err != nil {
		return WriteResult{}, err
	}
	out, err := w.commit(ctx, a, store.Query{File: p.name, Version: version},
		func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
			if err := checkRestore(l, version, o.IfVersion); err != nil {
				return store.Outcome{}, err
			}
			v := l.Version
			v.Author, v.Time = stored(w.author), a.now
			return w.saveVersion(tx, a, l.File, l.Owner, v, OpRestore, 0)
		})
	if err != nil {
		return WriteResult{}, within(op, path, w.withNearest(ctx, p, err))
	}
	return WriteResult{Path: p.name, Version: out.Number, Bytes: out.Bytes, Time: a.made}, nil
}

// checkRestore refuses to restore a version of a file as it was loaded.
func checkRestore(l store.Loaded, version int64, ifVersion *int64) error {
	if !l.File.Exists() {
		return errNoFile
	}
	if err := checkCondition(l.File, ifVersion); err != nil {
		return err
	}
	if err := fault.Readable(l.File, l.Version, version); err != nil {
		return err
	}
	return l.Version.Verify()
}
