package auth

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/agent-scratchpad/scratchpad/workspace"
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
	records := k.store.System(ctx)
	if p.Now, err = records.Now(); err != nil {
		return Page{}, err
	}
	for found, err := range keysOf(records, o.Tenant, o.After) {
		if err != nil {
			return Page{}, err
		}
		if len(p.Keys) == limit {
			p.Next = p.Keys[limit-1].ID
			break
		}
		p.Keys = append(p.Keys, found.key)
	}
	return p, addUse(records, o, p.Keys)
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

type storedKey struct {
	key      Key
	revision int64
}

// keysOf yields the keys of a tenant after an id, or of all tenants. After an error it
// ends.
func keysOf(records workspace.Records, tenant, after string) iter.Seq2[storedKey, error] {
	return func(yield func(storedKey, error) bool) {
		for r, err := range list(records, keyPrefix+bucketOf(tenant), keyPrefix+after) {
			if err != nil {
				yield(storedKey{}, err)
				return
			}
			_, key, err := decodeKey(strings.TrimPrefix(r.Key, keyPrefix), r.Value)
			if err == nil && tenant != "" && key.Tenant != tenant {
				continue
			}
			if !yield(storedKey{key, r.Revision}, err) || err != nil {
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

// list yields the records with a prefix, page after page. After an error it ends.
func list(records workspace.Records, prefix, after string) iter.Seq2[workspace.Record, error] {
	return func(yield func(workspace.Record, error) bool) {
		for {
			page, err := records.List(prefix, after, listPage)
			if err != nil {
				yield(workspace.Record{}, err)
				return
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
				after = r.Key
			}
			if len(page) < listPage {
				return
			}
		}
	}
}

// addUse says of each key of a page when it was used last.
func addUse(records workspace.Records, o ListOptions, keys []Key) error {
	if len(keys) == 0 {
		return nil
	}
	last := usedPrefix + keys[len(keys)-1].ID
	for r, err := range list(records, usedPrefix+bucketOf(o.Tenant), usedPrefix+o.After) {
		if err != nil {
			return err
		}
		if r.Key > last {
			return nil
		}
		id := strings.TrimPrefix(r.Key, usedPrefix)
		if i, ok := slices.BinarySearchFunc(keys, id, func(k Key, id string) int { return strings.Compare(k.ID, id) }); ok {
			keys[i].LastUsed = parseUse(r.Value)
		}
	}
	return nil
}

// tenantKeys is what the limit of keys limits.
const tenantKeys workspace.Resource = "keys of the tenant"

// A census is a count of the keys of a tenant.
type census struct {
	tenant string
	limit  int64
	live   int64
	dead   []storedKey // in byte order of id
}

func takeCensus(records workspace.Records, tenant string, now time.Time) (census, error) {
	r, _, err := readTenant(records, tenant)
	if err != nil {
		return census{}, err
	}
	c := census{tenant: tenant, limit: r.limits(workspace.StoreLimits{}).Keys}
	for found, err := range keysOf(records, tenant, "") {
		switch {
		case err != nil:
			return census{}, err
		case found.key.Live(now):
			c.live++
		default:
			c.dead = append(c.dead, found)
		}
	}
	return c, nil
}

// room refuses more keys than the limit.
func (c census) room(adds int64) error {
	if c.limit < 0 || c.live+adds <= c.limit {
		return nil
	}
	e := workspace.Errorf(workspace.ErrQuota, "key limit of the tenant %s reached (%d of %d); revoke keys, or raise the limit of the tenant",
		c.tenant, c.live+adds-1, c.limit)
	e.Quota = &workspace.Quota{Of: tenantKeys, Used: c.live + adds - 1, Adds: 1, Limit: c.limit}
	return e
}

// makeRoom makes sure that a tenant may have one more key. It removes old keys that can
// no longer be used, so that they do not grow without end. The last one stays: a store
// that had a key must not look as one that never had any.
func (k *Keys) makeRoom(records workspace.Records, tenant string, now time.Time) error {
	c, err := takeCensus(records, tenant, now)
	if err == nil {
		err = c.room(1)
	}
	if err != nil || len(c.dead) == 0 {
		return err
	}
	sort.SliceStable(c.dead, func(i, j int) bool { return c.dead[i].key.ended().Before(c.dead[j].key.ended()) })
	for i, found := range c.dead[:min(len(c.dead)-1, maxSweep)] {
		if len(c.dead)-i <= maxDead && now.Sub(found.key.ended()) < deadAge {
			return nil
		}
		if err := drop(records, found); err != nil {
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

// drop removes a key and its last use, unless the key has changed meanwhile.
func drop(records workspace.Records, found storedKey) error {
	err := records.Delete(keyPrefix+found.key.ID, found.revision)
	if err == nil {
		var used workspace.Record
		if used, err = records.Get(usedPrefix + found.key.ID); err == nil {
			err = records.Delete(used.Key, used.Revision)
		}
	}
	if errors.Is(err, workspace.ErrConflict) || errors.Is(err, workspace.ErrNotFound) {
		return nil
	}
	return err
}
