package store

import "crypto/sha256"

// Verify returns [ErrCorrupt] if the content of a version is not what was written.
// The zero Version has no hash, and one that is redacted has none any more.
func (v Version) Verify() error {
	if v.Number != 0 && v.Redacted == nil && (sha256.Sum256(v.Content) != v.SHA256 || v.Size != int64(len(v.Content))) {
		return Errorf(ErrCorrupt, "version %d: its bytes do not match their SHA-256", v.Number)
	}
	return nil
}

// Verify returns [ErrCorrupt] if the content of an entry is not what was written.
func (e Entry) Verify() error {
	if sha256.Sum256(e.Content) != e.SHA256 {
		return Errorf(ErrCorrupt, "entry %d: its bytes do not match their SHA-256", e.ID)
	}
	return nil
}

// IsIntact reports whether the content of a summary is what was written.
func (s Summary) IsIntact() bool { return sha256.Sum256(s.Content) == s.SHA256 }
