package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
)

const tenantPrefix = "auth/tenant/" // and the name

// TenantLimits are the limits of a tenant. A negative limit is none. In the store, 0 is the
// default.
type TenantLimits struct {
	Agents int64 `json:"agents,omitzero"` // that hold anything; Options.Limits unless it was set
	Bytes  int64 `json:"bytes,omitzero"`  // of all agents; Options.Limits unless it was set
	Keys   int64 `json:"keys,omitzero"`   // that can be used; 1,000 unless it was set
}

// or puts in the defaults.
func (l TenantLimits) or(d workspace.StoreLimits) TenantLimits {
	return TenantLimits{cmp.Or(l.Agents, d.Agents), cmp.Or(l.Bytes, d.Bytes), cmp.Or(l.Keys, 1000)}
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
	known    *cache[string, TenantLimits]
}

// Limits returns the limits of a tenant, for a call of the tenant. It reads the store
// only if something may have changed. Errors: [workspace.ErrInvalid] and
// [ErrUnavailable].
func (t *Tenants) Limits(ctx context.Context, tenant string) (TenantLimits, error) {
	if err := checkTenant(tenant); err != nil {
		return TenantLimits{}, err
	}
	now, err := t.watch.current(ctx)
	if err != nil {
		return TenantLimits{}, err
	}
	l, err := t.known.load(tenant, now, func() (TenantLimits, error) { return t.read(ctx, tenant) })
	if err != nil {
		return TenantLimits{}, unavailable(err)
	}
	return l, nil
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
	err := t.watch.update(ctx, tenantPrefix+name, func(old workspace.Record) ([]byte, error) {
		l, err := decodeTenant(old)
		if err != nil {
			return nil, err
		}
		for _, limit := range []struct {
			what     string
			of, next *int64
		}{{"agents", &l.Agents, c.Agents}, {"bytes", &l.Bytes, c.Bytes}, {"keys", &l.Keys, c.Keys}} {
			switch {
			case limit.next == nil:
			case *limit.next < -1:
				return nil, invalid("a limit of %d %s; give 1 or more, 0 for the default, or -1 for no limit",
					*limit.next,
					limit.what)
			default:
				*limit.of = *limit.next
			}
		}
		return json.Marshal(l)
	})
	if err != nil {
		return Tenant{}, err
	}
	return t.Get(ctx, name)
}

// register notes that there is a tenant, so that List shows it.
func register(system workspace.Records, name string) error {
	_, err := records.Update(system, tenantPrefix+name, func(old workspace.Record) ([]byte, error) {
		if old.Revision > 0 {
			return nil, nil
		}
		return []byte("{}"), nil
	})
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
		l, err := decodeTenant(found)
		if err != nil {
			return nil, err
		}
		tenants = append(tenants, Tenant{strings.TrimPrefix(found.Key, tenantPrefix), l.or(t.defaults)})
	}
	return tenants, nil
}

func (t *Tenants) read(ctx context.Context, name string) (TenantLimits, error) {
	l, err := readTenant(t.store.System(ctx), name)
	return l.or(t.defaults), err
}

func readTenant(system workspace.Records, name string) (TenantLimits, error) {
	found, err := records.Get(system, tenantPrefix+name)
	if err != nil {
		return TenantLimits{}, err
	}
	return decodeTenant(found)
}

func decodeTenant(found workspace.Record) (l TenantLimits, err error) {
	if found.Revision > 0 && json.Unmarshal(found.Value, &l) != nil {
		err = workspace.Errorf(workspace.ErrCorrupt,
			"the record of the tenant %s cannot be read; use the version of scratchpad that wrote it, or restore a "+
				"backup",
			strings.TrimPrefix(found.Key, tenantPrefix))
	}
	return l, err
}
