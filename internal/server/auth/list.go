package auth

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	defaultPage = 100
	maxPage     = 1000
)

// ListOptions are the options of [Keys.List].
type ListOptions struct {
	Tenant string // "": all tenants
	After  string // Next of the page before; "": the first page
	Limit  int    // keys of a page, 1-1000; 0: 100
}

// A Page is a page of keys, in byte order of ID.
type Page struct {
	Keys []Key
	Next string    // for After; "": this is the last page
	Now  time.Time // of the store's clock, for Live
}

// List returns keys, also those that were revoked or have expired. Errors:
// [workspace.ErrInvalid] and those of the store.
func (k *Keys) List(ctx context.Context, o ListOptions) (p Page, err error) {
	limit, err := pageLimit(o.Limit)
	if err != nil {
		return Page{}, err
	}
	if o.After != "" && checkID(o.After) != nil {
		return Page{}, invalid("there is no page after that; give what the page before said")
	}
	if o.Tenant != "" {
		if err := checkTenant(o.Tenant); err != nil {
			return Page{}, err
		}
	}
	system := k.store.System(ctx)
	if p.Now, err = system.Now(); err != nil {
		return Page{}, err
	}
	for r, err := range keysOf(system, o.Tenant, o.After) {
		if err != nil {
			return Page{}, err
		}
		if len(p.Keys) == limit {
			p.Next = p.Keys[limit-1].ID
			break
		}
		p.Keys = append(p.Keys, r.Key)
	}
	return p, addUse(system, o, p.Keys)
}

func pageLimit(n int) (int, error) {
	if n < 0 || n > maxPage {
		return 0, invalid("a page of %d; give 1-%d, or 0 for %d", n, maxPage, defaultPage)
	}
	if n == 0 {
		n = defaultPage
	}
	return n, nil
}

// keysOf yields the keys of a tenant after an id, or of all tenants. After an error it
// ends.
func keysOf(system workspace.Records, tenant, after string) iter.Seq2[keyRecord, error] {
	return func(yield func(keyRecord, error) bool) {
		for found, err := range records.All(system, keyPrefix+bucketOf(tenant), keyPrefix+after) {
			var r keyRecord
			if err == nil {
				r, err = decodeKey(found)
			}
			if err == nil && tenant != "" && r.Tenant != tenant {
				continue
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// bucketOf is empty for all tenants.
func bucketOf(tenant string) string {
	if tenant == "" {
		return ""
	}
	return bucket(tenant)
}

// addUse says of each key of a page when it was used last.
func addUse(system workspace.Records, o ListOptions, keys []Key) error {
	if len(keys) == 0 {
		return nil
	}
	last := usedPrefix + keys[len(keys)-1].ID
	for r, err := range records.All(system, usedPrefix+bucketOf(o.Tenant), usedPrefix+o.After) {
		if err != nil {
			return err
		}
		if r.Key > last {
			return nil
		}
		id := strings.TrimPrefix(r.Key, usedPrefix)
		if i, ok := slices.BinarySearchFunc(keys, id,
			func(k Key, id string) int { return strings.Compare(k.ID, id) }); ok {
			keys[i].LastUsed = parseUse(r.Value)
		}
	}
	return nil
}

// tenantKeys is what the limit of keys limits.
const tenantKeys store.Resource = "keys of the tenant"

// A census is a count of the keys of a tenant.
type census struct {
	tenant string
	limit  int64
	live   int64
	dead   []keyRecord // in byte order of id
}

func takeCensus(system workspace.Records, tenant string, now time.Time) (census, error) {
	limits, err := readTenant(system, tenant)
	if err != nil {
		return census{}, err
	}
	c := census{tenant: tenant, limit: limits.or(workspace.StoreLimits{}).Keys}
	for r, err := range keysOf(system, tenant, "") {
		switch {
		case err != nil:
			return census{}, err
		case r.Live(now):
			c.live++
		default:
			c.dead = append(c.dead, r)
		}
	}
	return c, nil
}

// Count returns how many keys of a tenant can be used. Errors: those of the store.
func (k *Keys) Count(ctx context.Context, tenant string) (live int64, err error) {
	system := k.store.System(ctx)
	now, err := system.Now()
	if err != nil {
		return 0, err
	}
	c, err := takeCensus(system, tenant, now)
	return c.live, err
}

// room refuses more keys than the limit.
func (c census) room(adds int64) error {
	if c.limit < 0 || c.live+adds <= c.limit {
		return nil
	}
	e := workspace.Errorf(workspace.ErrQuota,
		"key limit of the tenant %s reached (%d of %d); revoke keys, or raise the limit of the tenant",
		c.tenant, c.live+adds-1, c.limit)
	e.Quota = &workspace.Quota{Of: tenantKeys, Used: c.live + adds - 1, Adds: 1, Limit: c.limit}
	return e
}

// makeRoom makes sure that a tenant may have one more key. It removes old keys that can
// no longer be used, so that they do not grow without end. The last one stays: a store
// that had a key must not look as one that never had any.
func makeRoom(system workspace.Records, tenant string, now time.Time) error {
	c, err := takeCensus(system, tenant, now)
	if err == nil {
		err = c.room(1)
	}
	if err != nil || len(c.dead) == 0 {
		return err
	}
	slices.SortStableFunc(c.dead, func(a, b keyRecord) int { return a.ended().Compare(b.ended()) })
	for i, r := range c.dead[:min(len(c.dead)-1, maxSweep)] {
		if len(c.dead)-i <= maxDead && now.Sub(r.ended()) < deadAge {
			return nil
		}
		if err := drop(system, r); err != nil {
			return err
		}
	}
	return nil
}

// ended returns since when a key cannot be used.
func (k Key) ended() time.Time {
	if !k.Revoked.IsZero() {
		return k.Revoked
	}
	return k.Expires
}

// drop removes a key, its sessions and its last use, unless the key has changed meanwhile.
func drop(system workspace.Records, r keyRecord) error {
	deleted, err := records.Delete(system, workspace.Record{Key: keyPrefix + r.ID, Revision: r.revision})
	if err != nil || !deleted {
		return err
	}
	err = records.DeleteAll(system, sessionsOf(r.ID))
	used, err2 := records.Get(system, usedPrefix+r.ID)
	if err2 == nil && used.Revision > 0 {
		_, err2 = records.Delete(system, used)
	}
	return errors.Join(err, err2)
}
