// Package profiles keeps the names and descriptions of agents. A profile is a record of the
// installation under "profile/TENANT/AGENT". How many a tenant has is counted under
// "profiles/TENANT", and those that are archived are listed under "archived/TENANT".
package profiles

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
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
func Get(r store.Records, o store.Owner) (p store.Profile, found bool, err error) {
	kept, err := records.Get(r, prefix(o.Tenant)+o.Agent)
	if err != nil || kept.Revision == 0 {
		return p, false, err
	}
	p, err = decode(kept.Key, kept.Value)
	return p, err == nil, err
}

func decode(key string, value []byte) (p store.Profile, err error) {
	if json.Unmarshal(value, &p) != nil {
		return p, store.Errorf(store.ErrCorrupt, "the record %s cannot be read", key)
	}
	return p, nil
}

// List returns profiles of a tenant in byte order of agent, from the first one after an
// agent, at most limit of them. It reads those alone that one of the patterns selects.
func List(r store.Records, tenant string, patterns []string, after string, limit int) ([]store.AgentProfile, error) {
	from := ""
	if after != "" {
		from = prefix(tenant) + after
	}
	var list []store.Record
	for _, p := range patterns {
		begin, open := strings.CutSuffix(p, "*")
		most := limit
		if !open { // a name is the first of those that begin with it
			most = 1
		}
		found, err := r.List(prefix(tenant)+begin, from, most)
		if err != nil {
			return nil, err
		}
		if !open && (len(found) == 0 || found[0].Key != prefix(tenant)+p) {
			continue
		}
		list = merge(list, found, limit)
	}
	all := make([]store.AgentProfile, len(list))
	for i, kept := range list {
		all[i].Agent = strings.TrimPrefix(kept.Key, prefix(tenant))
		var err error
		if all[i].Profile, err = decode(kept.Key, kept.Value); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// merge returns the first records of two lists in order of key, each once.
func merge(a, b []store.Record, most int) []store.Record {
	if len(a) == 0 {
		return b
	}
	a = append(a, b...)
	sort.SliceStable(a, func(i, j int) bool { return a[i].Key < a[j].Key })
	n := 0
	for _, one := range a {
		if n == 0 || a[n-1].Key != one.Key {
			a[n] = one
			n++
		}
	}
	return a[:min(n, most)]
}

// Update changes a profile to what change returns for the present one. A tenant has at most
// limit profiles; below 0: any number. Errors: those of change, [store.ErrInvalid] and
// [store.ErrQuota].
func Update(r store.Records, o store.Owner, now time.Time, limit int64,
	change func(p store.Profile, found bool) (store.Profile, error)) (p store.Profile, err error) {
	key, counted, listed := prefix(o.Tenant)+o.Agent, false, false
	created, err := records.Update(r, key, func(old store.Record) (value []byte, err error) {
		p = store.Profile{}
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
			if err := count(r, o.Tenant, now, limit); err != nil {
				return nil, err
			}
			counted = true
		}
		if old.Revision > 0 {
			p.Created = first
		}
		if p.Created.IsZero() || old.Revision == 0 && p.Created.After(now) {
			p.Created = now
		}
		if !archived.IsZero() { // nobody takes it back
			p.Archived = archived
		}
		if archived.IsZero() && !p.Archived.IsZero() {
			listed = true
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
	if created || listed {
		err = errors.Join(err, settle(r, o))
	}
	return p, err
}

func check(p store.Profile) error {
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

const countTime = time.Minute // from one count at the limit to the next

// count adds one to the number of profiles of a tenant. At the limit it first counts those
// that are there, once a minute: a process that was killed may have counted one that it did
// not make.
func count(r store.Records, tenant string, now time.Time, limit int64) error {
	full := false
	_, err := records.Update(r, countKey(tenant), func(old store.Record) ([]byte, error) {
		n, last := decodeCount(old.Value)
		if full = limit >= 0 && n >= limit; !full {
			return encodeCount(n+1, last), nil
		}
		if since := now.Sub(last); since >= 0 && since < countTime {
			return nil, nil
		}
		n, err := countAll(r, tenant)
		if full = n >= limit; !full {
			n++
		}
		return encodeCount(n, now), err
	})
	if err == nil && full {
		err = fault.Or(store.Errorf(store.ErrQuota,
			"this store has %d agents with a profile, the most that it may have", limit), store.DoFreeStore, 0)
	}
	return err
}

func countAll(r store.Records, tenant string) (n int64, err error) {
	for _, err := range records.All(r, prefix(tenant), "") {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// A count is the number of profiles, and when they were last counted one by one in seconds
// since 1970, if they were.
func decodeCount(value []byte) (n int64, last time.Time) {
	first, second, _ := strings.Cut(string(value), " ")
	n, _ = strconv.ParseInt(first, 10, 64)
	if at, err := strconv.ParseInt(second, 10, 64); err == nil {
		last = time.Unix(at, 0)
	}
	return n, last
}

func encodeCount(n int64, last time.Time) []byte {
	value := strconv.AppendInt(nil, n, 10)
	if !last.IsZero() {
		value = strconv.AppendInt(append(value, ' '), last.Unix(), 10)
	}
	return value
}

func discount(r store.Records, tenant string) error {
	_, err := records.Update(r, countKey(tenant), func(old store.Record) ([]byte, error) {
		n, last := decodeCount(old.Value)
		return encodeCount(max(0, n-1), last), nil
	})
	return err
}

// Forget removes a profile, and reports whether there was one. The agent is not archived any
// more, also if an earlier Forget was interrupted.
func Forget(r store.Records, o store.Owner) (found bool, err error) {
	for {
		kept, err := records.Get(r, prefix(o.Tenant)+o.Agent)
		if err != nil || kept.Revision == 0 {
			return false, errors.Join(err, settle(r, o))
		}
		if ok, err := records.Delete(r, kept); ok || err != nil {
			if err == nil {
				err = errors.Join(discount(r, o.Tenant), settle(r, o))
			}
			return ok, err
		}
	}
}

// settle makes the list of those that are archived say of an agent what its profile says.
// Whoever archives an agent or forgets it does so last. So the list is right in the end,
// whoever else was at it at the same time.
func settle(r store.Records, o store.Owner) error {
	for last := int64(-1); ; {
		kept, err := records.Get(r, prefix(o.Tenant)+o.Agent)
		if err != nil || kept.Revision == last {
			return err
		}
		var p store.Profile
		if last = kept.Revision; last > 0 {
			if p, err = decode(kept.Key, kept.Value); err != nil {
				return err
			}
		}
		if err := setArchived(r, o, !p.Archived.IsZero()); err != nil {
			return err
		}
	}
}
