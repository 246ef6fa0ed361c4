// Package redaction has the rules of removing the content of one version of a file.
package redaction

import (
	"slices"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/condition"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Check refuses to redact version n of a file. v is what was loaded for it.
func Check(h store.FileHead, v store.Version, n int64) error {
	if n == h.Version {
		return store.Errorf(store.ErrConflict, "version %d is the current one; write a new version first, then redact version %d", n, n)
	}
	return condition.Kept(h, v, n)
}

// Of returns what is to be stored for the redaction of version n, with the owner's state
// after it. The journal's row has the redacted version before the change, and the current
// one, which stays, after it. The caller settles the state and numbers the row.
func Of(h store.FileHead, n int64, r store.Redaction, state store.OwnerState) store.VersionRedaction {
	if r.Time.Before(h.Updated) {
		r.Time = h.Updated // a clock was set back
	}
	h.Sizes = slices.Clone(h.Sizes)
	size := &h.Sizes[n-h.Oldest()]
	state.Bytes -= *size
	*size = 0
	return store.VersionRedaction{
		Head: h, Number: n, Redaction: r, Owner: state,
		Change: store.Change{Op: store.OpRedact, Kind: store.KindFile, Path: h.Path, Before: n, After: h.Version, Time: r.Time},
	}
}

// Version returns a version with a receipt in place of its content.
func Version(v store.Version, r store.Redaction) store.Version {
	r.Time = r.Time.UTC().Truncate(time.Microsecond)
	return store.Version{Number: v.Number, Author: v.Author, Time: v.Time, Redacted: &r}
}
