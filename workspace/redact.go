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
	c := w.newWrite(ctx, "redact", path, "")
	c.deletes = true
	c.expect(nil, 1)
	c.refuse(checkNumber(ArgVersion, version, 1))
	r, err := c.transact(ctx, store.Query{File: c.path, Version: version}, func(r *run) error {
		h := r.File
		switch {
		case !o.Created.IsZero() && !o.Created.Equal(h.Created):
			return errNoFile
		case version == h.Version:
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
		receipt := Redaction{Time: latest(r.now, h.Updated), Author: stored(w.author)} // a clock may be set back
		r.Version = redacted(r.Version, receipt)
		h.Sizes = slices.Clone(h.Sizes)
		h.Sizes[version-h.Oldest()] = 0
		// The journal has the redacted version before the change, and the current one, which stays,
		// after it.
		change := Change{Op: OpRedact, Before: version, After: h.Version}
		if err := r.accountFile(h, &change); err != nil {
			return err
		}
		return r.tx.Apply(store.VersionRedaction{Head: h, Number: version, Redaction: receipt, Change: change,
			Owner: r.Owner})
	})
	return infoOf(r.Version), c.explain(ctx, err)
}

// redacted returns a version with a receipt in place of its content.
func redacted(v Version, r Redaction) Version {
	r.Time = r.Time.UTC().Truncate(time.Microsecond)
	return Version{Number: v.Number, Author: v.Author, Time: v.Time, Project: v.Project, Redacted: &r}
}
