package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	keyPrefix = "auth/key/" // and the id
	deadAge   = 30 * 24 * time.Hour
	maxDead   = 1000 // keys of a tenant that are revoked or expired
	maxSweep  = 10   // keys that one Create removes
)

// Keys are the API keys of an installation. They are records of its store, so all
// processes have the same. Keys are safe for concurrent use.
//
// A change holds in this process at once, and in every other process within a second
// after the method has returned: for calls of Verify, Any and Limits that begin later.
// If the process is killed during a change, the change may be stored, and then the
// others notice it within five minutes, or with the next change.
//
// A change that returns [workspace.ErrOutcomeUnknown] may be stored or not. It can be
// repeated.
type Keys struct {
	store   workspace.Store
	watch   *watch
	used    *lastUse
	tenants Tenants
	people  *Sessions
	log     *slog.Logger

	known *cache[string, keyRecord] // by the id of the key
	any   atomic.Bool               // there is a key; keys never become none again
}

// Options are the options of [NewKeys].
type Options struct {
	// Now is the clock of the process, which measures how old a thing is. Expiry is by
	// the store's clock. nil: [time.Now].
	Now func() time.Time

	// Logger is told who made, rotated, revoked or changed which key. nil: nobody is.
	Logger *slog.Logger

	// Limits are those of a tenant for which nothing else was set. A limit of 0 is that of
	// [workspace.DefaultStoreLimits], a negative one is none.
	Limits workspace.StoreLimits
}

// NewKeys returns the keys of a store. The caller closes them before the store. It
// reads nothing.
func NewKeys(store workspace.Store, o Options) *Keys {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	d := workspace.DefaultStoreLimits()
	o.Limits = workspace.StoreLimits{Agents: cmp.Or(o.Limits.Agents, d.Agents), Bytes: cmp.Or(o.Limits.Bytes, d.Bytes)}
	w := &watch{store: store, now: o.Now}
	k := &Keys{
		store: store, watch: w, log: o.Logger, used: &lastUse{store: store},
		tenants: Tenants{store: store, watch: w, defaults: o.Limits, known: newCache[string, TenantLimits]()},
		known:   newCache[string, keyRecord](),
	}
	k.people = &Sessions{keys: k, known: newCache[credential, sessionRecord]()}
	return k
}

// Tenants returns the tenants of the store.
func (k *Keys) Tenants() *Tenants { return &k.tenants }

// Sessions returns the sessions of people who have signed in with a key.
func (k *Keys) Sessions() *Sessions { return k.people }

// Close writes down when keys were used last. Verify, Any and Limits then fail with
// [ErrUnavailable], and so do sessions. Errors: those of the store.
func (k *Keys) Close(ctx context.Context) error {
	k.watch.close()
	return k.used.close(ctx)
}

// Create makes a key. It returns the text of the key, which cannot be had again. Errors:
// [workspace.ErrInvalid], [workspace.ErrQuota] and those of the store.
//
// The limit of keys is exact: keys that are created at the same time never exceed it.
// When there is room for a last one, all of them may be refused. Create also removes
// keys of the tenant that were revoked or have expired, after 30 days or if there are
// more than 1,000 of them, but never the last one.
func (k *Keys) Create(ctx context.Context, g Grant) (key Key, text string, err error) {
	system := k.store.System(ctx)
	now, err := system.Now()
	if err != nil {
		return Key{}, "", err
	}
	key = Key{Tenant: g.Tenant, Name: g.Name, Agents: g.Agents, Scopes: g.Scopes, Rate: g.Rate, Created: now}
	if key.Expires, err = expiry(now, g.Lifetime); err != nil {
		return Key{}, "", err
	}
	if err := key.complete(); err != nil {
		return Key{}, "", err
	}
	if err := makeRoom(system, g.Tenant, now); err != nil {
		return Key{}, "", err
	}
	if err := register(system, g.Tenant); err != nil {
		return Key{}, "", err
	}
	if key.ID, text, err = insert(system, key, now); err != nil {
		return Key{}, "", err
	}
	if err := k.watch.raise(ctx); err != nil {
		return Key{}, "", fmt.Errorf("the key %s is stored, but servers may not know it yet; revoke it and create "+
			"another: %w", key.ID, err)
	}
	k.note(ctx, "a key was made", key)
	return key, text, nil
}

// note logs a change of a key. It names the caller of the context, if there is one: others
// are commands and the server itself. The name of a key is not in the log.
func (k *Keys) note(ctx context.Context, what string, key Key) {
	by := "operator"
	if c, ok := FromContext(ctx); ok {
		by = cmp.Or(c.Key, c.ID)
	}
	k.log.InfoContext(ctx, what, "key", key.ID, "tenant", key.Tenant, "agents", strings.Join(key.Agents.Patterns(),
		","), "scopes", key.Scopes.String(), "by", by)
}

// insert stores a new key under an id that is free.
func insert(system workspace.Records, key Key, now time.Time) (id, text string, err error) {
	id = newID(key.Tenant)
	text, hash := newSecret(id)
	value, err := json.Marshal(keyRecord{Key: key, Secrets: []secretRecord{{SHA256: hash[:]}}})
	if err != nil {
		return "", "", err
	}
	revision, err := system.Put(keyPrefix+id, value, 0)
	if errors.Is(err, workspace.ErrConflict) { // another key has the id
		return insert(system, key, now)
	}
	if err != nil {
		return "", "", err
	}
	// Others who were creating a key may have filled the room meanwhile. One of two
	// sees the other's key here.
	c, err := takeCensus(system, key.Tenant, now)
	if err == nil {
		err = c.room(0)
	}
	if err != nil {
		return "", "", errors.Join(err, system.Delete(keyPrefix+id, revision))
	}
	return id, text, nil
}

// Rotate gives a key a new secret, and returns the new text of the key. The older
// secrets are valid until the overlap has passed, or as long as they were to. An overlap
// of 0 ends them. Errors: [workspace.ErrNotFound], [workspace.ErrInvalid] and those of
// the store.
func (k *Keys) Rotate(ctx context.Context, id string, overlap time.Duration) (key Key, text string, err error) {
	if overlap < 0 || overlap > maxOverlap {
		return Key{}, "", invalid("an overlap of %v; give 0 to 365 days", overlap)
	}
	key, err = k.update(ctx, id, func(r *keyRecord, now time.Time) error {
		if !r.Live(now) {
			return dead(r.Key)
		}
		next, hash := newSecret(id)
		text = next
		return r.rotate(hash, now, overlap)
	})
	if err != nil {
		return Key{}, "", err
	}
	k.note(ctx, "a key was rotated", key)
	return key, text, nil
}

// Revoke ends a key for good. It can be repeated. Errors: [workspace.ErrNotFound],
// [workspace.ErrInvalid] and those of the store.
func (k *Keys) Revoke(ctx context.Context, id string) (Key, error) {
	key, err := k.update(ctx, id, func(r *keyRecord, now time.Time) error {
		if r.Revoked.IsZero() {
			r.Revoked, r.Secrets = now, nil
		}
		return nil
	})
	if err == nil {
		k.note(ctx, "a key was revoked", key)
	}
	return key, err
}

// Set changes what a key may do. A key that has expired can be given more time, and a
// key that was revoked cannot be changed. Errors: [workspace.ErrNotFound],
// [workspace.ErrInvalid], [workspace.ErrQuota] and those of the store.
func (k *Keys) Set(ctx context.Context, id string, c Change) (Key, error) {
	key, err := k.update(ctx, id, func(r *keyRecord, now time.Time) error {
		if !r.Revoked.IsZero() {
			return dead(r.Key)
		}
		lived := r.Live(now)
		if err := r.apply(c, now); err != nil || lived || !r.Live(now) {
			return err
		}
		all, err := takeCensus(k.store.System(ctx), r.Tenant, now)
		return errors.Join(err, all.room(1))
	})
	if err == nil {
		k.note(ctx, "a key was changed", key)
	}
	return key, err
}

// Now returns the time of the store's clock, for [Key.Live]. Errors: those of the store.
func (k *Keys) Now(ctx context.Context) (time.Time, error) { return k.store.System(ctx).Now() }

// Show returns a key. Errors: [workspace.ErrNotFound], [workspace.ErrInvalid] and those
// of the store.
func (k *Keys) Show(ctx context.Context, id string) (Key, error) {
	if err := checkID(id); err != nil {
		return Key{}, err
	}
	system := k.store.System(ctx)
	r, err := readKey(system, id)
	if err != nil {
		return Key{}, err
	}
	used, err := records.Get(system, usedPrefix+id)
	r.LastUsed = parseUse(used.Value)
	return r.Key, err
}

// update changes a key, on top of what others change at the same time, and tells all
// processes.
func (k *Keys) update(ctx context.Context, id string, change func(*keyRecord, time.Time) error) (Key, error) {
	if err := checkID(id); err != nil {
		return Key{}, err
	}
	var r keyRecord
	err := k.watch.update(ctx, keyPrefix+id, func(found workspace.Record) (value []byte, err error) {
		if r, err = foundKey(found); err != nil {
			return nil, err
		}
		now, err := k.Now(ctx)
		if err != nil {
			return nil, err
		}
		if err := change(&r, now); err != nil {
			return nil, err
		}
		return json.Marshal(r)
	})
	if err != nil {
		return Key{}, err
	}
	return r.shown().Key, nil
}

func readKey(system workspace.Records, id string) (keyRecord, error) {
	found, err := records.Get(system, keyPrefix+id)
	if err != nil {
		return keyRecord{}, err
	}
	return foundKey(found)
}

// foundKey is decodeKey for a record that may not exist.
func foundKey(found workspace.Record) (keyRecord, error) {
	if found.Revision == 0 {
		return keyRecord{}, workspace.Errorf(workspace.ErrNotFound, "no key has the id %s; list the keys",
			strings.TrimPrefix(found.Key, keyPrefix))
	}
	return decodeKey(found)
}

func dead(k Key) error {
	if k.Revoked.IsZero() {
		return invalid("the key %s expired at %s; give it more time first", k.ID, k.Expires.Format(time.RFC3339))
	}
	return invalid("the key %s was revoked at %s; create a new one", k.ID, k.Revoked.Format(time.RFC3339))
}
