package workspace

import (
	"bytes"
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
	Tree           bool    // as in WriteOptions, for the new path; the file itself is not in the way
	Content        *[]byte // of the new version at the new path; nil: the content stays
}

// MoveResult says what a move stored.
type MoveResult struct {
	Path    string // the new path
	From    string // the path before
	Version int64  // of the file at the new path
	Bytes   int64  // of that version

	Time time.Time // of that version; zero for a request with an idempotency key
}

// MoveFile gives a file another path, where there must be no file. A log at either path
// stays where it is.
//
// The current content becomes a new version at the new path. Its number is above all that
// either path ever had. The retained versions move with their numbers. If there was a file
// at the new path before, versions up to its highest number are removed: those numbers
// stood for other texts there. Summaries of the file are removed.
//
// The old path is then like that of a deleted file. A later file there continues above the
// numbers that it had.
//
// Errors: [ErrNotFound] if there is no such file; [ErrConflict] if there is a file at the
// new path; [ErrInvalid] if the paths are equal; [ErrQuota].
func (w *Workspace) MoveFile(ctx context.Context, path, newPath string, o MoveOptions) (MoveResult, error) {
	const op = "move"
	from, err := w.start(ctx, op, path)
	if err != nil {
		return MoveResult{}, err
	}
	to, err := w.parseNewPath(op, from, newPath)
	if err != nil {
		return MoveResult{}, err
	}
	o.IfVersion = cloned(o.IfVersion)
	if o.IfVersion != nil {
		if err := checkNumber(op, path, ArgIfVersion, *o.IfVersion, 1); err != nil {
			return MoveResult{}, err
		}
	}
	args := [][]byte{[]byte(to.name), withTree(conditionBytes(o.IfVersion), o.Tree)}
	var content []byte
	if o.Content != nil {
		content = bytes.Clone(*o.Content)
		if err := w.svc.limits.checkText(op, path, content, FileSize); err != nil {
			return MoveResult{}, err
		}
		args = append(args, content)
	}
	a, err := w.newAttempt(op, from.name, o.IdempotencyKey, args...)
	if err != nil {
		return MoveResult{}, err
	}
	replaced := w.newVersion(content, a.now)
	out, err := w.commit(ctx, a, store.Query{File: from.name, Current: true, To: to.name},
		func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
			if err := checkMove(l, o.IfVersion); err != nil {
				return store.Outcome{}, err
			}
			if o.Tree {
				if err := checkOverlap(tx, to.name, from.name); err != nil {
					return store.Outcome{}, err
				}
			}
			loaded := l.Version
			if o.Content != nil {
				l.Version.Size, l.Version.SHA256, l.Version.Content = replaced.Size, replaced.SHA256, content
			}
			return w.moveFile(tx, a, l, loaded)
		})
	if err != nil {
		return MoveResult{}, within(op, path, w.withNearest(ctx, from, err))
	}
	return MoveResult{Path: to.name, From: from.name, Version: out.Number, Bytes: out.Bytes, Time: a.made}, nil
}

// parseNewPath parses the path to which a file moves.
func (w *Workspace) parseNewPath(op string, from Path, newPath string) (Path, error) {
	name, err := w.paths.clean(ArgNewPath, newPath, names.Rule.Path)
	if err != nil {
		return Path{}, within(op, from.name, err)
	}
	if name == from.name {
		return Path{}, fail(ErrInvalid, op, from.name, "%s and %s are equal", ArgPath, ArgNewPath)
	}
	return Path{name}, nil
}

// checkMove refuses a move for what is at the two paths.
func checkMove(l store.Loaded, ifVersion *int64) error {
	if !l.File.Exists() {
		return errNoFile
	}
	if err := checkCondition(l.File, ifVersion); err != nil {
		return err
	}
	if l.To.Exists() {
		return inTheWay(l.To, "%s exists at version %d", names.Clip(l.To.Path), l.To.Version)
	}
	return l.Version.Verify()
}

// moveFile saves a move in the journal and both heads. The versions that move are those
// above every number that the new path ever had. loaded is the current one before the move.
func (w *Workspace) moveFile(tx store.Tx, a *attempt, l store.Loaded, loaded Version) (store.Outcome, error) {
	if l.Owner == (store.OwnerState{}) {
		return store.Outcome{}, errNoOwner
	}
	above, state := l.To.Version, l.Owner
	if above == 0 {
		above = state.FileFloor
	}
	from, to := l.File, FileHead{Path: l.To.Path, Created: l.File.Created}
	v := l.Version
	v.Number, v.Author = max(from.Version, above)+1, stored(w.author)
	v.Time = latest(a.now, from.Updated, l.To.Updated)
	to.Version, to.Updated = v.Number, v.Time
	a.madeAt(v.Time)

	gone := int(min(max(above-from.Oldest()+1, 0), int64(len(from.Sizes))))
	sizes := append(slices.Clone(from.Sizes[gone:]), v.Size)
	over := max(0, len(sizes)-int(w.svc.limits.Versions))
	to.Sizes = sizes[over:]
	m := store.FileMove{To: to, Above: above, New: v, Forget: from.Summary > 0}
	if len(from.Sizes) == 1 {
		m.Only = loaded
	}
	if over > 0 {
		m.Prune = to.Oldest() - 1
	}
	state.Bytes += sum(to.Sizes) - sum(from.Sizes) - from.Summary
	state.Versions += int64(len(to.Sizes) - len(from.Sizes))
	state.DeletedFiles++
	if l.To.Deleted {
		state.DeletedFiles--
	}
	from.Deleted, from.Sizes, from.Summary, from.Updated = true, nil, 0, v.Time

	out := store.Outcome{Number: v.Number, Bytes: v.Size}
	m.Change = Change{Op: OpMove, Kind: KindFile, Path: to.Path, From: from.Path, Before: from.Version, After: v.Number,
		Time: v.Time}
	if err := w.settle(tx, a, l.Owner, &state, out, &m.Change); err != nil {
		return store.Outcome{}, err
	}
	m.From, m.Owner = from, state
	if err := tx.Apply(m); err != nil {
		return store.Outcome{}, err
	}
	return out, forgetOldest(tx, state)
}

// latest returns the last of the times.
func latest(times ...time.Time) time.Time {
	return slices.MaxFunc(times, time.Time.Compare)
}

func sum(sizes []int64) (total int64) {
	for _, size := range sizes {
		total += size
	}
	return total
}
