package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	maxKnown = 8192            // keys, tenants and refused credentials that a process remembers, of each
	cacheAge = 5 * time.Minute // what is older is read again even if nothing says that it has changed
)

// A read says when something was read.
type read struct {
	generation int64 // of the look before it
	at         time.Time
}

// holds reports whether nothing has changed since.
func (r read) holds(l look, now time.Time) bool {
	return !r.at.IsZero() && r.generation == l.generation && elapsed(r.at, now) < cacheAge
}

type knownKey struct {
	read
	record keyRecord
	caller Caller
}

// A refusal is a credential that was refused.
type refusal struct {
	id   string
	hash [sha256.Size]byte
}

// Verify returns the owner of an API key. It implements [Verifier].
//
// A text that is not an API key is refused without a look at the store. A key that was
// in use shortly before costs no read of its own. All keys together cost a read of the
// store each 250 ms.
func (k *Keys) Verify(ctx context.Context, credential string) (Caller, error) {
	id, hash, ok := parseKey(credential)
	if !ok {
		return Caller{}, ErrUnknown
	}
	c, err := k.verify(ctx, id, hash)
	if errors.Is(err, ErrUnknown) {
		k.noteGuess(id)
	}
	return c, err
}

// Known is Verify for a key that this process has found right before, so that it is no guess.
// ok is false for any other, and for a key that is not right any more.
func (k *Keys) Known(ctx context.Context, credential string) (c Caller, ok bool) {
	id, hash, ok := parseKey(credential)
	if !ok {
		return Caller{}, false
	}
	k.mu.Lock()
	found, _ := k.known.Get(id)
	k.mu.Unlock()
	if !found.record.accepts(hash, time.Time{}) { // whether it has ended is found out below
		return Caller{}, false
	}
	c, err := k.verify(ctx, id, hash)
	return c, err == nil
}

// verify is Verify for the hash of a secret.
func (k *Keys) verify(ctx context.Context, id string, hash [sha256.Size]byte) (Caller, error) {
	l, err := k.watch.current(ctx)
	if err != nil {
		return Caller{}, err
	}
	process := k.watch.now()
	now := l.now(process)
	found, refused := k.remembered(refusal{id, hash}, l, process)
	if refused {
		return Caller{}, ErrUnknown
	}
	if !found.permits(hash, now) && !k.isGuessed(id, found, process) {
		// The key may have a new secret or more time since the last look.
		if found, err = k.fetch(ctx, id, read{l.generation, process}); err != nil {
			return Caller{}, err
		}
	}
	if !found.permits(hash, now) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.refused.Put(refusal{id, hash}, found.read)
		return Caller{}, ErrUnknown
	}
	k.used.mark(id, now)
	return found.caller, nil
}

// noteGuess counts a wrong secret of a key that exists.
func (k *Keys) noteGuess(id string) {
	k.mu.Lock()
	_, exists := k.known.Get(id)
	k.mu.Unlock()
	if exists {
		k.guesses.add(id)
	}
}

// isGuessed reports whether too many wrong secrets of a key have come, and the key was read
// a moment ago. What has changed since is seen with the next look.
func (k *Keys) isGuessed(id string, found knownKey, process time.Time) bool {
	return elapsed(found.at, process) < lookEvery && k.guesses.isOver(id)
}

// permits reports whether a secret is one of the key. It takes the same time if there is
// no such key.
func (k knownKey) permits(hash [sha256.Size]byte, now time.Time) bool {
	same := k.record.accepts(hash, now)
	return same && k.record.Revoked.IsZero() && (k.record.Expires.IsZero() || now.Before(k.record.Expires))
}

// remembered returns what is known of a key, the zero value if nothing is.
func (k *Keys) remembered(r refusal, l look, now time.Time) (found knownKey, refused bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, ok := k.refused.Get(r); ok && before.holds(l, now) {
		return knownKey{}, true
	}
	if found, ok := k.known.Get(r.id); ok && found.holds(l, now) {
		return found, false
	}
	return knownKey{}, false
}

// fetch reads a key, and remembers it if there is one. A key that does not exist has no
// secrets.
func (k *Keys) fetch(ctx context.Context, id string, begun read) (found knownKey, err error) {
	_, record, key, err := readKey(k.store.System(ctx), id)
	found.read = begun
	if errors.Is(err, workspace.ErrNotFound) {
		return found, nil
	}
	if err != nil {
		return found, unavailable(err)
	}
	found.record = record
	found.caller = Caller{ID: "key/" + id, Tenant: key.Tenant, Name: key.Name, Key: id, Agents: key.Agents, Scopes: key.Scopes, Rate: key.Rate}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known.Put(id, found)
	return found, nil
}

// Any reports whether the store has a key, even one that was revoked or has expired.
// Once there was a key, there always is one. Errors: [ErrUnavailable].
func (k *Keys) Any(ctx context.Context) (bool, error) {
	k.mu.Lock()
	known, none := k.any, k.none
	k.mu.Unlock()
	if known {
		return true, nil
	}
	l, err := k.watch.current(ctx)
	if err != nil {
		return false, err
	}
	now := k.watch.now()
	if none.holds(l, now) {
		return false, nil
	}
	found, err := k.store.System(ctx).List(keyPrefix, "", 1)
	if err != nil {
		return false, unavailable(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.any, k.none = k.any || len(found) > 0, read{l.generation, now}
	return k.any, nil
}
