package workspace

import (
	"context"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/redaction"
)

// RedactOptions of [Workspace.RedactVersion]. The zero value sets no condition.
type RedactOptions struct {
	Created time.Time // the file must be the one of this time of creation, else [ErrNotFound]; zero: any file at the path
}

// RedactVersion removes the content of a version for good, such as a secret that should
// never have been written. The version keeps its number, author and time. A receipt takes
// the place of its content, its size and its SHA-256, for as long as the version is
// retained. The journal gets an [OpRedact]. To redact a version again returns the same
// receipt and stores nothing. Neither a quota nor a full store refuses a redaction.
//
// The current version cannot be redacted: write a new version first. Later versions that
// have the same text keep it, and so do copies elsewhere, such as backups and exports. The
// hashes of requests with an idempotency key stay for their 24 hours; they are of the whole
// request and not of the content alone.
//
// Errors: [ErrNotFound] if there is no such file or the version is not retained;
// [ErrConflict] for the current version.
func (w *Workspace) RedactVersion(ctx context.Context, path string, version int64, o RedactOptions) (VersionInfo, error) {
	const op = "redact"
	p, err := w.start(ctx, op, path)
	if err != nil {
		return VersionInfo{}, err
	}
	if err := checkNumber(op, path, ArgVersion, version, 1); err != nil {
		return VersionInfo{}, err
	}
	a, err := w.newAttempt(op, p.name, "")
	if err != nil {
		return VersionInfo{}, err
	}
	a.deletes = true
	var v Version
	_, err = w.commit(ctx, a, Query{File: p.name, Version: version}, func(tx Tx, l Loaded) (Outcome, error) {
		v = l.Version
		if !l.File.Exists() || !o.Created.IsZero() && !o.Created.Equal(l.File.Created) {
			return Outcome{}, errNoFile
		}
		if err := redaction.Check(l.File, v, version); err != nil {
			return Outcome{}, err
		}
		if v.Redacted != nil {
			return Outcome{}, errRepeated
		}
		if l.Owner == (OwnerState{}) {
			return Outcome{}, errNoOwner
		}
		r := redaction.Of(l.File, version, Redaction{Time: a.now, Author: stored(w.author)}, l.Owner)
		v = redaction.Version(v, r.Redaction)
		if err := w.settleDeletion(tx, a, l.Owner, &r.Owner, Outcome{}, &r.Change); err != nil {
			return Outcome{}, err
		}
		return Outcome{}, tx.RedactVersion(r)
	})
	if err != nil {
		return VersionInfo{}, within(op, path, w.withNearest(ctx, p, err))
	}
	return infoOf(v), nil
}
