package store

import "crypto/sha256"

// Verify returns [ErrCorrupt] if Content does not match Size and SHA256. It returns nil for a
// version with the Number 0 and for a redacted version, which have no hash.
func (v Version) Verify() error {
	if v.Number != 0 && v.Redacted == nil && (sha256.Sum256(v.Content) != v.SHA256 || v.Size != int64(len(v.Content))) {
		return Errorf(ErrCorrupt, "version %d: its bytes do not match their SHA-256", v.Number)
	}
	return nil
}

// Verify returns [ErrCorrupt] if Content does not match SHA256. It returns nil for a redacted
// entry, which has no hash.
func (e Entry) Verify() error {
	if e.Redacted == nil && sha256.Sum256(e.Content) != e.SHA256 {
		return Errorf(ErrCorrupt, "entry %d: its bytes do not match their SHA-256", e.ID)
	}
	return nil
}

// IsIntact reports whether Content matches SHA256.
func (s Summary) IsIntact() bool { return sha256.Sum256(s.Content) == s.SHA256 }
