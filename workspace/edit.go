package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// EditOptions of [Workspace.EditFile]. The zero value replaces one occurrence
// and sets no condition.
type EditOptions struct {
	All bool // replace all occurrences that do not overlap; not for an append
	// IfVersion is the version that the file must be at, else [ErrConflict]. For an append 0:
	// there must be no file. nil: any version.
	IfVersion      *int64
	IdempotencyKey string // as in WriteOptions
}

// EditResult says what an edit stored.
type EditResult struct {
	Path         string
	Version      int64
	Bytes        int64 // of the whole new version
	Replacements int64 // 0 for an append
}

// EditFile replaces old by new in the current version, and stores the result as the next
// version. old must occur exactly once, unless [EditOptions.All] is set. If somebody else
// changes the file meanwhile, the edit is made again on the new version.
//
// If old is empty, EditFile appends new at the end. It makes the file if there is none. It
// never joins two lines: if the file does not end with a newline, one is put between.
//
// Errors: [ErrNotFound] if there is no file to replace text in; [ErrConflict] if old does
// not occur, or occurs several times; [ErrTooLarge], [ErrQuota].
func (w *Workspace) EditFile(ctx context.Context, path, old, new string, o EditOptions) (EditResult, error) {
	const op = "edit"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return EditResult{}, err
	}
	o.IfVersion = cloned(o.IfVersion)
	if err := checkEdit(path, old, new, o); err != nil {
		return EditResult{}, err
	}
	if err := w.svc.limits.checkText(op, path, []byte(new), FileSize); err != nil {
		return EditResult{}, err
	}
	all := []byte{0}
	if o.All {
		all[0] = 1
	}
	a, err := w.newAttempt(op, p.name, o.IdempotencyKey, []byte(old), []byte(new), all, conditionBytes(o.IfVersion))
	if err != nil {
		return EditResult{}, err
	}
	change := func(text []byte) ([]byte, int64, error) {
		return replaceText(text, old, new, o.All, w.svc.limits.FileBytes)
	}
	q := store.Query{File: p.name, Current: true, MaxBytes: smallEdit}
	out, err := w.commit(ctx, a, q, func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
		text, err := smallText(l, old == "", o.IfVersion)
		if err != nil || !isQuickEdit(text, old, new, o.All, smallEdit) {
			return store.Outcome{}, cmp.Or(err, errMoved)
		}
		text, n, err := change(text)
		if err != nil {
			return store.Outcome{}, err
		}
		return w.saveVersion(tx, a, l.File, l.Owner, w.newVersion(text, a.now), OpEdit, n)
	})
	if errors.Is(err, errMoved) {
		out, err = w.rewrite(ctx, p, old == "", o.IfVersion, a, change)
	}
	if err != nil {
		return EditResult{}, within(op, path, w.withNearest(ctx, p, err))
	}
	return EditResult{Path: p.name, Version: out.Number, Bytes: out.Bytes, Replacements: out.Count}, nil
}

func checkEdit(path, old, new string, o EditOptions) error {
	least := int64(1)
	if old == "" {
		least = 0
	}
	switch {
	case old == "" && new == "":
		return fail(ErrInvalid, "edit", path, "%s and %s are empty; give %s to append it", ArgOld, ArgNew, ArgNew)
	case old == "" && o.All:
		return fail(ErrInvalid, "edit", path, "%s needs a text to replace, and %s is empty; leave %s out to append",
			ArgAll, ArgOld, ArgAll)
	case !utf8.ValidString(old):
		return fail(ErrInvalid, "edit", path, "%s is not valid UTF-8", ArgOld)
	case old == new:
		return fail(ErrInvalid, "edit", path, "%s and %s are equal", ArgOld, ArgNew)
	case o.IfVersion != nil:
		return checkNumber("edit", path, ArgIfVersion, *o.IfVersion, least)
	}
	return nil
}

var errNoFile = Errorf(ErrNotFound, "there is no such file")

// errMoved says that the file was changed between reading and writing, or that it must be
// read in a transaction of its own.
var errMoved = errors.New("moved")

// smallEdit is the size in bytes up to which a file is read, edited and written in one
// transaction. Other writes wait for it.
const smallEdit = 16 << 10

// smallText returns the text of a file for an edit. The error is errMoved for a large file.
func smallText(l store.Loaded, appends bool, ifVersion *int64) ([]byte, error) {
	if err := checkEdited(l.File, appends, ifVersion); err != nil || !l.File.Exists() {
		return nil, err
	}
	if l.Version.Number == 0 {
		return nil, errMoved
	}
	return l.Version.Content, l.Version.Verify()
}

// checkEdited refuses an edit for what is at the path.
func checkEdited(head FileHead, appends bool, ifVersion *int64) error {
	if !head.Exists() && !appends {
		return errNoFile
	}
	return checkCondition(head, ifVersion)
}

// UpdateOptions of [Workspace.UpdateFile]. The zero value sets no condition.
type UpdateOptions struct {
	IfVersion *int64 // the version that the file must be at, else ErrConflict; nil: any
}

// UpdateFile stores what fn makes of the current version as the next version. If somebody
// else changes the file meanwhile, it calls fn again with the new version. fn runs outside
// of transactions, owns its argument, and may refuse: UpdateFile returns its error as it is.
// Errors: [ErrNotFound] if there is no file; [ErrConflict], [ErrTooLarge], [ErrQuota].
func (w *Workspace) UpdateFile(ctx context.Context, path string, fn func(content []byte) ([]byte, error),
	o UpdateOptions) (WriteResult, error) {
	const op = "update"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return WriteResult{}, err
	}
	o.IfVersion = cloned(o.IfVersion)
	if o.IfVersion != nil {
		if err := checkNumber(op, path, ArgIfVersion, *o.IfVersion, 1); err != nil {
			return WriteResult{}, err
		}
	}
	a, err := w.newAttempt(op, p.name, "")
	if err != nil {
		return WriteResult{}, err
	}
	var refused error // by fn
	out, err := w.rewrite(ctx, p, false, o.IfVersion, a, func(text []byte) ([]byte, int64, error) {
		if text, refused = fn(text); refused == nil {
			refused = w.svc.limits.checkText(op, path, text, FileSize)
		}
		return bytes.Clone(text), 0, refused
	})
	switch {
	case refused != nil:
		return WriteResult{}, refused
	case err != nil:
		return WriteResult{}, within(op, path, w.withNearest(ctx, p, err))
	}
	return WriteResult{Path: p.name, Version: out.Number, Bytes: out.Bytes, Time: a.made}, nil
}

// rewrite reads the file, makes the new text outside of transactions, and writes if the
// file is still at the version that it has read. Otherwise it starts again. change returns
// the new text and the count for the outcome. If the file need not exist, appends is true.
func (w *Workspace) rewrite(ctx context.Context, p Path, appends bool, ifVersion *int64, a *attempt,
	change func([]byte) ([]byte, int64, error)) (store.Outcome, error) {
	for {
		read, err := w.readForEdit(ctx, p, appends, ifVersion, a)
		if errors.Is(err, errRepeated) {
			// A View may show what is not durable yet. An Update waits until it is.
			out, err := w.commit(ctx, a, store.Query{}, func(store.Tx, store.Loaded) (store.Outcome, error) {
				return store.Outcome{}, errMoved
			})
			if errors.Is(err, errMoved) { // the request has expired meanwhile
				continue
			}
			return out, err
		}
		if err != nil {
			return store.Outcome{}, err
		}
		text, n, err := change(read.Content)
		if err != nil {
			return store.Outcome{}, err
		}
		v := w.newVersion(text, a.now)
		q := store.Query{File: p.name}
		out, err := w.commit(ctx, a, q, func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
			if l.File.Exists() != (read.Number > 0) || l.File.Exists() && l.File.Version != read.Number {
				return store.Outcome{}, errMoved
			}
			return w.saveVersion(tx, a, l.File, l.Owner, v, OpEdit, n)
		})
		if !errors.Is(err, errMoved) {
			return out, err
		}
	}
}

// readForEdit returns the current version of a file. If there is none, it returns the zero
// Version for an append. The error is errRepeated for a request that was answered before.
func (w *Workspace) readForEdit(
	ctx context.Context, p Path, appends bool, ifVersion *int64, a *attempt,
) (Version, error) {
	l, err := w.load(ctx, store.Query{File: p.name, Current: true, Request: a.key})
	if err == nil {
		_, err = a.answered(l.Request)
	}
	if err == nil {
		err = checkEdited(l.File, appends, ifVersion)
	}
	if err != nil {
		return Version{}, err
	}
	return l.Version, l.Version.Verify()
}
