package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-scratchpad/scratchpad/internal/records"
	"github.com/agent-scratchpad/scratchpad/workspace/internal/fault"
	"github.com/agent-scratchpad/scratchpad/workspace/store"
)

// A profile is a record under "profile/TENANT/AGENT". How many a tenant has is counted under
// "profiles/TENANT", and those that are archived are listed under "archived/TENANT".

const (
	maxName        = 255
	maxDescription = 1024
	maxPairs       = 16
	maxKey         = 64
	maxValue       = 512
)

func profilePrefix(tenant string) string { return "profile/" + tenant + "/" }

func countKey(tenant string) string { return "profiles/" + tenant }

// Profile returns a profile. found is false if there is none.
func Profile(r store.Records, o store.Owner) (p store.Profile, found bool, err error) {
	return get[store.Profile](r, profilePrefix(o.Tenant)+o.Agent)
}

// Profiles returns profiles of a tenant in byte order of agent, from the first one after an
// agent, at most limit of them. It reads those alone that one of the patterns selects.
func Profiles(
	r store.Records, tenant string, patterns []string, after string, limit int,
) ([]store.AgentProfile, error) {
	from := ""
	if after != "" {
		from = profilePrefix(tenant) + after
	}
	var list []store.Record
	for _, p := range patterns {
		begin, open := strings.CutSuffix(p, "*")
		most := limit
		if !open { // a name is the first of those that begin with it
			most = 1
		}
		found, err := r.List(profilePrefix(tenant)+begin, from, most)
		if err != nil {
			return nil, err
		}
		if !open && (len(found) == 0 || found[0].Key != profilePrefix(tenant)+p) {
			continue
		}
		list = append(list, found...)
		slices.SortFunc(list, func(a, b store.Record) int { return strings.Compare(a.Key, b.Key) })
		list = slices.CompactFunc(list, func(a, b store.Record) bool { return a.Key == b.Key })
		list = list[:min(limit, len(list))]
	}
	all := make([]store.AgentProfile, len(list))
	for i, kept := range list {
		all[i].Agent = strings.TrimPrefix(kept.Key, profilePrefix(tenant))
		var err error
		if all[i].Profile, err = decode[store.Profile](kept); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// UpdateProfile changes a profile to what change returns for the present one. A tenant has at
// most limit profiles; below 0: any number. Errors: those of change, [store.ErrInvalid] and
// [store.ErrQuota].
func UpdateProfile(r store.Records, o store.Owner, now time.Time, limit int64,
	change func(p store.Profile, found bool) (store.Profile, error)) (p store.Profile, err error) {
	counted, listed := false, false
	created, err := update(r, profilePrefix(o.Tenant)+o.Agent, func(kept *store.Profile, found bool) (bool, error) {
		old := *kept
		if p, err = change(old, found); err == nil {
			err = check(p)
		}
		if err == nil && !found && !counted {
			err = count(r, o.Tenant, now, limit)
			counted = err == nil
		}
		if err != nil {
			return false, err
		}
		if found {
			p.Created = old.Created
		}
		if p.Created.IsZero() || !found && p.Created.After(now) {
			p.Created = now
		}
		if !old.Archived.IsZero() { // nobody takes it back
			p.Archived = old.Archived
		} else if !p.Archived.IsZero() { // before the profile says so: if this is cut short, nobody can write
			listed = true
			if err := setArchived(r, o, true); err != nil {
				return false, err
			}
		}
		if p.Updated = now; now.Before(p.Created) {
			p.Updated = p.Created
		}
		*kept = p
		return true, nil
	})
	if counted && !created {
		err = errors.Join(err, discount(r, o.Tenant))
	}
	if created || listed || !p.Archived.IsZero() {
		if synced := syncArchived(r, o); synced != nil { // not joined: callers know some errors of change as success
			err = synced
		}
	}
	return p, err
}

func check(p store.Profile) error {
	if err := cmp.Or(checkText("name", p.Name, 1, maxName),
		checkText("description", p.Description, 0, maxDescription)); err != nil {
		return err
	}
	if len(p.Metadata) > maxPairs {
		return store.Errorf(store.ErrInvalid, "metadata has %d pairs, allowed are %d", len(p.Metadata), maxPairs)
	}
	for key, value := range p.Metadata {
		if err := cmp.Or(checkText("a key of metadata", key, 1, maxKey),
			checkText(fmt.Sprintf("the value of metadata %q", key), value, 0, maxValue)); err != nil {
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

const countTime = 60 // seconds from one count at the limit to the next

// count adds one to the number of profiles of a tenant. At the limit it first counts those
// that are there, once a minute: a process that was killed may have counted one that it did
// not make.
func count(r store.Records, tenant string, now time.Time, limit int64) error {
	full := false
	_, err := records.Update(r, countKey(tenant), func(old store.Record) ([]byte, error) {
		n, last := counted(old)
		if full = limit >= 0 && n >= limit; full {
			if since := now.Unix() - last; 0 <= since && since < countTime {
				return nil, nil
			}
			n, last = 0, now.Unix()
			for _, err := range records.All(r, profilePrefix(tenant), "") {
				if err != nil {
					return nil, err
				}
				n++
			}
			full = n >= limit
		}
		if !full {
			n++
		}
		return fmt.Appendf(nil, "%d %d", n, last), nil
	})
	if err == nil && full {
		err = fault.Or(store.Errorf(store.ErrQuota,
			"this store has %d agents with a profile, the most that it may have", limit), store.DoFreeStore, 0)
	}
	return err
}

// counted returns a count of profiles, and when they were last counted one by one, in
// seconds since 1970; 0: never.
func counted(r store.Record) (n, last int64) {
	fmt.Sscan(string(r.Value), &n, &last)
	return n, last
}

func discount(r store.Records, tenant string) error {
	_, err := records.Update(r, countKey(tenant), func(old store.Record) ([]byte, error) {
		n, last := counted(old)
		return fmt.Appendf(nil, "%d %d", max(0, n-1), last), nil
	})
	return err
}

// ForgetProfile removes a profile, and reports whether there was one. The agent is not archived any
// more, also if an earlier call was interrupted.
func ForgetProfile(r store.Records, o store.Owner) (found bool, err error) {
	for {
		kept, err := records.Get(r, profilePrefix(o.Tenant)+o.Agent)
		if err != nil || kept.Revision == 0 {
			return false, errors.Join(err, syncArchived(r, o))
		}
		if ok, err := records.Delete(r, kept); ok || err != nil {
			if err == nil {
				err = errors.Join(discount(r, o.Tenant), syncArchived(r, o))
			}
			return ok, err
		}
	}
}
