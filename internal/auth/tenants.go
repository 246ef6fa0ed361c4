package auth

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/agent-scratchpad/scratchpad/internal/lru"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const tenantPrefix = "auth/tenant/" // and the name

// TenantLimits are the limits of a tenant. A negative limit is none.
type TenantLimits struct {
	Agents int64 // that hold anything; Options.Limits unless it was set
	Bytes  int64 // of all agents; Options.Limits unless it was set
	Keys   int64 // that can be used; 1,000 unless it was set
}

// A TenantChange changes limits. A nil field leaves what there is, 0 goes back to the
// default, and -1 sets no limit.
type TenantChange struct{ Agents, Bytes, Keys *int64 }

// A Tenant is a tenant with limits of its own, or one that has had a key.
type Tenant struct {
	Name   string
	Limits TenantLimits
}

// Tenants are the tenants of an installation. [Keys.Tenants] returns them. They are safe
// for concurrent use. A change holds as a change of a key does.
type Tenants struct {
	store    workspace.Store
	watch    *watch
	defaults workspace.StoreLimits

	mu    sync.Mutex // guards known
	known *lru.Map[string, knownLimits]
}

type knownLimits struct {
	read
	limits TenantLimits
}

// tenantRecord is what the store has of a tenant. A limit of 0 is the default.
type tenantRecord struct {
	Agents int64 `json:"agents,omitzero"`
	Bytes  int64 `json:"bytes,omitzero"`
	Keys   int64 `json:"keys,omitzero"`
}

// limits puts in the defaults.
func (r tenantRecord) limits(d workspace.StoreLimits) TenantLimits {
	l := TenantLimits{Agents: d.Agents, Bytes: d.Bytes, Keys: 1000}
	for limit, own := range map[*int64]int64{&l.Agents: r.Agents, &l.Bytes: r.Bytes, &l.Keys: r.Keys} {
		if own != 0 {
			*limit = own
		}
	}
	return l
}

// Limits returns the limits of a tenant, for a call of the tenant. It reads the store
// only if something may have changed. Errors: [workspace.ErrInvalid] and
// [ErrUnavailable].
func (t *Tenants) Limits(ctx context.Context, tenant string) (TenantLimits, error) {
	if err := checkTenant(tenant); err != nil {
		return TenantLimits{}, err
	}
	l, err := t.watch.current(ctx)
	if err != nil {
		return TenantLimits{}, err
	}
	now := t.watch.now()
	t.mu.Lock()
	found, ok := t.known.Get(tenant)
	t.mu.Unlock()
	if ok && found.holds(l, now) {
		return found.limits, nil
	}
	limits, err := t.read(ctx, tenant)
	if err != nil {
		return TenantLimits{}, unavailable(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known.Put(tenant, knownLimits{read{l.generation, now}, limits})
	return limits, nil
}

// Get returns a tenant. One that the store does not know has the defaults. Errors:
// [workspace.ErrInvalid] and those of the store.
func (t *Tenants) Get(ctx context.Context, name string) (Tenant, error) {
	if err := checkTenant(name); err != nil {
		return Tenant{}, err
	}
	limits, err := t.read(ctx, name)
	return Tenant{name, limits}, err
}

// Set changes the limits of a tenant. What is over a new limit stays. Errors:
// [workspace.ErrInvalid] and those of the store.
func (t *Tenants) Set(ctx context.Context, name string, c TenantChange) (Tenant, error) {
	if err := checkTenant(name); err != nil {
		return Tenant{}, err
	}
	for what, limit := range map[string]*int64{"agents": c.Agents, "bytes": c.Bytes, "keys": c.Keys} {
		if limit != nil && *limit < -1 {
			return Tenant{}, invalid("a limit of %d %s; give 1 or more, 0 for the default, or -1 for no limit", *limit, what)
		}
	}
	err := t.put(t.store.System(ctx), name, c)
	if err != nil && !errors.Is(err, workspace.ErrOutcomeUnknown) {
		return Tenant{}, err
	}
	if err := errors.Join(err, t.watch.raiseAfter(ctx)); err != nil {
		return Tenant{}, err
	}
	return t.Get(ctx, name)
}

func (t *Tenants) put(records workspace.Records, name string, c TenantChange) error {
	for range maxTries {
		r, revision, err := readTenant(records, name)
		if err != nil {
			return err
		}
		for limit, next := range map[*int64]*int64{&r.Agents: c.Agents, &r.Bytes: c.Bytes, &r.Keys: c.Keys} {
			if next != nil {
				*limit = *next
			}
		}
		value, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = records.Put(tenantPrefix+name, value, revision)
		if !errors.Is(err, workspace.ErrConflict) {
			return err
		}
	}
	return errBusy()
}

// register notes that there is a tenant, so that List shows it.
func (t *Tenants) register(records workspace.Records, name string) error {
	_, revision, err := readTenant(records, name)
	if err != nil || revision != 0 {
		return err
	}
	if _, err = records.Put(tenantPrefix+name, []byte("{}"), 0); errors.Is(err, workspace.ErrConflict) {
		return nil
	}
	return err
}

// List returns tenants after a name, in byte order of name, at most limit of them. limit
// is 1-1000; 0: 100. Errors: [workspace.ErrInvalid] and those of the store.
func (t *Tenants) List(ctx context.Context, after string, limit int) (tenants []Tenant, err error) {
	if limit, err = pageLimit(limit); err != nil {
		return nil, err
	}
	page, err := t.store.System(ctx).List(tenantPrefix, tenantPrefix+after, limit)
	if err != nil {
		return nil, err
	}
	for _, found := range page {
		name := strings.TrimPrefix(found.Key, tenantPrefix)
		r, err := decodeTenant(name, found.Value)
		if err != nil {
			return nil, err
		}
		tenants = append(tenants, Tenant{name, r.limits(t.defaults)})
	}
	return tenants, nil
}

func (t *Tenants) read(ctx context.Context, name string) (TenantLimits, error) {
	r, _, err := readTenant(t.store.System(ctx), name)
	return r.limits(t.defaults), err
}

// readTenant returns the revision 0 if there is no record.
func readTenant(records workspace.Records, name string) (r tenantRecord, revision int64, err error) {
	found, err := records.Get(tenantPrefix + name)
	if errors.Is(err, workspace.ErrNotFound) {
		return tenantRecord{}, 0, nil
	}
	if err == nil {
		r, err = decodeTenant(name, found.Value)
	}
	return r, found.Revision, err
}

func decodeTenant(name string, value []byte) (r tenantRecord, err error) {
	if json.Unmarshal(value, &r) != nil {
		return r, workspace.Errorf(workspace.ErrCorrupt, "the record of the tenant %s cannot be read; use the version of scratchpad that wrote it, or restore a backup", name)
	}
	return r, nil
}
