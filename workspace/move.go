package workspace

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/names"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// MoveOptions of [Workspace.MoveFile]. The zero value sets no condition.
type MoveOptions struct {
	IfVersion      *int64  // the version that the file must be at, else ErrConflict; nil: any
	IdempotencyKey string  // as in WriteOptions
	Tree           bool    // as in WriteOptions, for the new path; the file that moves is never in the way
	Content        *[]byte // the content of the new version at the new path; nil: the current content
}

// MoveResult says what a move stored.
type MoveResult struct {
	Path    string // the new path
	From    string // the path before
	Version int64  // of the file at the new path
	Bytes   int64  // of that version
	Left    int64  // number of versions that stay at the old path, as a deleted file's; 0 for a repeated request

	Time time.Time // of that version; zero with an idempotency key
}

// MoveFile moves a file to a new path. There must be no file at the new path. A log at
// either path stays where it is.
//
// MoveFile stores the current content as a new version at the new path. The number of that
// version is higher than all numbers that either path ever had. The retained versions move
// and keep their numbers, except those up to the highest number that the new path ever had:
// there, those numbers stand for other texts. MoveFile removes the summaries of the file.
//
// If a deleted file has left versions at the new path, they become the oldest ones of the file.
// The old path is then that of a deleted file, with the versions that have not moved. The
// versions of a later file at the old path have higher numbers than those before the move.
//
// Errors: [ErrNotFound] if there is no such file; [ErrConflict] if there is a file at the
// new path, with an [Overlap] in its chain, or if the file is not at IfVersion; [ErrInvalid]
// if the paths are equal; [ErrTooLarge] for Content; [ErrQuota].
func (w *Workspace) MoveFile(ctx context.Context, path, newPath string, o MoveOptions) (MoveResult, error) {
	c := w.newWrite(ctx, "move", path, o.IdempotencyKey)
	to := c.newPath(newPath)
	c.expect(o.IfVersion, 1)
	args := [][]byte{[]byte(to), withTree(conditionBytes(c.ifVersion), o.Tree)}
	var v Version
	if o.Content != nil {
		v = w.newVersion(bytes.Clone(*o.Content), c.now)
		c.refuse(w.svc.o.Limits.checkText(v.Content, store.FileBytes))
		args = append(args, v.Content)
	}
	c.hashArgs(args...)
	found := w.findSecrets(v.Content)
	r, err := c.transact(ctx, store.Query{File: c.path, Current: true, To: to}, func(r *run) error {
		if r.To.Exists() {
			return inTheWay(r.To, "%s exists at version %d", names.Clip(to), r.To.Version)
		}
		if o.Tree {
			if err := checkOverlap(r.tx, to, r.path); err != nil {
				return err
			}
		}
		if o.Content == nil {
			return r.moveFile(r.Version)
		}
		if err := r.checkSecrets(found); err != nil {
			return err
		}
		return r.moveFile(v)
	})
	return MoveResult{Path: r.To.Path, From: r.path, Version: r.out.Number, Bytes: r.out.Bytes, Left: r.left,
			Time: r.made},
		c.explain(ctx, err)
}

// newPath parses the path to which a file moves.
func (c *write) newPath(path string) string {
	name, err := c.w.svc.o.Paths.clean(store.ArgNewPath, path, names.Rule.Path)
	c.refuse(err)
	if c.refuse(c.w.checkStart(name)); name == c.path {
		c.refuse(Errorf(ErrInvalid, "%s and %s are equal", store.ArgPath, store.ArgNewPath))
	}
	return name
}

// moveFile gives the file that was loaded another path, with v as its new version. The
// versions that move are those above every number that the new path ever had.
func (r *run) moveFile(v Version) error {
	if err := cmp.Or(r.Version.Verify(), r.checkOutside()); err != nil {
		return err
	}
	from, to := r.File, unexpired(r.To, r.now)
	if len(to.Sizes) > 0 && r.w.project != "" {
		return or(Errorf(ErrConflict, "%s has versions of a deleted file", names.Clip(to.Path)), store.DoOutside, 0)
	}
	m := store.FileMove{Above: cmp.Or(r.To.Version, r.after.FileFloor), Forget: from.Summary > 0}
	old := len(to.Sizes)
	for i, n := range from.Numbers() {
		if n > m.Above {
			to.Keep(n, from.Sizes[i], from.CreatedOf(n))
		}
	}
	v.Author, v.Time = stored(r.w.author), latest(r.now, from.Updated, r.To.Updated)
	_, m.Prune = r.addVersion(&to, &v, max(from.Version, m.Above)+1, from.Created)
	if old < len(r.To.Sizes) {
		m.Prune = max(m.Prune, r.To.Version)
	}
	left := from
	left.Retain(func(n int64) bool { return n <= m.Above })
	m.From, m.To, m.New = r.deleted(left, v.Time, r.w.svc.o.KeepDeleted), to, v
	r.left = int64(len(m.From.Sizes))
	m.Change = Change{Op: OpMove, Path: to.Path, From: from.Path, Before: from.Version, After: v.Number}
	r.countFile(r.To, -1)
	r.countFile(to, 1)
	if err := r.accountFile(m.From, &m.Change); err != nil {
		return err
	}
	m.Owner = r.Owner
	return r.tx.Apply(m)
}

// latest returns the last of the times.
func latest(times ...time.Time) time.Time {
	return slices.MaxFunc(times, time.Time.Compare)
}
