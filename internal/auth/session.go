package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// A session is the id of its key, _ and 256 random bits in base64url.
const (
	sessionBits   = 32 // bytes
	sessionLength = idLength + 1 + (sessionBits*8+5)/6
)

// sessionName says which session a text is of. It does not give the text back.
type sessionName struct {
	key  string // the id of the key
	hash [sha256.Size]byte
}

// newSession draws a session of a key.
func newSession(id string) (text string, name sessionName) {
	b := make([]byte, sessionBits)
	rand.Read(b)
	text = id + "_" + base64.RawURLEncoding.EncodeToString(b)
	return text, sessionName{id, sha256.Sum256(b)}
}

// parseSession reports false for a text that newSession never returns.
func parseSession(text string) (name sessionName, ok bool) {
	if len(text) != sessionLength || text[idLength] != '_' || !isBase62(text[:idLength]) {
		return name, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text[idLength+1:])
	return sessionName{text[:idLength], sha256.Sum256(b)}, err == nil && len(b) == sessionBits // which line breaks do not count for
}

// record returns the key of the session's record. Those of a key are next to each other.
func (n sessionName) record() string { return sessionsOf(n.key) + hex.EncodeToString(n.hash[:]) }

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

// A storedSession is a record with what it is of.
type storedSession struct {
	workspace.Record
	id      string // of the key
	session sessionRecord
}

// decodeSession reads a record. One that cannot be read is of a session that has ended:
// its owner signs in again.
func decodeSession(r workspace.Record) storedSession {
	s := storedSession{Record: r}
	s.id, _, _ = strings.Cut(strings.TrimPrefix(r.Key, sessionPrefix), "/")
	if json.Unmarshal(r.Value, &s.session) != nil {
		s.session = sessionRecord{}
	}
	return s
}

// older orders sessions by how soon they can be spared: those that are over first, then
// by age.
func older(now time.Time) func(a, b storedSession) int {
	return func(a, b storedSession) int {
		switch over, other := !a.session.live(now), !b.session.live(now); {
		case over != other && over:
			return -1
		case over != other:
			return 1
		}
		return a.session.Created.Compare(b.session.Created)
	}
}
