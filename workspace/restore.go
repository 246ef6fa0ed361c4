package workspace

import (
	"context"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// RestoreFile stores the content of a retained version as the next version of the file. The
// retained version may be the current one. The other versions stay, as far as
// [Limits].Versions allows. IfVersion of the options must be nil or above 0. RestoreFile
// ignores IfChanged and Tree.
// Errors: [ErrNotFound] if there is no such file, or the version is not retained or is
// redacted; [ErrConflict] if the file is not at IfVersion; [ErrQuota].
func (w *Workspace) RestoreFile(ctx context.Context, path string, version int64, o WriteOptions) (WriteResult, error) {
	c := w.newWrite(ctx, "restore", path, o.IdempotencyKey)
	c.refuse(checkNumber(ArgVersion, version, 1))
	c.expect(o.IfVersion, 1)
	c.hashArgs(conditionBytes(&version), conditionBytes(c.ifVersion))
	return c.writeFile(ctx, store.Query{File: c.path, Version: version}, func(r *run) error {
		err := fault.Readable(r.File, r.Version, version)
		if err == nil {
			err = r.Version.Verify()
		}
		if err != nil {
			return err
		}
		v := r.Version
		v.Author, v.Time = stored(w.author), r.now
		return r.saveVersion(v, OpRestore, 0)
	})
}
