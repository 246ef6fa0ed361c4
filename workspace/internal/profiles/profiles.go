// Package profiles keeps what people say of agents. A profile is a record of the
// installation under "profile/TENANT/AGENT". How many a tenant has is counted under
// "profiles/TENANT", and those that are archived are listed under "archived/TENANT".
package profiles

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/workspace/inspect"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

const (
	maxName        = 255
	maxDescription = 1024
	maxPairs       = 16
	maxKey         = 64
	maxValue       = 512
)

func prefix(tenant string) string { return "profile/" + tenant + "/" }

func countKey(tenant string) string { return "profiles/" + tenant }

// Get returns a profile. found is false if there is none.
func Get(r records.Records, o store.Owner) (p inspect.Profile, found bool, err error) {
	kept, err := r.Get(prefix(o.Tenant) + o.Agent)
	if err != nil || kept.Revision == 0 {
		return p, false, err
	}
	p, err = decode(kept.Key, kept.Value)
	return p, err == nil, err
}

func decode(key string, value []byte) (p inspect.Profile, err error) {
	if json.Unmarshal(value, &p) != nil {
		return p, store.Errorf(store.ErrCorrupt, "the record %s cannot be read", key)
	}
	return p, nil
}

// List returns profiles of a tenant in byte order of agent, from the first one after an
// agent, at most limit of them.
func List(r store.Records, tenant, after string, limit int) ([]inspect.AgentProfile, error) {
	from := ""
	if after != "" {
		from = prefix(tenant) + after
	}
	list, err := r.List(prefix(tenant), from, limit)
	if err != nil {
		return nil, err
	}
	all := make([]inspect.AgentProfile, len(list))
	for i, kept := range list {
		all[i].Agent = strings.TrimPrefix(kept.Key, prefix(tenant))
		if all[i].Profile, err = decode(kept.Key, kept.Value); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Update changes a profile to what change returns for the present one. A tenant has at most
// limit profiles; below 0: any number. Errors: those of change, [store.ErrInvalid] and
// [store.ErrQuota].
func Update(r records.Records, o store.Owner, now time.Time, limit int64, change func(p inspect.Profile, found bool) (inspect.Profile, error)) (p inspect.Profile, err error) {
	key, counted := prefix(o.Tenant)+o.Agent, false
	created, err := records.Update(r, key, func(old records.Record) (value []byte, err error) {
		p = inspect.Profile{}
		if old.Revision > 0 {
			if p, err = decode(key, old.Value); err != nil {
				return nil, err
			}
		}
		first, archived := p.Created, p.Archived
		if p, err = change(p, old.Revision > 0); err != nil {
			return nil, err
		}
		if err := check(p); err != nil {
			return nil, err
		}
		if old.Revision == 0 && !counted {
			if err := count(r, o.Tenant, limit); err != nil {
				return nil, err
			}
			counted = true
		}
		switch {
		case old.Revision > 0:
			p.Created = first
		case p.Created.IsZero() || p.Created.After(now):
			p.Created = now
		}
		if !archived.IsZero() { // that is for ever
			p.Archived = archived
		}
		if archived.IsZero() && !p.Archived.IsZero() {
			if err := setArchived(r, o, true); err != nil {
				return nil, err
			}
		}
		if p.Updated = now; now.Before(p.Created) {
			p.Updated = p.Created
		}
		return json.Marshal(p)
	})
	if counted && !created {
		err = errors.Join(err, discount(r, o.Tenant))
	}
	if errors.Is(err, records.ErrBusy) {
		return p, fault.Or(store.Errorf(store.ErrBusy, "too many processes change this profile at once"), store.DoRetry, 0)
	}
	return p, err
}

func check(p inspect.Profile) error {
	for _, text := range []struct {
		what, text  string
		least, most int
	}{{"name", p.Name, 1, maxName}, {"description", p.Description, 0, maxDescription}} {
		if err := checkText(text.what, text.text, text.least, text.most); err != nil {
			return err
		}
	}
	if len(p.Metadata) > maxPairs {
		return store.Errorf(store.ErrInvalid, "metadata has %d pairs, allowed are %d", len(p.Metadata), maxPairs)
	}
	for key, value := range p.Metadata {
		if err := checkText("a key of metadata", key, 1, maxKey); err != nil {
			return err
		}
		if err := checkText(fmt.Sprintf("the value of metadata %q", key), value, 0, maxValue); err != nil {
			return err
		}
	}
	return nil
}

func checkText(what, text string, least, most int) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return store.Errorf(store.ErrInvalid, "%s is not valid UTF-8", what)
	case n < least:
		return store.Errorf(store.ErrInvalid, "%s is empty", what)
	case n > most:
		return store.Errorf(store.ErrInvalid, "%s has %d characters, allowed are %d", what, n, most)
	}
	return nil
}

// count adds one to the number of profiles of a tenant. At the limit it first counts those
// that are there: a process that was killed may have counted one that it did not make.
func count(r records.Records, tenant string, limit int64) error {
	_, err := records.Update(r, countKey(tenant), func(old records.Record) ([]byte, error) {
		n, _ := strconv.ParseInt(string(old.Value), 10, 64)
		if limit >= 0 && n >= limit {
			list, err := r.List(prefix(tenant))
			if err != nil {
				return nil, err
			}
			if n = int64(len(list)); n >= limit {
				return nil, fault.Or(store.Errorf(store.ErrQuota, "this store has %d agents with a profile, the most that it may have", n), store.DoFreeStore, 0)
			}
		}
		return strconv.AppendInt(nil, n+1, 10), nil
	})
	return err
}

func discount(r records.Records, tenant string) error {
	_, err := records.Update(r, countKey(tenant), func(old records.Record) ([]byte, error) {
		n, _ := strconv.ParseInt(string(old.Value), 10, 64)
		return strconv.AppendInt(nil, max(0, n-1), 10), nil
	})
	return err
}

// Forget removes a profile, and reports whether there was one. The agent is not archived any
// more, also if an earlier Forget was interrupted.
func Forget(r records.Records, o store.Owner) (found bool, err error) {
	for {
		kept, err := r.Get(prefix(o.Tenant) + o.Agent)
		if err != nil || kept.Revision == 0 {
			return false, errors.Join(err, setArchived(r, o, false))
		}
		if ok, err := r.Delete(kept.Key, kept.Revision); ok || err != nil {
			if err == nil {
				err = errors.Join(discount(r, o.Tenant), setArchived(r, o, false))
			}
			return ok, err
		}
	}
}
