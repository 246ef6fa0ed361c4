// Package verify checks what a store returns: whether a version is kept, whether an entry is
// missing, and whether content is what was written.
package verify

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// Version returns [store.ErrCorrupt] if the content of a version is not what was written.
// The zero Version has no hash, and one that is redacted has none any more.
func Version(v store.Version) error {
	if v.Number != 0 && v.Redacted == nil && (sha256.Sum256(v.Content) != v.SHA256 || v.Size != int64(len(v.Content))) {
		return store.Errorf(store.ErrCorrupt, "version %d: its bytes do not match their SHA-256", v.Number)
	}
	return nil
}

// Entry returns [store.ErrCorrupt] if the content of an entry is not what was written.
func Entry(e store.Entry) error {
	if sha256.Sum256(e.Content) != e.SHA256 {
		return store.Errorf(store.ErrCorrupt, "entry %d: its bytes do not match their SHA-256", e.ID)
	}
	return nil
}

// IsIntact reports whether the content of a summary is what was written.
func IsIntact(s store.Summary) bool { return sha256.Sum256(s.Content) == s.SHA256 }

// Readable refuses a version that is not retained, or is redacted. v is what was loaded for
// it.
func Readable(h store.FileHead, v store.Version, n int64) error {
	if err := Kept(h, v, n); err != nil || v.Redacted == nil {
		return err
	}
	at := v.Redacted.Time.UTC().Format(time.RFC3339)
	return fault.Or(store.Errorf(store.ErrNotFound, "version %d was redacted at %s, its content is gone for good", n,
		at), store.DoUseVersion, h.Version)
}

// Kept refuses a version that is not retained. v is what was loaded for it.
func Kept(h store.FileHead, v store.Version, n int64) error {
	if v.Number == n {
		return nil
	}
	kept := fmt.Sprintf("versions %d to %d are", h.Oldest(), h.Version)
	if h.Oldest() == h.Version {
		kept = fmt.Sprintf("only version %d is", h.Version)
	}
	return fault.Or(store.Errorf(store.ErrNotFound, "version %d is not kept, %s", n, kept), store.DoUseVersion,
		h.Version)
}
