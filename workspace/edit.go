package workspace

import (
	"bytes"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/lineends"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// EditOptions of [Workspace.EditFile]. The zero value replaces one occurrence
// and sets no condition.
type EditOptions struct {
	All bool // replace all occurrences that do not overlap; not allowed for an append
	// IfVersion is the version that the file must be at, else [ErrConflict]. 0, for an append
	// alone: the file must not exist. nil: any version.
	IfVersion      *int64
	IdempotencyKey string // as in WriteOptions
}

// EditResult says what an edit stored.
type EditResult struct {
	Path         string
	Version      int64
	Bytes        int64 // of the whole new version
	Replacements int64 // 0 for an append

	// LineEnds is "crlf" if old did not occur as it was given, but with \r\n for each \n. Then
	// new was stored with \r\n for \n too. A repeated request is not told.
	LineEnds string

	// Near is the path of a file that may be meant, if the call has created the file; "": none
	// is near. A repeated request is not told.
	Near string

	Secrets *Secrets // as in WriteResult; nil for a repeated request
}

// EditFile replaces old with new in the current version, and stores the result as the next
// version. old must occur exactly once, unless [EditOptions.All] is set. If somebody else
// changes the file meanwhile, EditFile repeats the edit on the new version.
//
// If old does not occur, each \n of old that follows no \r also stands for \r\n; see
// [EditResult].LineEnds. An occurrence that has \r\n for one such \n and \n for another is
// [ErrConflict].
//
// If old is empty, EditFile appends new to the file, and creates the file if there is none.
// An append never joins two lines: if the file does not end with a newline, EditFile adds a
// newline before new.
//
// Errors: [ErrNotFound] if there is no file to replace text in; [ErrConflict] if old does
// not occur or occurs several times, or if the file is not at IfVersion; [ErrTooLarge],
// [ErrQuota].
func (w *Workspace) EditFile(ctx context.Context, path, old, new string, o EditOptions) (EditResult, error) {
	c := w.newMaker(ctx, "edit", path, o.IdempotencyKey)
	c.refuse(checkEdit(old, new, o.All))
	c.expect(o.IfVersion, int64(min(len(old), 1)))
	c.refuse(w.svc.o.Limits.checkText([]byte(new), store.FileBytes))
	all := []byte{0}
	if o.All {
		all[0] = 1
	}
	c.hashArgs([]byte(old), []byte(new), all, conditionBytes(c.ifVersion))
	var e EditResult
	change := func(text []byte) (edited []byte, n int64, err error) {
		e.LineEnds = ""
		old, new := old, new
		switch crlf, mixed := lineends.InCRLF(text, old); {
		case mixed:
			return nil, 0, Errorf(ErrConflict, `%s occurs with both \n and \r\n as line ends; give each as it is `+
				`stored`, store.ArgOld)
		case crlf:
			old, new, e.LineEnds = lineends.ToCRLF(old), lineends.ToCRLF(new), "crlf"
		}
		return replaceText(text, old, new, o.All, w.svc.o.Limits.FileBytes)
	}
	var r run
	err := errMoved
	if len(old)+len(new) <= smallEdit {
		q := store.Query{File: c.path, Current: true, MaxBytes: smallEdit}
		r, err = c.transact(ctx, q, func(r *run) error {
			if r.Version.Number == 0 && r.File.Exists() {
				return errMoved // it is large
			}
			v, err := r.edited(change)
			if err != nil {
				return err
			}
			return r.saveVersion(v, OpEdit, 0)
		})
	}
	if errors.Is(err, errMoved) {
		r, err = c.rewrite(ctx, change)
	}
	if err == nil && r.created {
		e.Near = w.instead(ctx, r.path, KindFile).near
	}
	e.Path, e.Version, e.Bytes, e.Replacements = r.path, r.out.Number, r.out.Bytes, r.out.Count
	e.Secrets = r.secrets
	return e, c.explain(ctx, err)
}

func checkEdit(old, new string, all bool) error {
	switch {
	case old == "" && new == "":
		return Errorf(ErrInvalid, "%s and %s are empty; give %s to append it", store.ArgOld, store.ArgNew, store.ArgNew)
	case old == "" && all:
		return Errorf(ErrInvalid, "%s needs a text to replace, and %s is empty; leave %s out to append", store.ArgAll,
			store.ArgOld, store.ArgAll)
	case !utf8.ValidString(old):
		return Errorf(ErrInvalid, "%s is not valid UTF-8", store.ArgOld)
	case old == new:
		return Errorf(ErrInvalid, "%s and %s are equal", store.ArgOld, store.ArgNew)
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

// An editFunc returns the new text of a file, and the count of what it has replaced.
type editFunc func(text []byte) ([]byte, int64, error)

// edited returns the version that an edit makes of the one that was loaded, or of nothing if
// there is no file.
func (r *run) edited(change editFunc) (v Version, err error) {
	if err = r.Version.Verify(); err != nil {
		return v, err
	}
	text, n, err := change(r.Version.Content)
	if err != nil {
		return v, err
	}
	r.out.Count = n
	return r.w.newVersion(text, r.now), r.checkSecrets(r.w.findSecrets(text))
}

// UpdateFile calls fn with the content of the current version, and stores the content that
// fn returns as the next version. If somebody else changes the file meanwhile, UpdateFile
// calls fn again with the new content. fn may take its time, because no transaction waits for
// it. fn may change its argument. If fn returns an error, UpdateFile stores nothing and
// returns that error unchanged. Errors: [ErrNotFound] if there is no file; [ErrTooLarge],
// [ErrQuota].
func (w *Workspace) UpdateFile(
	ctx context.Context, path string, fn func(content []byte) ([]byte, error),
) (WriteResult, error) {
	c := w.newWrite(ctx, "update", path, "")
	c.exists = true
	var refused error // by fn
	r, err := c.rewrite(ctx, func(text []byte) ([]byte, int64, error) {
		if w.secrets != SecretsOff {
			text = bytes.Clone(text) // the secrets of the version before are looked at afterwards
		}
		if text, refused = fn(text); refused == nil {
			refused = within(c.op, c.object, w.svc.o.Limits.checkText(text, store.FileBytes))
		}
		return bytes.Clone(text), 0, refused
	})
	if refused != nil {
		return WriteResult{}, refused
	}
	return r.written(), c.explain(ctx, err)
}

// rewrite reads the file, makes the new text outside of transactions, and writes if the
// file is still at the version that it has read. Otherwise it starts again.
func (c *write) rewrite(ctx context.Context, change editFunc) (r run, err error) {
	if c.err != nil {
		return run{}, c.err
	}
	for {
		read := run{write: *c}
		read.Loaded, err = c.w.load(ctx, store.Query{File: c.path, Current: true, Request: c.key})
		if err == nil {
			err = read.check()
		}
		var v Version
		if err == nil {
			v, err = read.edited(change)
		}
		repeated := errors.Is(err, errRepeated)
		if err != nil && !repeated {
			return run{}, err
		}
		// A View may show an answer that is not durable yet. An Update waits until it is.
		r, err = c.transact(ctx, store.Query{File: c.path}, func(r *run) error {
			if repeated || r.File.Version != read.File.Version || r.File.Deleted != read.File.Deleted {
				return errMoved
			}
			r.out.Count, r.secrets = read.out.Count, read.secrets
			return r.saveVersion(v, OpEdit, 0)
		})
		if !errors.Is(err, errMoved) {
			return r, err
		}
	}
}
