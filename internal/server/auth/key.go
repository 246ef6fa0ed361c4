package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// The limits of a key.
const (
	maxName     = 100 // characters
	maxRate     = 1e6 // calls a second, and calls at once
	maxLifetime = 100 * 365 * 24 * time.Hour
	maxOverlap  = 365 * 24 * time.Hour
	maxSecrets  = 8 // that are valid at the same time
)

// A Key is an API key without its secret. It is also what the store has of a key, as JSON,
// but for ID, Overlap and LastUsed.
type Key struct {
	ID       string    `json:"-"`
	Tenant   string    `json:"tenant"`
	Name     string    `json:"name,omitempty"` // for people
	Agents   Agents    `json:"agents"`
	Scopes   Scopes    `json:"scopes"`
	Rate               // how often its owner may call
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"` // zero: never
	Revoked  time.Time `json:"revoked,omitzero"` // zero: it is not revoked
	Overlap  time.Time `json:"-"`                // an older secret was or is valid too until then; zero: there is none
	LastUsed time.Time `json:"-"`                // about a minute late; set by Show and List; zero: never, or not known
}

// Live reports whether a key can be used at a time of the store's clock.
func (k Key) Live(now time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || now.Before(k.Expires))
}

// A Grant is what a new key may do.
type Grant struct {
	Tenant   string
	Name     string        // for people: at most 100 characters; may be empty
	Agents   Agents        // may be none if the scopes give no access to memory
	Scopes   Scopes        // at least one
	Lifetime time.Duration // 0: the key never expires
	Rate     Rate          // zero: the server's default; a Burst of 0 is four times PerSecond
}

// A Change is what a key may do from now on. A nil field leaves what there is.
type Change struct {
	Name     *string
	Agents   *Agents
	Scopes   *Scopes
	Lifetime *time.Duration // from now; 0: the key never expires
	Rate     *Rate          // zero: the server's default
}

// keyRecord is what the store has of a key.
type keyRecord struct {
	Key
	Secrets []secretRecord `json:"secrets"` // the newest first; none of a revoked key

	revision int64 // 0: it is not read from the store
}

// secretRecord is the hash of a secret.
type secretRecord struct {
	SHA256 []byte    `json:"sha256"`
	Until  time.Time `json:"until,omitzero"` // zero: as long as the key
}

// decodeKey reads a record of the store. Errors: [workspace.ErrCorrupt].
func decodeKey(found workspace.Record) (r keyRecord, err error) {
	id := strings.TrimPrefix(found.Key, keyPrefix)
	if json.Unmarshal(found.Value, &r) != nil || checkTenant(r.Tenant) != nil || r.Scopes == 0 ||
		r.checkAgents() != nil {
		return keyRecord{}, workspace.Errorf(workspace.ErrCorrupt,
			"the record of the key %s cannot be read; use the version of scratchpad that wrote it, or restore a backup",
			id)
	}
	r.ID, r.revision = id, found.Revision
	return r.shown(), nil
}

// shown sets what is not in the store.
func (r keyRecord) shown() keyRecord {
	r.Overlap = time.Time{}
	if len(r.Secrets) > 1 {
		r.Overlap = r.Secrets[1].Until
	}
	return r
}

// permits reports whether the hash is of a secret with which the key can be used.
func (r keyRecord) permits(hash [sha256.Size]byte, now time.Time) bool {
	return r.accepts(hash, now) && r.Live(now)
}

// accepts reports whether the hash is of a secret that is valid.
func (r keyRecord) accepts(hash [sha256.Size]byte, now time.Time) bool {
	return slices.ContainsFunc(r.Secrets, func(s secretRecord) bool {
		return (s.Until.IsZero() || now.Before(s.Until)) && subtle.ConstantTimeCompare(s.SHA256, hash[:]) == 1
	})
}

// ends returns when a secret of the key is to end, the zero time if that is when the key
// does.
func (r keyRecord) ends(hash [sha256.Size]byte) (until time.Time) {
	for _, s := range r.Secrets {
		if subtle.ConstantTimeCompare(s.SHA256, hash[:]) == 1 {
			until = s.Until
		}
	}
	return until
}

// rotate puts a secret in front. The older ones end after the overlap, or earlier if
// they were to.
func (r *keyRecord) rotate(hash [sha256.Size]byte, now time.Time, overlap time.Duration) error {
	secrets, end := []secretRecord{{SHA256: hash[:]}}, now.Add(overlap)
	for _, s := range r.Secrets {
		if s.Until.IsZero() || end.Before(s.Until) {
			s.Until = end
		}
		if now.Before(s.Until) {
			secrets = append(secrets, s)
		}
	}
	if len(secrets) > maxSecrets {
		return invalid("%d older secrets of the key are still valid; give a shorter overlap, such as 0", len(secrets)-1)
	}
	r.Secrets = secrets
	return nil
}

// apply makes a change.
func (k *Key) apply(c Change, now time.Time) (err error) {
	if c.Name != nil {
		k.Name = *c.Name
	}
	if c.Agents != nil {
		k.Agents = *c.Agents
	}
	if c.Scopes != nil {
		k.Scopes = *c.Scopes
	}
	if c.Rate != nil {
		k.Rate = *c.Rate
	}
	if c.Lifetime != nil {
		if k.Expires, err = expiry(now, *c.Lifetime); err != nil {
			return err
		}
	}
	return k.complete()
}

// complete checks what a key may do, and sets its burst. Errors: [workspace.ErrInvalid].
func (k *Key) complete() error {
	if err := checkTenant(k.Tenant); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(k.Name); n > maxName {
		return invalid("the name of the key has %d characters, limit %d; use a shorter one", n, maxName)
	}
	if !utf8.ValidString(k.Name) || strings.ContainsFunc(k.Name, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return invalid("the name of the key has characters that do not show; leave them out")
	}
	if k.Scopes == 0 || k.Scopes&^(Read|Write|Admin|Metrics) != 0 {
		return invalid("no scope, or one that does not exist; give some of %s", strings.Join(scopeNames, ", "))
	}
	if err := k.checkAgents(); err != nil {
		return err
	}
	if err := k.Rate.check(); err != nil {
		return err
	}
	if k.PerSecond > 0 && k.Burst == 0 {
		k.Burst = int(min(maxRate, math.Ceil(4*k.PerSecond)))
	}
	return nil
}

func (k Key) checkAgents() error {
	if len(k.Agents.patterns) == 0 && k.Scopes&(Read|Write) != 0 {
		return invalid("a key with scope read or write needs agents; give names, a prefix such as team-a-*, or *")
	}
	return nil
}

func (r Rate) check() error {
	switch {
	case r == Rate{}:
		return nil
	case !(r.PerSecond > 0 && r.PerSecond <= maxRate): // nor NaN
		return invalid("a rate of %g calls a second; give more than 0 and at most %.0f", r.PerSecond, maxRate)
	case r.Burst < 0 || r.Burst > maxRate:
		return invalid("a burst of %d calls; give 0-%.0f", r.Burst, maxRate)
	}
	return nil
}

func expiry(now time.Time, lifetime time.Duration) (time.Time, error) {
	switch {
	case lifetime == 0:
		return time.Time{}, nil
	case lifetime < 0 || lifetime > maxLifetime:
		return time.Time{}, invalid("the key would be valid for %v; give a time above 0 and up to 100 years, or 0 "+
			"for a "+
			"key that never expires", lifetime)
	}
	return now.Add(lifetime), nil
}

func checkTenant(name string) error {
	if _, err := workspace.ParseAgentID(name); err != nil {
		return invalid("the tenant %.40q is not 1-128 of a-z A-Z 0-9 _ -; use such a name", name)
	}
	return nil
}

// checkID does not repeat the id: people give a whole key by mistake.
func checkID(id string) error {
	if len(id) != idLength || !isBase62(id) {
		return invalid("the id of a key has %d letters and digits: those between sp_ and the next _", idLength)
	}
	return nil
}
