package workspace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// WriteOptions of [Workspace.WriteFile]. The zero value sets no condition.
type WriteOptions struct {
	// IfVersion is the version that the file must be at, else the error is [ErrConflict].
	// 0: the file must not exist; a deleted file does not exist. nil: any version, or no file.
	IfVersion *int64

	// IfChanged stores nothing if the file is at IfVersion and has the content already.
	// The result then describes that version, without its Time. If IfVersion is nil,
	// IfChanged has no effect.
	IfChanged bool

	// Tree refuses to create a file whose path lies below a file or has a file below it, as
	// a file system does. The error is [ErrConflict], with an [Overlap] in its chain.
	Tree bool

	// IdempotencyKey makes it safe to send the call again. A key has 1-128 printable
	// characters. If the same request comes again under the same key within 24 hours, it
	// gets the first result and stores nothing. Another request under the same key is
	// [ErrConflict]. The store keeps the newest 1,000 keys of an agent. "": no key.
	IdempotencyKey string
}

// WriteResult says what a write stored.
type WriteResult struct {
	Path     string
	Version  int64
	Bytes    int64     // of the new version
	Time     time.Time // of the new version; zero with an idempotency key, or if nothing was stored
	Restored int64     // by RestoreFile: the version that came back; 0: a repeated request has not asked for one

	Secrets *Secrets // new ones; nil: none, or Options.Secrets is SecretsOff. A repeated request has all
}

// WriteFile stores content as the next version of a file, even if the content has not
// changed. It creates the file if there is none. Content is UTF-8 text and may contain NUL.
// When WriteFile returns a nil error, the version survives a power cut.
// Errors: [ErrTooLarge], [ErrQuota], [ErrConflict].
func (w *Workspace) WriteFile(ctx context.Context, path string, content []byte, o WriteOptions) (WriteResult, error) {
	c := w.newMaker(ctx, "write", path, o.IdempotencyKey)
	c.expect(o.IfVersion, 0)
	c.refuse(w.svc.o.Limits.checkText(content, store.FileBytes))
	c.hashArgs(content, withTree(conditionBytes(c.ifVersion), o.Tree))
	q := store.Query{File: c.path}
	if o.IfChanged && c.ifVersion != nil {
		q.Current, q.Since = true, *c.ifVersion // its SHA-256, and not its content
	}
	v := w.newVersion(bytes.Clone(content), c.now)
	found := w.findSecrets(v.Content)
	if len(found) > 0 {
		q.Current, q.Since = true, 0 // with its content
	}
	r, err := c.transact(ctx, q, func(r *run) error {
		if o.IfChanged && c.ifVersion != nil && r.Version.Number > 0 && r.Version.SHA256 == v.SHA256 {
			r.out = store.Outcome{Number: r.Version.Number, Bytes: v.Size}
			return errRepeated
		}
		if o.Tree && !r.File.Exists() {
			if err := checkOverlap(r.tx, r.path, ""); err != nil {
				return err
			}
		}
		if err := r.checkSecrets(found); err != nil {
			return err
		}
		return r.saveVersion(v, OpEdit, 0)
	})
	if r.repeated {
		r.secrets = w.listSecrets(nil, found, r.path, 0)
	}
	return r.written(), c.explain(ctx, err)
}

// writeFile commits a write that makes a version.
func (c *write) writeFile(ctx context.Context, q store.Query, fn func(*run) error) (WriteResult, error) {
	r, err := c.transact(ctx, q, fn)
	return r.written(), c.explain(ctx, err)
}

// written returns the version that the run has made.
func (r *run) written() WriteResult {
	return WriteResult{Path: r.path, Version: r.out.Number, Bytes: r.out.Bytes, Time: r.made, Secrets: r.secrets}
}

// newVersion returns a version that has no number yet.
func (w *Workspace) newVersion(content []byte, now time.Time) Version {
	return Version{
		Size: int64(len(content)), SHA256: sha256.Sum256(content), Content: content,
		Author: stored(w.author), Time: now,
	}
}

// saveVersion makes v the current version of the file that was loaded. It gives v the next
// number of the path, or least if that is higher, and removes the versions that are too many.
// op is what the journal says of a change of a file that exists.
func (r *run) saveVersion(v Version, op ChangeOp, least int64) error {
	h, before, created := unexpired(r.File, r.now), r.File.Version, r.File.Created
	if !h.Exists() {
		h.Version, before, created = cmp.Or(h.Version, r.after.FileFloor), 0, r.born
		r.created = true
		if op != OpRestore {
			op = OpCreate
		}
	}
	if n := r.sinceOutside(); n >= manyVersions*int(r.w.svc.o.Limits.Versions) {
		return r.checkOutside()
	}
	v.Time = latest(v.Time, h.Updated)
	if created.IsZero() {
		// No two files of an agent that are written here have the same time of creation.
		// What is imported keeps its own.
		if !v.Time.Before(r.now) && !v.Time.After(r.Owner.Updated) {
			v.Time = r.Owner.Updated.Add(time.Microsecond)
		}
		created = v.Time
	}
	c := store.FileChange{Change: Change{Op: op, Before: before}, New: &v}
	c.Pruned, c.Prune = r.addVersion(&h, &v, max(h.Version+1, least), created)
	if gone := len(r.File.Sizes) + 1 - len(h.Sizes) - c.Pruned; gone > 0 { // they were of a deleted file
		c.Pruned, c.Prune = c.Pruned+gone, max(c.Prune, r.File.Version)
	}
	c.Head, c.Change.After = h, v.Number
	return r.saveFile(c)
}

// addVersion puts a version with a number on the head of a file that was created at a time, and
// in the outcome. It leaves out versions that are too many, and returns how many, and the highest
// of them.
func (r *run) addVersion(h *FileHead, v *Version, number int64, created time.Time) (pruned int, through int64) {
	keep := int(r.w.svc.o.Limits.Versions)
	if r.w.svc.o.KeepVersions {
		keep = max(keep, len(h.Sizes))
	}
	if n := r.sinceOutside(); n > 0 {
		keep = max(keep, n+1)
	}
	if r.keepsAll {
		keep = len(h.Sizes) + 1
	}
	if r.w.project != "" {
		v.Project = r.w.project
	}
	h.Keep(number, v.Size, created)
	v.Number, h.Updated, h.Summary = number, v.Time, 0
	h.Deleted, h.Deleter, h.Expires = false, Author{}, time.Time{}
	if pruned = len(h.Sizes) - keep; pruned > 0 {
		through = h.Drop(pruned)
	}
	r.out.Number, r.out.Bytes = number, v.Size
	if r.key == "" {
		r.made = v.Time
	}
	return max(0, pruned), through
}
