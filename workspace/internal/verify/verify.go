// Package verify compares what a store returns with its hash.
package verify

import (
	"crypto/sha256"

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
