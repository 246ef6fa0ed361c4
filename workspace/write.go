package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// WriteOptions of [Workspace.WriteFile]. The zero value sets no condition.
type WriteOptions struct {
	// IfVersion is the version that the file must be at; 0: the file must not exist. A
	// deleted file does not exist. If the file is not at this version, the error is
	// [ErrConflict]. nil: write in any case.
	IfVersion *int64

	// IfChanged stores nothing if the file is at IfVersion and has the content already.
	// The result is then that of IfVersion. Without IfVersion, IfChanged has no effect.
	IfChanged bool

	// Tree refuses a new path that lies below a file, or has a file below it, as a file
	// system does. The error is [ErrConflict], with an [Overlap] in its chain.
	Tree bool

	// IdempotencyKey makes it safe to send the call again. It has 1-128 printable
	// characters. The same request under the same key within 24 hours gets the first
	// result and stores nothing. Another request under the key is [ErrConflict]. The
	// newest 1,000 keys of an agent are kept. "": no key.
	IdempotencyKey string
}

// WriteResult says what a write stored.
type WriteResult struct {
	Path    string
	Version int64
	Bytes   int64     // of the new version
	Time    time.Time // of the new version; zero for a request with an idempotency key
}

// WriteFile stores content as the next version of a file, even if it is the same as
// before. Content is UTF-8 text and may have NUL. When WriteFile returns nil, the version
// survives a power cut.
// Errors: [ErrTooLarge], [ErrQuota], [ErrConflict].
func (w *Workspace) WriteFile(ctx context.Context, path string, content []byte, o WriteOptions) (WriteResult, error) {
	const op = "write"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return WriteResult{}, err
	}
	o.IfVersion = cloned(o.IfVersion)
	if err := checkIfVersion(op, path, o.IfVersion); err != nil {
		return WriteResult{}, err
	}
	if err := w.svc.limits.checkText(op, path, content, FileSize); err != nil {
		return WriteResult{}, err
	}
	a, err := w.newAttempt(op, p.name, o.IdempotencyKey, content, withTree(conditionBytes(o.IfVersion), o.Tree))
	if err != nil {
		return WriteResult{}, err
	}
	v := w.newVersion(bytes.Clone(content), a.now)
	q := store.Query{File: p.name}
	if o.IfChanged && o.IfVersion != nil {
		q.Current, q.Since = true, *o.IfVersion // its SHA-256, and not its content
	}
	out, err := w.commit(ctx, a, q, func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
		if err := checkCondition(l.File, o.IfVersion); err != nil {
			return store.Outcome{}, err
		}
		if q.Since > 0 && l.Version.SHA256 == v.SHA256 {
			return store.Outcome{Number: l.Version.Number, Bytes: v.Size}, errRepeated
		}
		if o.Tree && !l.File.Exists() {
			if err := checkOverlap(tx, p.name, ""); err != nil {
				return store.Outcome{}, err
			}
		}
		return w.saveVersion(tx, a, l.File, l.Owner, v, OpEdit, 0)
	})
	if err != nil {
		return WriteResult{}, within(op, path, err)
	}
	return WriteResult{Path: p.name, Version: out.Number, Bytes: out.Bytes, Time: a.made}, nil
}

// newVersion returns a version that has no number yet.
func (w *Workspace) newVersion(content []byte, now time.Time) Version {
	return Version{
		Size: int64(len(content)), SHA256: sha256.Sum256(content), Content: content,
		Author: stored(w.author), Time: now,
	}
}

// saveVersion makes v the current version of the file. It gives v its number, prunes the
// versions that are too many, and counts both in the owner's usage. by is what the journal
// says of a change of a file that exists.
func (w *Workspace) saveVersion(tx store.Tx, a *attempt, head FileHead, state store.OwnerState, v Version, by ChangeOp,
	count int64) (store.Outcome, error) {
	if state == (store.OwnerState{}) && head.Version > 0 {
		return store.Outcome{}, errNoOwner
	}
	before := state
	a.floor.Begin(&state)
	c := Change{Op: by, Kind: KindFile, Path: head.Path, Before: head.Version}
	if !head.Exists() {
		c.Op, c.Before = OpCreate, 0
		state.Files++
		if head.Deleted {
			state.DeletedFiles--
		} else {
			head.Version = state.FileFloor
		}
		head.Deleted, head.Sizes, head.Created = false, nil, time.Time{}
	}
	if v.Time.Before(head.Updated) {
		v.Time = head.Updated
	}
	if head.Created.IsZero() {
		// No two files of an agent that are written here have the same time of creation.
		// What is imported keeps its own.
		if !v.Time.Before(a.now) && !v.Time.After(before.Updated) {
			v.Time = before.Updated.Add(time.Microsecond)
		}
		head.Created = v.Time
	}
	head.Version = max(head.Version+1, v.Number) // an imported version has a number
	head.Updated = v.Time
	v.Number = head.Version
	a.madeAt(v.Time)
	sizes := append(slices.Clone(head.Sizes), v.Size)
	over := max(0, len(sizes)-int(w.svc.limits.Versions))
	for _, size := range sizes[:over] {
		state.Bytes -= size
	}
	state.Bytes += v.Size - head.Summary
	state.Versions += int64(1 - over)
	forget := head.Summary > 0 // the file has summaries, all of earlier versions
	head.Sizes, head.Summary = sizes[over:], 0
	var prune int64
	if over > 0 {
		prune = head.Oldest() - 1
	}
	out := store.Outcome{Number: v.Number, Bytes: v.Size, Count: count}
	c.After, c.Time = v.Number, v.Time
	if c.Time.Before(a.now) { // an imported version is older
		c.Time = a.now
	}
	if err := w.settle(tx, a, before, &state, out, &c); err != nil {
		return store.Outcome{}, err
	}
	return out, tx.Apply(store.FileChange{Head: head, New: &v, Prune: prune, Pruned: over, Forget: forget, Change: c,
		Owner: state})
}
