package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A session is the id of its key, _ and 256 random bits in base64url.
const (
	sessionBits   = 32 // bytes
	sessionLength = idLength + 1 + (sessionBits*8+5)/6
)

// newSession draws a session of a key.
func newSession(id string) (text string, c credential) {
	b := make([]byte, sessionBits)
	rand.Read(b)
	return id + "_" + base64.RawURLEncoding.EncodeToString(b), credential{id, sha256.Sum256(b)}
}

// parseSession reports false for a text that newSession never returns.
func parseSession(text string) (c credential, ok bool) {
	if len(text) != sessionLength || text[idLength] != '_' || !isBase62(text[:idLength]) {
		return c, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text[idLength+1:])
	return credential{text[:idLength], sha256.Sum256(b)},
		err == nil && len(b) == sessionBits // which line breaks do not count for
}

// sessionKey returns the key of a session's record. Those of a key are next to each other.
func sessionKey(c credential) string { return sessionsOf(c.id) + hex.EncodeToString(c.hash[:]) }

func sessionsOf(id string) string { return sessionPrefix + id + "/" }

// sessionRecord is what the store has of a session.
type sessionRecord struct {
	Secret  []byte    `json:"secret"` // the SHA-256 of the key's secret
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Ended   bool      `json:"ended,omitzero"` // by sign-out
}

// live reports whether a session has neither ended nor expired. Its key may have.
func (r sessionRecord) live(now time.Time) bool { return !r.Ended && now.Before(r.Expires) }

// secret returns the hash of a secret that no key has if the record has none.
func (r sessionRecord) secret() (hash [sha256.Size]byte) {
	copy(hash[:], r.Secret)
	return hash
}

// decodeSession reads a record. One that cannot be read is of a session that has ended:
// its owner signs in again.
func decodeSession(found workspace.Record) (r sessionRecord) {
	if json.Unmarshal(found.Value, &r) != nil {
		return sessionRecord{}
	}
	return r
}
