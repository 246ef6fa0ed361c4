package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/lru"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const (
	keyPrefix = "auth/key/" // and the id
	deadAge   = 30 * 24 * time.Hour
	maxDead   = 1000 // keys of a tenant that are revoked or expired
	maxSweep  = 10   // keys that one Create removes
	listPage  = 500  // records that are read at once
	maxTries  = 1000 // each time, one of those who change a record at once succeeds
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
	guesses *tally[string] // wrong secrets, by the id of a key that exists

	mu      sync.Mutex // guards all below
	known   *lru.Map[string, knownKey]
	refused *lru.Map[refusal, read]
	any     bool // there is a key; keys never become none again
	none    read // there was none
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
	w := &watch{store: store, key: generationKey, now: o.Now}
	k := &Keys{
		store: store, watch: w, log: o.Logger, used: &lastUse{store: store},
		tenants: Tenants{store: store, watch: w, defaults: o.Limits, known: lru.New[string, knownLimits](maxKnown)},
		guesses: newTally[string](o.Now, maxKnown),
		known:   lru.New[string, knownKey](maxKnown), refused: lru.New[refusal, read](maxKnown),
	}
	k.people = newSessions(k, o.Now)
	return k
}

// Tenants returns the tenants of the store.
func (k *Keys) Tenants() *Tenants { return &k.tenants }

// Sessions returns the sessions of people who have signed in with a key.
func (k *Keys) Sessions() *Sessions { return k.people }

// Close writes down when keys were used last. Verify, Any and Limits then fail with
// [ErrUnavailable], and so do sessions. Errors: those of the store.
func (k *Keys) Close(ctx context.Context) error {
	k.people.watch.close()
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
	records := k.store.System(ctx)
	now, err := records.Now()
	if err != nil {
		return Key{}, "", err
	}
	key = Key{Tenant: g.Tenant, Name: g.Name, Agents: g.Agents, Scopes: g.Scopes, Rate: g.Rate, Created: now}
	if key.Expires, err = expiry(now, g.Lifetime); err != nil {
		return Key{}, "", err
	}
	r := keyRecord{Created: now}
	if err := r.set(key); err != nil {
		return Key{}, "", err
	}
	if err := k.makeRoom(records, g.Tenant, now); err != nil {
		return Key{}, "", err
	}
	if err := k.tenants.register(records, g.Tenant); err != nil {
		return Key{}, "", err
	}
	key, text, err = k.insert(records, r, now)
	if err != nil {
		return Key{}, "", err
	}
	if err := k.watch.raise(ctx); err != nil {
		return Key{}, "", fmt.Errorf("the key %s is stored, but servers may not know it yet; revoke it and create another: %w", key.ID, err)
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
	k.log.InfoContext(ctx, what, "key", key.ID, "tenant", key.Tenant, "agents", strings.Join(key.Agents.Patterns(), ","), "scopes", key.Scopes.String(), "by", by)
}

// insert stores a new key under an id that is free.
func (k *Keys) insert(records workspace.Records, r keyRecord, now time.Time) (Key, string, error) {
	for range maxTries {
		id := newID(r.Tenant)
		text, hash := newSecret(id)
		r.Secrets = []secretRecord{{SHA256: hash[:]}}
		value, err := r.encode()
		if err != nil {
			return Key{}, "", err
		}
		revision, err := records.Put(keyPrefix+id, value, 0)
		if errors.Is(err, workspace.ErrConflict) {
			continue
		}
		if err != nil {
			return Key{}, "", err
		}
		// Others who were creating a key may have filled the room meanwhile. One of two
		// sees the other's key here.
		c, err := takeCensus(records, r.Tenant, now)
		if err == nil {
			err = c.room(0)
		}
		if err != nil {
			return Key{}, "", errors.Join(err, records.Delete(keyPrefix+id, revision))
		}
		_, key, err := decodeKey(id, value)
		return key, text, err
	}
	return Key{}, "", errBusy()
}

// Rotate gives a key a new secret, and returns the new text of the key. The older
// secrets are valid until the overlap has passed, or as long as they were to. An overlap
// of 0 ends them. Errors: [workspace.ErrNotFound], [workspace.ErrInvalid] and those of
// the store.
func (k *Keys) Rotate(ctx context.Context, id string, overlap time.Duration) (key Key, text string, err error) {
	if overlap < 0 || overlap > maxOverlap {
		return Key{}, "", invalid("an overlap of %v; give 0 to 365 days", overlap)
	}
	key, err = k.update(ctx, id, func(r *keyRecord, key Key, now time.Time) error {
		if !key.Live(now) {
			return dead(key)
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
	key, err := k.update(ctx, id, func(r *keyRecord, _ Key, now time.Time) error {
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
	key, err := k.update(ctx, id, func(r *keyRecord, key Key, now time.Time) error {
		if !key.Revoked.IsZero() {
			return dead(key)
		}
		if err := r.apply(key, c, now); err != nil {
			return err
		}
		if revives := !key.Live(now) && (r.Expires.IsZero() || now.Before(r.Expires)); revives {
			c, err := takeCensus(k.store.System(ctx), key.Tenant, now)
			return errors.Join(err, c.room(1))
		}
		return nil
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
	records := k.store.System(ctx)
	_, _, key, err := readKey(records, id)
	if err != nil {
		return Key{}, err
	}
	key.LastUsed, err = readUse(records, id)
	return key, err
}

// update changes the record of a key, and tells all processes.
func (k *Keys) update(ctx context.Context, id string, change func(*keyRecord, Key, time.Time) error) (Key, error) {
	if err := checkID(id); err != nil {
		return Key{}, err
	}
	key, err := k.put(ctx, id, change)
	if err != nil && !errors.Is(err, workspace.ErrOutcomeUnknown) {
		return Key{}, err
	}
	if err := errors.Join(err, k.watch.raiseAfter(ctx)); err != nil {
		return Key{}, err
	}
	return key, nil
}

// put stores a change of a record, on top of those that others made meanwhile.
func (k *Keys) put(ctx context.Context, id string, change func(*keyRecord, Key, time.Time) error) (Key, error) {
	records := k.store.System(ctx)
	for range maxTries {
		revision, r, key, err := readKey(records, id)
		if err != nil {
			return Key{}, err
		}
		now, err := records.Now()
		if err != nil {
			return Key{}, err
		}
		if err := change(&r, key, now); err != nil {
			return Key{}, err
		}
		value, err := r.encode()
		if err != nil {
			return Key{}, err
		}
		if _, err = records.Put(keyPrefix+id, value, revision); errors.Is(err, workspace.ErrConflict) {
			continue
		}
		if err != nil {
			return Key{}, err
		}
		_, key, err = decodeKey(id, value)
		return key, err
	}
	return Key{}, errBusy()
}

func readKey(records workspace.Records, id string) (revision int64, r keyRecord, key Key, err error) {
	found, err := records.Get(keyPrefix + id)
	if errors.Is(err, workspace.ErrNotFound) {
		err = workspace.Errorf(workspace.ErrNotFound, "no key has the id %s; list the keys", id)
	}
	if err == nil {
		r, key, err = decodeKey(id, found.Value)
	}
	return found.Revision, r, key, err
}

func dead(k Key) error {
	if k.Revoked.IsZero() {
		return invalid("the key %s expired at %s; give it more time first", k.ID, k.Expires.Format(time.RFC3339))
	}
	return invalid("the key %s was revoked at %s; create a new one", k.ID, k.Revoked.Format(time.RFC3339))
}

func errBusy() error {
	return workspace.Errorf(workspace.ErrBusy, "others keep changing the record; try again")
}
