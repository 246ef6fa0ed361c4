package auth

import (
	"context"
	"errors"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
)

// Verify returns the owner of an API key. It implements [Verifier].
//
// A text that is not an API key is refused without a look at the store. A key that was
// in use shortly before costs no read of its own. All keys together cost a read of the
// store each 250 ms.
func (k *Keys) Verify(ctx context.Context, text string) (Caller, error) {
	key, ok := parseKey(text)
	if !ok {
		return Caller{}, ErrUnknown
	}
	return k.verify(ctx, key)
}

// Known is Verify for a key that this process has found right before, so that it is no guess.
// ok is false for any other, and for a key that is not right any more.
func (k *Keys) Known(ctx context.Context, text string) (c Caller, ok bool) {
	key, ok := parseKey(text)
	// Whether the secret has ended is found out by verify.
	if !ok || !k.known.get(key.id).value.accepts(key.hash, time.Time{}) {
		return Caller{}, false
	}
	c, err := k.verify(ctx, key)
	return c, err == nil
}

// verify is Verify for a credential of a key.
func (k *Keys) verify(ctx context.Context, key credential) (Caller, error) {
	now, err := k.watch.current(ctx)
	if err != nil {
		return Caller{}, err
	}
	found := k.known.get(key.id)
	r := found.value
	if !found.holds(now) || !r.permits(key.hash, now.store) && elapsed(found.process, now.process) >= lookEvery {
		// The key may have a new secret or more time since the last look. Guesses cost a read each 250 ms.
		r, err = readKey(k.store.System(ctx), key.id)
		switch {
		case err == nil:
			k.known.put(key.id, now, r)
		case !errors.Is(err, workspace.ErrNotFound): // one that does not exist has no secrets
			return Caller{}, unavailable(err)
		}
	}
	if !r.permits(key.hash, now.store) {
		return Caller{}, ErrUnknown
	}
	k.used.mark(key.id, now.store)
	return Caller{ID: "key/" + r.ID, Tenant: r.Tenant, Name: r.Name, Key: r.ID, Agents: r.Agents, Scopes: r.Scopes,
		Rate: r.Rate}, nil
}

// Any reports whether the store has a key, even one that was revoked or has expired.
// Once there was a key, there always is one. Errors: [ErrUnavailable].
func (k *Keys) Any(ctx context.Context) (bool, error) {
	if k.any.Load() {
		return true, nil
	}
	if _, err := k.watch.current(ctx); err != nil { // a store that fails is not asked again at once
		return false, err
	}
	found, err := k.store.System(ctx).List(keyPrefix, "", 1)
	if err != nil {
		return false, unavailable(err)
	}
	if len(found) > 0 {
		k.any.Store(true)
	}
	return len(found) > 0, nil
}
