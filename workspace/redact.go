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
	// Created is the time of creation that the file of the version must have, else the error is
	// [ErrNotFound]. Zero: any file at the path.
	Created time.Time
}

// RedactVersion removes the content of a version for good, such as a secret that should
// never have been written. The version keeps its number, author and time. A receipt replaces
// the content, its size and its SHA-256. The receipt stays as long as the version is retained.
// The journal of changes gets an [OpRedact]. Redacting a version again returns the same receipt
// and stores nothing. No limit refuses a redaction, and a version of an archived agent can be
// redacted too.
//
// The current version cannot be redacted: see [Workspace.RedactFile]. All retained versions of a
// deleted file can. A redacted version cannot be restored. Redaction does not
// change other versions with the same text, nor copies elsewhere, such as backups and exports.
// The hashes of requests with an idempotency key stay for 24 hours. Each is a hash of a whole
// request, and not of the content alone.
//
// Errors: [ErrNotFound] if there is no such file, or the version is not retained;
// [ErrConflict] for the current version.
func (w *Workspace) RedactVersion(
	ctx context.Context, path string, version int64, o RedactOptions,
) (VersionInfo, error) {
	c := w.newWrite(ctx, "redact", path, "")
	c.deletes = true
	c.refuse(checkNumber(store.ArgVersion, version, 1))
	r, err := c.transact(ctx, store.Query{File: c.path, Version: version}, func(r *run) error {
		h := r.File
		switch {
		case !readable(h, r.now), !o.Created.IsZero() && !o.Created.Equal(h.CreatedOf(version)):
			return errNoFile
		case version == h.Version && h.Exists():
			return Errorf(ErrConflict, "version %d is the current one; write a new version first, then redact "+
				"version %d", version, version)
		}
		if err := fault.Kept(h, r.Version, version); err != nil {
			return err
		}
		if r.Version.Redacted != nil {
			return errRepeated
		}
		if err := r.checkOutside(); err != nil {
			return err
		}
		return r.redactVersion()
	})
	return infoOf(r.File, r.Version), c.explain(ctx, err)
}

// redactVersion redacts the version that was loaded, which is not the current one.
func (r *run) redactVersion() error {
	h, version := r.File, r.Version.Number
	receipt := Redaction{Time: latest(r.now, h.Updated), Author: stored(r.w.author)} // a clock may be set back
	r.Version = redacted(r.Version, receipt)
	h.Sizes = slices.Clone(h.Sizes)
	h.Sizes[h.Index(version)] = 0
	// The journal has the redacted version before the change, and the current one, which stays,
	// after it.
	change := Change{Op: OpRedact, Before: version}
	if h.Exists() {
		change.After = h.Version
	}
	if err := r.accountFile(h, &change); err != nil {
		return err
	}
	return r.tx.Apply(store.VersionRedaction{Head: h, Number: version, Redaction: receipt, Change: change,
		Owner: r.Owner})
}

// redacted returns a version with a receipt in place of its content.
func redacted(v Version, r Redaction) Version {
	r.Time = r.Time.UTC().Truncate(time.Microsecond)
	return Version{Number: v.Number, Author: v.Author, Time: v.Time, Project: v.Project, Redacted: &r}
}
