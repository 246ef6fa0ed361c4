package workspace

import (
	"context"
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// RedactOptions of [Workspace.RedactVersion]. The zero value sets no condition.
type RedactOptions struct {
	// Created is the time of creation that the file must have, else [ErrNotFound]. Zero: any file
	// at the path.
	Created time.Time
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
func (w *Workspace) RedactVersion(
	ctx context.Context, path string, version int64, o RedactOptions,
) (VersionInfo, error) {
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
	_, err = w.commit(ctx, a, store.Query{File: p.name, Version: version},
		func(tx store.Tx, l store.Loaded) (store.Outcome, error) {
			v = l.Version
			if !l.File.Exists() || !o.Created.IsZero() && !o.Created.Equal(l.File.Created) {
				return store.Outcome{}, errNoFile
			}
			if err := checkRedaction(l.File, v, version); err != nil {
				return store.Outcome{}, err
			}
			if v.Redacted != nil {
				return store.Outcome{}, errRepeated
			}
			if l.Owner == (store.OwnerState{}) {
				return store.Outcome{}, errNoOwner
			}
			r := redactionOf(l.File, version, Redaction{Time: a.now, Author: stored(w.author)}, l.Owner)
			v = redacted(v, r.Redaction)
			if err := w.settleDeletion(tx, a, l.Owner, &r.Owner, store.Outcome{}, &r.Change); err != nil {
				return store.Outcome{}, err
			}
			return store.Outcome{}, tx.Apply(r)
		})
	if err != nil {
		return VersionInfo{}, within(op, path, w.withNearest(ctx, p, err))
	}
	return infoOf(v), nil
}

// checkRedaction refuses to redact version n of a file. v is what was loaded for it.
func checkRedaction(h FileHead, v Version, n int64) error {
	if n == h.Version {
		return Errorf(ErrConflict, "version %d is the current one; write a new version first, then redact version %d",
			n, n)
	}
	return fault.Kept(h, v, n)
}

// redactionOf returns what is to be stored for the redaction of version n, with the owner's state
// after it. The journal's row has the redacted version before the change, and the current
// one, which stays, after it. The caller settles the state and numbers the row.
func redactionOf(h FileHead, n int64, r Redaction, state store.OwnerState) store.VersionRedaction {
	if r.Time.Before(h.Updated) {
		r.Time = h.Updated // a clock was set back
	}
	h.Sizes = slices.Clone(h.Sizes)
	size := &h.Sizes[n-h.Oldest()]
	state.Bytes -= *size
	*size = 0
	return store.VersionRedaction{
		Head: h, Number: n, Redaction: r, Owner: state,
		Change: Change{Op: OpRedact, Kind: KindFile, Path: h.Path, Before: n, After: h.Version, Time: r.Time},
	}
}

// redacted returns a version with a receipt in place of its content.
func redacted(v Version, r Redaction) Version {
	r.Time = r.Time.UTC().Truncate(time.Microsecond)
	return Version{Number: v.Number, Author: v.Author, Time: v.Time, Redacted: &r}
}
